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
      const details = detailsForProject(data.details);
      const dataFor = (id: string) => ({ ...data, details: details(id) });
      count += await announceInProjects(db, announcement, await projectsOfMember(db, entry.target), dataFor);
    }
    if (count > 0 && wake) scope.afterCommit(wake);
  };

/**
 * The admins of a project know who is in it, and nothing of the account beyond: neither the person's other projects nor
 * their keys, sessions and providers. The organization's own webhooks receive all details.
 */
function detailsForProject(details: Record<string, unknown>): (projectId: string) => Record<string, unknown> {
  const { email, projects_without_active_admin: listed } = details;
  const known = email === undefined ? {} : { email };
  if (!Array.isArray(listed)) return () => known;
  // A person can leave very many projects behind, and each has its own event.
  const left = new Set(listed);
  return (id) => ({ ...known, projects_without_active_admin: left.has(id) ? [id] : [] });
}
