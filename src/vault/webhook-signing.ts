import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** The secrets of one address, newest first, as they are sealed in its row. */
export interface SigningSecret {
  value: string;
  /** Null for the current secret. The previous one also signs until this time. */
  until: string | null;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** "Two secrets while rotating": a third would be one that no receiver expects. */
export const rotate = (secrets: readonly SigningSecret[], value: string, oldUntil: string): SigningSecret[] => [
  { value, until: null },
  ...secrets.slice(0, 1).map((old) => ({ ...old, until: oldUntil })),
];

/** The headers of Standard Webhooks. Each valid secret signs, and a receiver accepts any one of them. */
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
