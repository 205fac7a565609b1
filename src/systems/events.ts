import type { Step, System } from "./define.ts";
import type { Work } from "./work.ts";

/** Events that a system sends by itself, to the address of an agent. */

/** The header that has the HMAC of the body's bytes, in hex. */
export interface SignatureScheme {
  /** In lower case. */
  header: string;
  hash: "sha1" | "sha256";
}

export interface SystemEvents {
  signature: SignatureScheme;
  /** Our names for its events. Rules can also use the system's own names. */
  names: readonly string[];
  /** Our name for an event of the system; null for all other events. */
  nameOf(systemName: string): string | null;
  /** Why a rule cannot name this event, or null. Other senders have names of their own, which a rule may use. */
  refuseName(name: string): string | null;
  /** When the system sent it, in milliseconds; null if the event does not say so. */
  sentAt(event: Record<string, unknown>): number | null;
  /** The key of the shared grant (`SignIn.sharedGrant`) that the event reports as ended; null for every other event. */
  endedGrant(event: Record<string, unknown>): string | null;
  /** Null if we cannot make webhooks there: a person makes them by hand. */
  webhooks: SystemWebhooks | null;
}

/** An account's webhooks at the system, which we make through its connection. The system creates a secret for each. */
export interface SystemWebhooks {
  /** Its policy and limits apply to these calls. */
  step: Step;
  /** The default events, by the system's names. */
  usualEvents: readonly string[];
  /** The system's name for an event of a rule. */
  systemName(name: string): string;
  /** Replaces the webhooks that exist at this address. Safe to call twice. */
  register(url: string, events: readonly string[], projectIds: readonly string[]): Work<RegisteredWebhook>;
  unregister(id: string): Work<void>;
  /** Also removes webhooks that we no longer know of. */
  unregisterAt(url: string): Work<void>;
}

export interface RegisteredWebhook {
  id: string;
  secret: string;
  /** The earlier webhooks of this address, now removed. */
  replaced: string[];
}

export interface EventSender<Id extends string = string> extends SystemEvents {
  system: System<Id>;
}
