import { actorIdOf } from "../access/audit/audit.ts";
import { projectsOfMember } from "../access/projects.ts";
import type { Announce } from "../access/scope.ts";
import { announce, announceInProjects } from "./announce.ts";
import { eventOfChange, isAccountEvent } from "./event-types.ts";

/**
 * Announces each change of the audit log to webhooks, in the same transaction. A change of an account concerns every
 * project that the person is in. `wake` is for a process that sends; the dispatchers of others poll.
 */
export const announceChanges =
  (wake: (() => void) | null): Announce =>
  async (scope, organizationId, entry) => {
    const type = eventOfChange(entry.action);
    if (type === null) return;
    const { db, now } = scope;
    const projectId = entry.projectId === undefined ? scope.projectId : entry.projectId;
    const data = { target: entry.target ?? null, by: actorIdOf(scope.actor), details: entry.details ?? {} };
    const announcement = { organizationId, type, data, now: now() };
    let count = await announce(db, { ...announcement, projectId });
    if (isAccountEvent(type) && projectId === null && entry.target) {
      count += await announceInProjects(db, announcement, await projectsOfMember(db, entry.target));
    }
    if (count > 0 && wake) scope.afterCommit(wake);
  };
