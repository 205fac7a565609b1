import { Problem } from "../kernel/problem.ts";
import { nextTurn } from "../kernel/work-in-slices.ts";
import { deleteOpenCodesOf } from "./assistants/oauth-grants.ts";
import { appendAudit, lockChain } from "./audit/audit.ts";
import { createKey, disableKeysOf, enableKeysOf, type NewKey } from "./callers/keys.ts";
import { endSessionsOf } from "./callers/sessions.ts";
import { withdrawInvites } from "./invites.ts";
import { findOrganization } from "./organizations.ts";
import { projectsLeftWithoutAdmin } from "./project-members.ts";
import type { AnyScope } from "./scope.ts";
import { findUser, isRemoved, markActive, markDeactivated, type User } from "./users.ts";

/** A person can leave very many projects behind. So many are announced in one turn of the event loop. */
const announcedAtOnce = 50;

export interface Deactivation {
  user: User;
  keysDeactivated: number;
  sessionsEnded: number;
  invitesWithdrawn: number;
  /** The organization's owner has to give each of them a new admin. */
  projectsWithoutAdmin: string[];
}

/**
 * "When a user is marked deactivated there, that user's accounts and API keys are deactivated immediately." Runs in the
 * caller's transaction. After its commit, no later request of the user succeeds on any node, because every request
 * reads the key or session and its owner. It also applies to the last admin of a project: a former employee with access
 * is worse than a project that the organization's owner has to repair. Repeating it has no effect.
 */
export async function deactivate(scope: AnyScope, user: User): Promise<Deactivation> {
  const { db } = scope;
  const nothing = { keysDeactivated: 0, sessionsEnded: 0, invitesWithdrawn: 0, projectsWithoutAdmin: [] };
  if (!user.active) return { user, ...nothing };
  const now = scope.now().toISOString();
  const projectsWithoutAdmin = await projectsLeftWithoutAdmin(db, user.id);
  await markDeactivated(db, user.id, now);
  // A code for an assistant becomes a key. One that outlived the deactivation would make a key that is not disabled.
  await deleteOpenCodesOf(db, user.id, now);
  // No actor changed the project, so this is announced to webhooks but has no audit row of its own: the user's row
  // lists the projects.
  for (const [index, projectId] of projectsWithoutAdmin.entries()) {
    if (index % announcedAtOnce === announcedAtOnce - 1) await nextTurn();
    const entry = {
      action: "project.without_active_admin",
      target: projectId,
      projectId,
      details: { user_id: user.id },
    };
    await scope.announce(scope, user.organizationId, entry);
  }
  return {
    user: { ...user, active: false, deactivatedAt: now },
    keysDeactivated: await disableKeysOf(db, user.id, now),
    sessionsEnded: await endSessionsOf(db, user.id, now),
    invitesWithdrawn: await withdrawInvites(db, user.id, null),
    projectsWithoutAdmin,
  };
}

/** Details for the audit log and webhooks. */
export const deactivationDetails = (done: Deactivation) => ({
  email: done.user.email,
  keys_deactivated: done.keysDeactivated,
  sessions_ended: done.sessionsEnded,
  invites_withdrawn: done.invitesWithdrawn,
  projects_without_active_admin: done.projectsWithoutAdmin,
});

/** Runs `deactivate` in a transaction of its own, with an audit row. */
export async function deactivateUser(base: AnyScope, userId: string): Promise<Deactivation> {
  return base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const { user, head } = await lockUser(scope, userId);
    const done = await deactivate(scope, user);
    if (!user.active) return done;
    await appendAudit(scope, head, { action: "user.deactivated", target: userId, details: deactivationDetails(done) });
    return done;
  });
}

/**
 * Restores access: memberships were kept. Old keys stay disabled until enabled one by one, unless the organization
 * restores them.
 */
export async function reactivate(scope: AnyScope, user: User): Promise<{ user: User; keysRestored: number }> {
  if (user.active) return { user, keysRestored: 0 };
  const organization = await findOrganization(scope.db, user.organizationId);
  await markActive(scope.db, user.id);
  const keysRestored = organization?.keysOnReactivation === "restore" ? await enableKeysOf(scope.db, user.id) : 0;
  return { user: { ...user, active: true, deactivatedAt: null }, keysRestored };
}

/** For the operator: also creates a new key, so that the person has access at once. */
export async function reactivateUser(
  base: AnyScope,
  userId: string,
): Promise<{ user: User; keysRestored: number; newKey: NewKey | null }> {
  return base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const { user, head } = await lockUser(scope, userId);
    if (await isRemoved(db, userId)) {
      throw new Problem(
        "user_not_found",
        "The organization's directory has deleted this person: only the directory can add them again.",
      );
    }
    const done = await reactivate(scope, user);
    if (user.active) return { ...done, newKey: null };
    const newKey = await createKey(scope, userId, { label: "after reactivation" });
    await appendAudit(scope, head, {
      action: "user.reactivated",
      target: userId,
      details: { email: user.email, keys_restored: done.keysRestored, key_id: newKey.key.id },
    });
    return { ...done, newKey };
  });
}

/** Reads the user, takes the organization's lock, and reads the user again: another writer may have changed them. */
async function lockUser(scope: AnyScope, userId: string) {
  const before = await findUser(scope.db, userId);
  if (!before) throw new Problem("user_not_found", `No account ${userId} in the region ${scope.region}.`);
  const head = await lockChain(scope.db, before.organizationId);
  const user = await findUser(scope.db, userId);
  if (!user) throw new Problem("user_not_found");
  return { user, head };
}
