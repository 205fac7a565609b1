import type { InviteCodes } from "../access/invite-code-port.ts";
import { mark, type Work } from "../kernel/loop-watch.ts";
import type { Db } from "../store/db.ts";
import { addressRefused, isAddressRefused } from "../transport/address-guard.ts";
import { type Outbound, SendFailed } from "../transport/outbound.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { signatureHeaders } from "../vault/webhook-signing.ts";
import type { Delivery } from "./deliveries.ts";
import { readRetryAfter } from "./retry-times.ts";
import { shownBody } from "./shown-body.ts";
import { targetOf } from "./webhook-url.ts";
import { type OutgoingWebhook, openSecrets } from "./webhooks.ts";

export interface SendPorts {
  db: Db;
  keys: DataKeys;
  outbound: Outbound;
  inviteCodes: Pick<InviteCodes, "shown">;
  now: () => Date;
}

/** The result of one attempt. */
export interface AttemptResult {
  delivered: boolean;
  /** "410 Gone": the address wants no more events. */
  gone: boolean;
  responseStatus: number | null;
  problem: string | null;
  /** From `Retry-After`. */
  retryAfterSeconds: number;
}

/** A receiver should store the event, respond, and process it afterwards, so a longer time-out is of no use. */
const timeoutMilliseconds = 15_000;

/** For the watch of the event loop. */
export const workOf = ({ organizationId, projectId }: OutgoingWebhook): Work => ({
  operation: "webhook delivery",
  organizationId,
  projectId: projectId ?? undefined,
});

export async function sendDelivery(
  webhook: OutgoingWebhook,
  delivery: Delivery,
  ports: SendPorts,
): Promise<AttemptResult> {
  const { db, keys, outbound, now } = ports;
  const secrets = await openSecrets(db, webhook, keys);
  mark("a delivery", workOf(webhook));
  const body = shownBody(delivery, ports.inviteCodes);
  const signed = signatureHeaders(secrets, { id: delivery.eventId, body }, now());
  try {
    const { status, headers } = await outbound.send({
      ...targetOf(webhook.url),
      principal: { organizationId: webhook.organizationId },
      method: "POST",
      headers: { "content-type": "application/json", ...signed },
      body,
      totalMilliseconds: timeoutMilliseconds,
      isHeadersOnly: true,
      work: workOf(webhook),
    });
    const delivered = status >= 200 && status < 300;
    return {
      delivered,
      gone: status === 410,
      responseStatus: status,
      problem: delivered ? null : `The address returned ${status}.`,
      retryAfterSeconds: readRetryAfter(headers["retry-after"], now()),
    };
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    // Redirects are not followed; other failures got no response. All are retried alike.
    const problem = isAddressRefused(error) ? addressRefused("webhooks") : error.message;
    return { delivered: false, gone: false, responseStatus: null, problem, retryAfterSeconds: 0 };
  }
}
