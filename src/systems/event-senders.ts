import type { EventSender, SignatureScheme } from "./events.ts";
import { eventSenders, type SystemId } from "./index.ts";

/** The events of all systems together. An agent has one address, and any system can send to it. */

/** How a sender signs that is none of the systems: as the first of them does. */
export const usualSignature: SignatureScheme = requireFirst().signature;

function requireFirst(): EventSender<SystemId> {
  const [first] = eventSenders;
  if (!first) throw new Error("No system sends events, so nothing says how a sender signs.");
  return first;
}

/** The sender of a request, by the header that has its signature; null without one. */
export function senderOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): { sender: EventSender<SystemId>; signed: { scheme: SignatureScheme; value: string } } | null {
  for (const sender of eventSenders) {
    const value = headers[sender.signature.header];
    if (typeof value === "string") return { sender, signed: { scheme: sender.signature, value } };
  }
  return null;
}

/** Our name for an event, or null. */
export function nameOfEvent(systemName: string): string | null {
  for (const { nameOf } of eventSenders) {
    const name = nameOf(systemName);
    if (name !== null) return name;
  }
  return null;
}

/** Why a rule cannot name this event, or null. */
export function refuseEventName(name: string): string | null {
  for (const { refuseName } of eventSenders) {
    const refusal = refuseName(name);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Our names for events, of all systems. */
export const eventNames: readonly string[] = eventSenders.flatMap(({ names }) => names);

/** The systems at which we can make webhooks. */
export const withWebhooks = eventSenders.filter(({ webhooks }) => webhooks !== null);

/** These systems in a sentence: "the deployment platform". */
export const sendersInText = withWebhooks.map(({ system }) => `the ${system.title.toLowerCase()}`).join(" or ");

/** "`x-signature` is the HMAC-SHA1 in hex": how a sender signs. */
export const signatureInText = `\`${usualSignature.header}\` is the HMAC-${usualSignature.hash.toUpperCase()} in hex`;
