import { Problem } from "../kernel/problem.ts";
import { appendAudit, lockChain } from "./audit.ts";
import { withdrawInvites } from "./invites.ts";
import { createKey, disableKeys, enableKeys, type NewKey } from "./keys.ts";
import { projectsResting } from "./members.ts";
import { findOrganization } from "./organizations.ts";
import type { AnyScope } from "./scope.ts";
import { findAccount, markActive, markDeactivated, type User } from "./users.ts";

export interface Deactivation {
  user: User;
  keysDeactivated: number;
  invitesWithdrawn: number;
  /** What the organization's owner now has to repair. */
  projectsWithoutAdmin: string[];
}

/**
 * "When a user is marked deactivated there, that user's accounts and API keys are deactivated immediately."
 * One transaction: once it is acknowledged, no request of theirs that starts later succeeds, on any node, because every
 * request reads the key and its owner. Never held up by being the last admin: a leaver with rights is worse than a
 * project that its organization's owner has to repair.
 */
export async function deactivateUser(scope: AnyScope, userId: string): Promise<Deactivation> {
  return scope.db.transaction(async (db) => {
    const { user, head } = await lockUser({ ...scope, db }, userId);
    if (!user.active) return { user, keysDeactivated: 0, invitesWithdrawn: 0, projectsWithoutAdmin: [] };
    const now = scope.now().toISOString();
    const projectsWithoutAdmin = await projectsResting(db, userId);
    await markDeactivated(db, userId, now);
    const done: Deactivation = {
      user: { ...user, active: false, deactivatedAt: now },
      keysDeactivated: await disableKeys(db, userId, now),
      invitesWithdrawn: await withdrawInvites({ ...scope, db }, userId, null),
      projectsWithoutAdmin,
    };
    await appendAudit({ ...scope, db }, head, {
      action: "user.deactivated",
      target: userId,
      details: {
        email: user.email,
        keys_deactivated: done.keysDeactivated,
        invites_withdrawn: done.invitesWithdrawn,
        projects_without_active_admin: projectsWithoutAdmin,
      },
    });
    return done;
  });
}

/**
 * Memberships were kept and live again. Old keys stay off until someone enables them, unless the organization wants them
 * restored; a fresh key lets the person in meanwhile.
 */
export async function reactivateUser(
  scope: AnyScope,
  userId: string,
): Promise<{ user: User; keysRestored: number; newKey: NewKey | null }> {
  return scope.db.transaction(async (db) => {
    const { user, head } = await lockUser({ ...scope, db }, userId);
    if (user.active) return { user, keysRestored: 0, newKey: null };
    const organization = await findOrganization(db, user.organizationId);
    await markActive(db, userId);
    const keysRestored = organization?.keysOnReactivation === "restore" ? await enableKeys(db, userId) : 0;
    const newKey = await createKey({ ...scope, db }, userId, { label: "after reactivation" });
    await appendAudit({ ...scope, db }, head, {
      action: "user.reactivated",
      target: userId,
      details: { email: user.email, keys_restored: keysRestored, key_id: newKey.key.id },
    });
    return { user: { ...user, active: true, deactivatedAt: null }, keysRestored, newKey };
  });
}

/** Reads the user, queues behind the organization's other writers, and reads again what they may have changed. */
async function lockUser(scope: AnyScope, userId: string) {
  const before = await findAccount(scope.db, userId);
  if (!before) throw new Problem("user_not_found", `No account ${userId} in the region ${scope.region}.`);
  const head = await lockChain(scope.db, before.organizationId);
  const user = await findAccount(scope.db, userId);
  if (!user) throw new Problem("user_not_found");
  return { user, head };
}
