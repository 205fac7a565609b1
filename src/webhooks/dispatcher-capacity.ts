/** How many deliveries are under way at once, and how organizations and addresses share them. */

const slotsMax = 50;
/** The share of free slots that one organization may take, so that the next organization finds some. */
const share = 3 / 4;
/** The minimum of each organization, whatever the others take. */
const organizationMin = 2;
/** A slow address with many deliveries must not take the whole share of its organization. */
const perAddressMax = 10;
/** How many are claimed together. */
const claimMax = 5;
/** Addresses that did not respond last time hold a slot until the time-out, so half of the slots are not for them. */
const unresponsiveMax = 25;
/** How many unresponsive webhooks are remembered. */
const rememberedMax = 1000;

/** Whose a delivery is. */
export interface Owner {
  organizationId: string;
  webhookId: string;
}

/** The free slots at one moment. */
export interface Slots {
  /** How many deliveries may be claimed now. */
  readonly free: number;
  hasRoomFor(organizationId: string): boolean;
  hasRoom(owner: Owner): boolean;
  /** The same; a delivery that has room takes its slot. */
  take(owner: Owner): boolean;
}

export interface DispatcherCapacity {
  slots(underWay: readonly Owner[]): Slots;
  /** Records whether the webhook's address responded at all. */
  note(webhookId: string, answered: boolean): void;
}

export function createDispatcherCapacity(): DispatcherCapacity {
  const unresponsive = new Set<string>();
  return {
    slots(underWay) {
      const all = createShares(slotsMax);
      const slow = createShares(unresponsiveMax);
      const byWebhook = new Map<string, number>();
      const hold = ({ organizationId, webhookId }: Owner): void => {
        byWebhook.set(webhookId, (byWebhook.get(webhookId) ?? 0) + 1);
        all.hold(organizationId);
        if (unresponsive.has(webhookId)) slow.hold(organizationId);
      };
      for (const each of underWay) hold(each);
      const hasRoom = ({ organizationId, webhookId }: Owner): boolean => {
        const held = byWebhook.get(webhookId) ?? 0;
        if (held >= perAddressMax || all.isFull(organizationId)) return false;
        // While an address that did not respond is being tried, it gets no second slot.
        return (
          !unresponsive.has(webhookId) || (held === 0 && slow.size() < unresponsiveMax && !slow.isFull(organizationId))
        );
      };
      return {
        free: Math.min(claimMax, slotsMax - underWay.length),
        hasRoomFor: (organizationId) => !all.isFull(organizationId),
        hasRoom,
        take(owner) {
          if (!hasRoom(owner)) return false;
          hold(owner);
          return true;
        },
      };
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

/** Who holds how many of a number of slots, and whether that is their share. */
function createShares(capacity: number) {
  const byOrganization = new Map<string, number>();
  let size = 0;
  return {
    size: () => size,
    hold(organizationId: string): void {
      byOrganization.set(organizationId, (byOrganization.get(organizationId) ?? 0) + 1);
      size++;
    },
    isFull(organizationId: string): boolean {
      const own = byOrganization.get(organizationId) ?? 0;
      return own >= Math.max(organizationMin, Math.floor((capacity - (size - own)) * share));
    },
  };
}
