/** How many deliveries are under way at once, and how they are shared among addresses. */

const placesMax = 50;
/** One address with much to hear and a slow answer must not take all the places: beyond so many it waits its turn. */
const toOneMax = 10;
/** Claimed together, so that an address just below its bound goes over it by none. */
const atOnceMax = 5;
/** Addresses that did not answer when last tried keep a place for as long as patience lasts: half are not for them. */
const silentMax = 25;
/** More are not remembered. */
const rememberedMax = 1000;

export interface Places {
  /** How many may be claimed now, and the webhooks that may have none of them. */
  left(underWay: readonly string[]): { free: number; busy: string[] };
  /** Whether the webhook's address answered anything at all. */
  note(webhookId: string, answered: boolean): void;
}

export function createPlaces(): Places {
  const silent = new Set<string>();
  return {
    left(underWay) {
      const held = Map.groupBy(underWay, (id) => id);
      const heldBySilent = underWay.filter((id) => silent.has(id)).length;
      const busy = [...held].filter(([id, { length }]) => silent.has(id) || length > toOneMax - atOnceMax);
      const others = heldBySilent >= silentMax ? silent : [];
      const free = Math.min(atOnceMax, placesMax - underWay.length);
      return { free, busy: [...new Set([...busy.map(([id]) => id), ...others])] };
    },
    note(webhookId, answered) {
      silent.delete(webhookId);
      if (answered) return;
      silent.add(webhookId);
      const [oldest = ""] = silent;
      if (silent.size > rememberedMax) silent.delete(oldest);
    },
  };
}
