import { mark, type Work } from "../kernel/loop-watch.ts";
import type { Db } from "../store/db.ts";
import { addressRefused, isAddressRefused } from "../transport/address-guard.ts";
import { type Outbound, SendFailed } from "../transport/outbound.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { signatureHeaders } from "../vault/signing-secrets.ts";
import type { Delivery } from "./deliveries.ts";
import { askedPause } from "./retry.ts";
import { placeOf } from "./webhook-url.ts";
import { type OutgoingWebhook, openSecrets } from "./webhooks.ts";

export interface SendPorts {
  db: Db;
  keys: DataKeys;
  outbound: Outbound;
  now: () => Date;
}

/** How one try went. */
export interface Tried {
  delivered: boolean;
  /** "410 Gone": whoever answers so never wants to hear from us again. */
  gone: boolean;
  responseStatus: number | null;
  problem: string | null;
  /** How long the receiver asks us to stay away. */
  askedSeconds: number;
}

/** A receiver notes what it is told and works afterwards; one that thinks longer than this is doing it the other way round. */
const patienceMilliseconds = 15_000;

/** For the watch of the event loop. */
export const workOf = ({ organizationId, projectId }: OutgoingWebhook): Work => ({
  operation: "webhook delivery",
  organizationId,
  projectId: projectId ?? undefined,
});

export async function sendDelivery(webhook: OutgoingWebhook, delivery: Delivery, ports: SendPorts): Promise<Tried> {
  const { db, keys, outbound, now } = ports;
  const secrets = await openSecrets(db, webhook, keys);
  mark("a delivery", workOf(webhook));
  const signed = signatureHeaders(secrets, { id: delivery.eventId, body: delivery.body }, now());
  try {
    const { status, headers } = await outbound.send({
      ...placeOf(webhook.url),
      principal: { organizationId: webhook.organizationId },
      method: "POST",
      headers: { "content-type": "application/json", ...signed },
      body: delivery.body,
      totalMilliseconds: patienceMilliseconds,
      isHeadersOnly: true,
      work: workOf(webhook),
    });
    const delivered = status >= 200 && status < 300;
    return {
      delivered,
      gone: status === 410,
      responseStatus: status,
      problem: delivered ? null : `The address answered ${status}.`,
      askedSeconds: askedPause(headers["retry-after"], now()),
    };
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    // Redirects are not followed; the rest never came to an answer. All are tried again alike.
    const problem = isAddressRefused(error) ? addressRefused("webhooks") : error.message;
    return { delivered: false, gone: false, responseStatus: null, problem, askedSeconds: 0 };
  }
}
