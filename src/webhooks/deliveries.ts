import { idAt, newId, regionOfId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { traceToKeep } from "../kernel/tracing.ts";
import { turnAlone } from "../kernel/work-in-slices.ts";
import type { Db } from "../store/db.ts";
import { type Delivery, readFailedPart, requeueOne } from "./deliveries.store.ts";
import { requeueFailed } from "./delivery-jobs.ts";
import type { Owner } from "./dispatcher-capacity.ts";
import type { OutgoingWebhook } from "./webhooks.ts";

export {
  type Delivery,
  type DeliveryStatus,
  findFailures,
  hasArrivedSince,
  insertDelivery,
  listDeliveries,
  readBacklog,
  settleDelivery,
} from "./deliveries.store.ts";

/** An event as it is sent to every webhook. */
export interface Message {
  id: string;
  type: string;
  body: string;
}

export const newDelivery = (region: Region, owner: Owner, message: Message, now: Date): Delivery => ({
  id: newId("delivery", region),
  organizationId: owner.organizationId,
  webhookId: owner.webhookId,
  eventId: message.id,
  type: message.type,
  body: message.body,
  status: "pending",
  attempts: 0,
  sendAt: now.toISOString(),
  claim: 0,
  responseStatus: null,
  problem: null,
  createdAt: now.toISOString(),
  triedAt: null,
  deliveredAt: null,
  trace: traceToKeep() ?? null,
});

/** How many deliveries are counted in one turn of the event loop. */
const countedAtOnce = 2000;
/** Clocks of nodes differ, and an id has the time of the node's own. */
const toleranceMilliseconds = 86_400_000;

/** Ids begin with their time: the failed deliveries that are announced since then come after this one. */
function beginningOf(webhookId: string, since: string): string {
  const region = regionOfId(webhookId);
  return since === "" || region === null
    ? ""
    : idAt("delivery", region, new Date(Math.max(0, Date.parse(since) - toleranceMilliseconds)));
}

/** How many deliveries failed, of those that were announced since then. Called outside of a transaction. */
export async function countFailed(db: Db, webhookId: string, since: string): Promise<number> {
  let count = 0;
  for (let after = beginningOf(webhookId, since); ; ) {
    const { size, wanted, last } = await readFailedPart(db, webhookId, since, after, countedAtOnce);
    count += wanted;
    if (size < countedAtOnce) return count;
    after = last;
    await turnAlone();
  }
}

/**
 * Queues one delivery again, or all that failed since a time, as after an outage. If these are many, the first are queued now, and the
 * rest soon after: `failed` says how many there are.
 */
export async function replayDeliveries(
  db: Db,
  webhook: OutgoingWebhook,
  which: { deliveryId: string } | { failedSince: string; failed: number },
  now: Date,
): Promise<number> {
  if (webhook.status === "disabled") throw new Problem("webhook_disabled");
  const at = now.toISOString();
  if ("failedSince" in which) {
    const since = which.failedSince;
    const owner = { organizationId: webhook.organizationId, webhookId: webhook.id };
    const { queued, isAll } = await requeueFailed(db, owner, { since, after: beginningOf(webhook.id, since) }, at);
    return isAll ? queued : Math.max(queued, which.failed);
  }
  if (await requeueOne(db, webhook.id, which.deliveryId, at)) return 1;
  throw new Problem("delivery_not_found");
}
