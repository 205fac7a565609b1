import { giveWay } from "../kernel/work-in-slices.ts";
import type { Store } from "../store/db.ts";
import type { Slots } from "./dispatcher-capacity.ts";
import {
  fillInOwners,
  findDueOf,
  findOldestDue,
  findWaitingOrganizations,
  findWaitingWebhooks,
  hasUnowned,
  type Waiting,
} from "./due-deliveries.store.ts";

/** Which due deliveries are sent next. */
export interface DeliveryTurns {
  /** Ids of due deliveries for which there are slots. */
  find(now: string, slots: Slots): Promise<string[]>;
}

/** With fewer due deliveries, all of them are looked at. With more, organizations and their webhooks take turns. */
const seenMax = 100;
const pageMax = 100;
/** An organization with more webhooks than in these pages continues with the next ones when somebody wakes the dispatcher. */
const webhookPagesMax = 20;
const organizationsMax = 1000;
const ownersAtOnce = 500;

export function createDeliveryTurns(store: Store): DeliveryTurns {
  let lastOrganization = "";
  const lastWebhooks = new Map<string, string>();

  function note(organizationId: string, webhookId: string): void {
    lastWebhooks.delete(organizationId);
    lastWebhooks.set(organizationId, webhookId);
    const [oldest = ""] = lastWebhooks.keys();
    if (lastWebhooks.size > organizationsMax) lastWebhooks.delete(oldest);
  }

  async function findInTurn(now: string, slots: Slots): Promise<string[]> {
    const turn = giveWay();
    const found: string[] = [];
    const isWaiting = ({ id, sendAt }: Waiting) => sendAt <= now && slots.hasRoomFor(id);
    for await (const page of inTurn(lastOrganization, (after) => findWaitingOrganizations(store, after, pageMax))) {
      const organizations = page.filter(isWaiting);
      for (const { id } of organizations) {
        lastOrganization = id;
        found.push(...(await findOf(id, now, slots, partOf(slots.free, organizations), turn)));
        if (found.length >= slots.free) return found;
        await turn();
      }
      await turn();
    }
    return found;
  }

  /** Due deliveries of one organization. Its webhooks take turns, too. */
  async function findOf(
    organizationId: string,
    now: string,
    slots: Slots,
    wanted: number,
    turn: () => Promise<void> | undefined,
  ): Promise<string[]> {
    const found: string[] = [];
    const read = (after: string) => findWaitingWebhooks(store, organizationId, after, pageMax);
    let pages = 0;
    for await (const page of inTurn(lastWebhooks.get(organizationId) ?? "", read)) {
      const webhooks = page.filter(
        ({ id, sendAt }) => sendAt <= now && slots.hasRoom({ organizationId, webhookId: id }),
      );
      for (const { id: webhookId } of webhooks) {
        note(organizationId, webhookId);
        const owner = { organizationId, webhookId };
        const due = await findDueOf(store, owner, now, partOf(wanted, webhooks));
        found.push(...due.filter(() => slots.take(owner)));
        if (found.length >= wanted) return found;
      }
      const last = page.at(-1);
      if (++pages === webhookPagesMax && last) {
        note(organizationId, last.id);
        return found;
      }
      await turn();
    }
    return found;
  }

  return {
    async find(now, slots) {
      const oldest = await findOldestDue(store, now, seenMax);
      if (oldest.length < seenMax) return oldest.filter(slots.take).map(({ id }) => id);
      if (await hasUnowned(store)) await store.transaction((db) => fillInOwners(db, ownersAtOnce));
      return findInTurn(now, slots);
    },
  };
}

/** What each of them may have at once. */
const partOf = (count: number, among: readonly unknown[]): number => Math.max(1, Math.floor(count / among.length));

/** Pages of what comes after `last`, and then of the rest, from the beginning to `last`. */
async function* inTurn(last: string, read: (after: string) => Promise<Waiting[]>): AsyncGenerator<Waiting[]> {
  for (let after = last, hasMore = true; hasMore; ) {
    const page = await read(after);
    yield page;
    after = page.at(-1)?.id ?? "";
    hasMore = page.length === pageMax;
  }
  for (let after = "", hasMore = last !== ""; hasMore; ) {
    const page = await read(after);
    const rest = page.filter(({ id }) => id <= last);
    yield rest;
    after = page.at(-1)?.id ?? "";
    hasMore = rest.length === pageMax;
  }
}
