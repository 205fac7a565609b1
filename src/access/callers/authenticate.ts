import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import type { Role } from "../permissions.ts";
import type { OrganizationRole, Person } from "../scope.ts";
import { findKeyHolder, findSessionHolder, type KeyHolderRow } from "./authenticate.store.ts";
import type { Credentials } from "./authorization-header.ts";
import { roleOfCaller } from "./effective-role.ts";
import { idleSince } from "./sessions.ts";

export interface Authenticated {
  actor: Person;
  /** The caller's role in the project of the call, or null. */
  role: Role | null;
}

/** Returns the owner of a key or session, and their current role in `projectId`. */
export async function authenticate(
  db: Pick<Db, "query">,
  { by, keyHash }: Pick<Credentials, "by" | "keyHash">,
  projectId: string | null,
  now: Date,
  allowed: { enrolling?: boolean | undefined } = {},
): Promise<Authenticated> {
  if (by === "session") {
    const who = await authenticateSession(db, keyHash, projectId, now);
    if (who.actor.enrolling && !allowed.enrolling) throw new Problem("second_factor_required");
    return who;
  }
  const row = await findKeyHolder(db, keyHash, projectId);
  if (!row) throw new Problem("credentials_invalid");
  refuseUnusableKey(row, now);
  const actor = toPerson(row, "key", null);
  return { actor, role: roleInProject(actor, row) };
}

/** Reads the session on every request too, so that a deactivation or a sign-out elsewhere applies to the next one. */
async function authenticateSession(
  db: Pick<Db, "query">,
  hash: string,
  projectId: string | null,
  now: Date,
): Promise<Authenticated> {
  const row = await findSessionHolder(db, hash, projectId);
  if (!row) throw new Problem("session_ended");
  if (row.active === 0) throw new Problem("owner_deactivated", "This account is deactivated.");
  const isOver = row.revoked_at !== null || row.expires_at <= now.toISOString() || row.last_seen_at <= idleSince(now);
  if (isOver) throw new Problem("session_ended");
  const actor = toPerson(row, "session", row.confirmed_at);
  if (row.enrolling === 1) actor.enrolling = true;
  return { actor, role: roleInProject(actor, row) };
}

// Only the holder of the secret sees these errors, so they may be specific.
function refuseUnusableKey(row: KeyHolderRow, now: Date): void {
  if (row.revoked_at !== null) throw new Problem("key_revoked");
  if (row.active === 0) throw new Problem("owner_deactivated", "The person who owns this key is deactivated.");
  if (row.disabled_at !== null) throw new Problem("owner_deactivated");
  if (row.expires_at !== null && row.expires_at <= now.toISOString()) throw new Problem("key_expired");
}

const toPerson = (row: KeyHolderRow, by: Person["by"], confirmedAt: string | null): Person => ({
  kind: "person",
  userId: row.user_id,
  email: row.email,
  organizationId: row.organization_id,
  organizationRole: row.organization_role as OrganizationRole,
  keyId: row.key_id,
  by,
  confirmedAt,
  keyProjectIds: row.project_ids === null ? null : (JSON.parse(row.project_ids) as string[]),
  keyMaxRole: row.max_role as Role | null,
});

/** Returns null if the project belongs to another organization or is not one of the key's. */
function roleInProject(actor: Person, row: KeyHolderRow): Role | null {
  if (row.project_id === null) return null;
  if (actor.keyProjectIds && !actor.keyProjectIds.includes(row.project_id)) return null;
  return roleOfCaller(actor, row.role as Role | null);
}
