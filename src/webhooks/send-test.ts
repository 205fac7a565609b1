import type { Scope } from "../access/scope.ts";
import type { Db } from "../store/db.ts";
import { messageOf } from "./announce.ts";
import { type Delivery, insertDelivery, newDelivery } from "./deliveries.ts";
import { type SendPorts, sendDelivery } from "./send-delivery.ts";
import type { OutgoingWebhook } from "./webhooks.ts";

/** Sends one event at once, without the queue, because a person waits for the result. `save` stores it. */
export async function sendTest(
  scope: Scope,
  webhook: OutgoingWebhook,
  ports: Pick<SendPorts, "keys" | "outbound" | "inviteCodes">,
): Promise<{ delivery: Delivery; save(db: Db): Promise<void> }> {
  const { organizationId, projectId } = webhook;
  const now = scope.now();
  const data = { webhook_id: webhook.id, message: "It works." };
  const message = messageOf({ organizationId, projectId, type: "webhook.test", data, now }, scope.region);
  const owner = { organizationId, webhookId: webhook.id };
  const waiting = { ...newDelivery(scope.region, owner, message, now), sendAt: null, attempts: 1 };
  const tried = await sendDelivery(webhook, waiting, { ...ports, db: scope.db, now: scope.now });
  const at = scope.now().toISOString();
  const delivery: Delivery = {
    ...waiting,
    status: tried.delivered ? "delivered" : "failed",
    triedAt: at,
    deliveredAt: tried.delivered ? at : null,
    responseStatus: tried.responseStatus,
    problem: tried.problem,
  };
  return { delivery, save: (db) => insertDelivery(db, delivery) };
}
