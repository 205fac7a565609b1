/** The events that Signalbox sends. A type is a promise to receivers: it never changes its meaning. */
export const eventTypes = {
  "invite.created": "A person was invited to a project, or joined it at once as a member of the organization",
  "invite.deleted": "An open invite was withdrawn",
  "invite.resent": "The mail of an invite was sent again",
  "invite.accepted": "An invited person joined",
  "user.created": "An account was created",
  "user.role_changed": "A person's permissions in a project were changed",
  "user.removed": "A person was removed from a project",
  "user.deactivated": "A person was deactivated, and all their keys with them",
  "user.reactivated": "A person was reactivated",
  "user.deleted": "A person was deleted at the organization's directory, and all their keys revoked",
  "key.created": "An API key was created",
  "key.revoked": "An API key was revoked",
  "key.rerolled": "An API key was replaced",
  "key.enabled": "An API key that was deactivated with its owner was enabled",
  "project.created": "A project was created",
  "project.updated": "A project's name or description was changed",
  "project.without_active_admin":
    "The last active admin of a project was deactivated: the organization's owner must make another person admin",
  "connection.connected": "An account was connected, or reconnected",
  "connection.updated": "A connection's label, limits or policy were changed",
  "connection.needs_reconnect": "The grant of a connection was lost",
  "connection.removed": "A connection was removed",
  "run.succeeded": "A run succeeded",
  "run.failed": "A run failed",
  "run.cancelled": "A run was cancelled",
  "run.waiting": "A run waits for a person",
  "run.outcome_unknown": "A write was sent and its response was lost: a person must report what happened",
  "limit.exhausted": "A limit of an external system is used up",
  "webhook.disabled": "A webhook was disabled, because its address is gone or has not responded for three days",
  "webhook.test": "A test, sent on request",
} as const;

export type EventType = keyof typeof eventTypes;

/** An account belongs to no single project: every project of the person gets these events. */
export const isAccountEvent = (type: EventType): boolean =>
  ["user.created", "user.deactivated", "user.reactivated", "user.deleted"].includes(type);

/** A webhook with this type receives every event, including types that are added later. */
export const everything = "*";

/** A test is sent on request, whatever the webhook subscribes to. */
export const subscribable = [
  everything,
  ...(Object.keys(eventTypes) as EventType[]).filter((type) => type !== "webhook.test"),
] as const;

// The audit log names the call, an event names its result.
const renamedActions: Readonly<Record<string, EventType>> = { "connection.connect": "connection.connected" };

// Announced elsewhere: a test goes to one address alone; accepting an invite changes another organization, which is
// informed there; and a run may stop long after its cancellation, so its end is announced.
const announcedElsewhere: readonly string[] = ["webhook.test", "invite.accepted", "run.cancelled"];

/** The event of an audited change, or null if there is none. */
export function eventOfChange(action: string): EventType | null {
  const type = renamedActions[action] ?? action;
  return Object.hasOwn(eventTypes, type) && !announcedElsewhere.includes(type) ? (type as EventType) : null;
}
