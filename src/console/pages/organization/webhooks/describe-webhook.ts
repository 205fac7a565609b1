import type { InputOf, RecordOf } from "../../../../client/wire.ts";
import type { Tone } from "../../../ui/Notice.tsx";

/** Webhooks and deliveries as the API returns them, and how they read on screen. */

export type Webhook = RecordOf<"/latest/webhooks/list">;
export type Delivery = RecordOf<"/latest/webhooks/{webhook_id}/deliveries">;
export type EventName = NonNullable<InputOf<"/latest/webhooks/create">["events"]>[number];

/** What a change of a webhook makes stale. */
export const webhookReads = [
  "/latest/webhooks/list",
  "/latest/webhooks/{webhook_id}/get",
  "/latest/webhooks/{webhook_id}/deliveries",
] as const;

const events: Record<string, EventName[]> = {
  Runs: ["run.succeeded", "run.failed", "run.cancelled", "run.waiting", "run.outcome_unknown"],
  Accounts: ["connection.connected", "connection.updated", "connection.needs_reconnect", "connection.removed"],
  Limits: ["limit.exhausted"],
  People: [
    "invite.created",
    "invite.deleted",
    "invite.resent",
    "invite.accepted",
    "user.created",
    "user.role_changed",
    "user.removed",
    "user.deactivated",
    "user.reactivated",
    "user.deleted",
  ],
  "API keys": ["key.created", "key.revoked", "key.rerolled", "key.enabled"],
  Projects: ["project.created", "project.updated", "project.without_active_admin"],
  Webhooks: ["webhook.disabled"],
};

/** For a list to choose from, by kind. */
export const eventGroups = Object.entries(events).map(([group, items]) => ({ group, items }));

export const eventsOf = ({ events }: Webhook): string =>
  events.includes("*") ? "Every event" : events.length > 3 ? `${events.length} events` : events.join(", ");

export function stateOf({ status }: Webhook): { tone: Tone; text: string } {
  return status === "enabled" ? { tone: "good", text: "On" } : { tone: "warn", text: "Off" };
}

const deliveryStates: Record<Delivery["status"], { tone: Tone; text: string }> = {
  delivered: { tone: "good", text: "Delivered" },
  pending: { tone: "info", text: "Waiting" },
  failed: { tone: "bad", text: "Failed" },
};

export const deliveryState = ({ status }: Pick<Delivery, "status">) => deliveryStates[status];
