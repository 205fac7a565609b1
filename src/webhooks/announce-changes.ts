import { actorIdOf } from "../access/audit/audit.ts";
import { projectsOfMember } from "../access/projects.ts";
import type { Announce } from "../access/scope.ts";
import { announce, announceInProject } from "./announce.ts";
import { eventOfChange, isOfAccount } from "./event-types.ts";

/**
 * What the audit log keeps of a change, the webhooks are told, in the same transaction. What becomes of an account concerns
 * every project that the person is in. `wake` is for a process that sends; another's queue looks by itself soon after.
 */
export const tellOfChanges =
  (wake: (() => void) | null): Announce =>
  async (scope, organizationId, entry) => {
    const type = eventOfChange(entry.action);
    if (type === null) return;
    const { db, now } = scope;
    const projectId = entry.projectId === undefined ? scope.projectId : entry.projectId;
    const data = { target: entry.target ?? null, by: actorIdOf(scope.actor), details: entry.details ?? {} };
    const told = { organizationId, type, data, now: now() };
    let count = await announce(db, { ...told, projectId });
    if (isOfAccount(type) && projectId === null && entry.target) {
      for (const each of await projectsOfMember(db, entry.target)) {
        count += await announceInProject(db, { ...told, projectId: each });
      }
    }
    if (count > 0 && wake) scope.afterCommit(wake);
  };
