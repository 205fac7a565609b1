import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { traceToKeep } from "../kernel/tracing.ts";
import type { Db } from "../store/db.ts";
import { type Delivery, requeueFailed, requeueOne } from "./deliveries.store.ts";
import type { OutgoingWebhook } from "./webhooks.ts";

export {
  claimDeliveries,
  type Delivery,
  type DeliveryStatus,
  deleteDeliveriesOf,
  failPending,
  findFailures,
  hasArrivedSince,
  hasDueDelivery,
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

export const newDelivery = (region: Region, webhookId: string, message: Message, now: Date): Delivery => ({
  id: newId("delivery", region),
  webhookId,
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

/** Queues one delivery again, or all that failed since a time, as after an outage. */
export async function replayDeliveries(
  db: Db,
  webhook: OutgoingWebhook,
  which: { deliveryId: string } | { failedSince: string },
  now: Date,
): Promise<number> {
  if (webhook.status === "disabled") throw new Problem("webhook_disabled");
  const at = now.toISOString();
  if ("failedSince" in which) return requeueFailed(db, webhook.id, which.failedSince, at);
  if (await requeueOne(db, webhook.id, which.deliveryId, at)) return 1;
  throw new Problem("delivery_not_found");
}
