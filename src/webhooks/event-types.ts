/** What Signalbox tells others about. A type is a promise to receivers: it never changes its meaning. */
export const eventTypes = {
  "invite.created": "A person was invited to a project, or joined it at once as a member of the organization",
  "invite.deleted": "An open invite was withdrawn",
  "invite.resent": "The mail of an invite was sent again",
  "invite.accepted": "An invited person joined",
  "user.created": "An account was made",
  "user.role_changed": "A person's permissions in a project were changed",
  "user.removed": "A person was removed from a project",
  "user.deactivated": "A person was deactivated, and all their keys with them",
  "user.reactivated": "A person was reactivated",
  "user.deleted": "A person was deleted at the organization's directory, and all their keys revoked",
  "key.created": "An API key was made",
  "key.revoked": "An API key was revoked",
  "key.rerolled": "An API key got a successor",
  "key.enabled": "An API key that was off with its owner works again",
  "project.created": "A project was made",
  "project.updated": "A project's name or description was changed",
  "project.without_active_admin":
    "The last active admin of a project was deactivated: the organization's owner has to repair it",
  "connection.connected": "An account was connected, or reconnected",
  "connection.updated": "A connection's label, limits or policy were changed",
  "connection.needs_reconnect": "The grant of a connection was lost",
  "connection.removed": "A connection was removed",
  "run.succeeded": "A run ended well",
  "run.failed": "A run failed",
  "run.cancelled": "A run was cancelled",
  "run.waiting": "A run waits for a person",
  "run.outcome_unknown": "A write was sent and its answer never came: a person has to say what happened",
  "limit.exhausted": "A limit of an external system is used up",
  "webhook.disabled": "A webhook was disabled, because its address is gone or did not answer for three days",
  "webhook.test": "A test, sent because somebody asked for it",
} as const;

export type EventType = keyof typeof eventTypes;

/** What becomes of an account is no project's own: everyone hears of it where the person is. */
export const isOfAccount = (type: EventType): boolean =>
  ["user.created", "user.deactivated", "user.reactivated", "user.deleted"].includes(type);

/** Whoever subscribes to this one hears everything, also what is added later. */
export const everything = "*";

/** The test goes to whom it was asked for, whatever they subscribed to. */
export const subscribable = [
  everything,
  ...(Object.keys(eventTypes) as EventType[]).filter((type) => type !== "webhook.test"),
] as const;

// The audit log speaks of the call, an event of what has become of it.
const otherWords: Readonly<Record<string, EventType>> = { "connection.connect": "connection.connected" };

// The test is told to one address alone; who accepts an invite changes another organization than their own, and tells it
// there; and who cancels a run may only have asked for it: it is told of when it has ended.
const toldElsewhere: readonly string[] = ["webhook.test", "invite.accepted", "run.cancelled"];

/** The event that a change in the audit log is told as, or null where nobody is told. */
export function eventOfChange(action: string): EventType | null {
  const type = otherWords[action] ?? action;
  return Object.hasOwn(eventTypes, type) && !toldElsewhere.includes(type) ? (type as EventType) : null;
}
