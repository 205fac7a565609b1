/** How many deliveries are under way at once, and how addresses share them. */

const slotsMax = 50;
/** A slow address with many deliveries must not take the whole capacity. */
const perAddressMax = 10;
/** How many are claimed together. An address below its maximum cannot exceed it by one claim. */
const claimMax = 5;
/** Addresses that did not respond last time hold a slot until the time-out, so half of the slots are not for them. */
const unresponsiveMax = 25;
/** How many unresponsive webhooks are remembered. */
const rememberedMax = 1000;

export interface DispatcherCapacity {
  /** How many deliveries may be claimed now, and the webhooks that get none of them. */
  left(underWay: readonly string[]): { free: number; busy: string[] };
  /** Records whether the webhook's address responded at all. */
  note(webhookId: string, answered: boolean): void;
}

export function createDispatcherCapacity(): DispatcherCapacity {
  const unresponsive = new Set<string>();
  return {
    left(underWay) {
      const held = Map.groupBy(underWay, (id) => id);
      const heldByUnresponsive = underWay.filter((id) => unresponsive.has(id)).length;
      const busy = [...held].filter(([id, { length }]) => unresponsive.has(id) || length > perAddressMax - claimMax);
      const others = heldByUnresponsive >= unresponsiveMax ? unresponsive : [];
      const free = Math.min(claimMax, slotsMax - underWay.length);
      return { free, busy: [...new Set([...busy.map(([id]) => id), ...others])] };
    },
    note(webhookId, answered) {
      unresponsive.delete(webhookId);
      if (answered) return;
      unresponsive.add(webhookId);
      const [oldest = ""] = unresponsive;
      if (unresponsive.size > rememberedMax) unresponsive.delete(oldest);
    },
  };
}
