import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { type Role, rankOf } from "../permissions.ts";
import { findMember } from "../project-members.ts";
import { type Person, projectOf, type Scope } from "../scope.ts";
import { findUser } from "../users.ts";
import { roleOfCaller } from "./effective-role.ts";

/** For a part of an operation that requires more than the operation itself. */
export async function requireAdmin(scope: Scope): Promise<void> {
  if ((await roleOf(scope.db, scope.actor, projectOf(scope))) !== "admin") throw new Problem("admin_required");
}

async function roleOf(db: Db, person: Person, projectId: string): Promise<Role | null> {
  const member = await findMember(db, projectId, person.userId);
  return roleOfCaller(person, member?.permissions.role ?? null);
}

/** Checks that a person who began something earlier, and now finishes it without their key, still has the role. */
export async function requirePersonInProject(
  db: Db,
  userId: string,
  projectId: string,
  keyId: string,
  needed: Role,
): Promise<Person> {
  const user = await findUser(db, userId);
  if (!user?.active) throw new Problem("owner_deactivated", "The person who began this is deactivated.");
  const person: Person = {
    kind: "person",
    userId,
    email: user.email,
    organizationId: user.organizationId,
    organizationRole: user.organizationRole,
    keyId,
    by: "key",
    confirmedAt: null,
    keyProjectIds: null,
    keyMaxRole: null,
  };
  const role = await roleOf(db, person, projectId);
  if (!role || rankOf(role) < rankOf(needed))
    throw new Problem("editor_required", "The person who began this may no longer do it.");
  return person;
}
