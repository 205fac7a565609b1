import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** The secrets of one address, as they lie sealed in its row: the newest first. */
export interface SigningSecret {
  value: string;
  /** Null for the one in use; the one before it signs beside it until then. */
  until: string | null;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** "Two secrets while rotating": a third would be one that nobody knows about any more. */
export const rotate = (secrets: readonly SigningSecret[], value: string, oldUntil: string): SigningSecret[] => [
  { value, until: null },
  ...secrets.slice(0, 1).map((old) => ({ ...old, until: oldUntil })),
];

/** The headers of Standard Webhooks; each secret that still holds signs, and a receiver that knows one of them is content. */
export function signatureHeaders(
  secrets: readonly SigningSecret[],
  message: { id: string; body: string },
  now: Date,
): Record<string, string> {
  const holding = secrets.filter(({ until }) => until === null || until > now.toISOString());
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": holding.map(({ value }) => new Webhook(value).sign(message.id, now, message.body)).join(" "),
  };
}
