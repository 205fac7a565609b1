import type { Db } from "../store/db.ts";
import { allRows, searchRows } from "../store/search-rows.ts";
import type { Email } from "./email.ts";
import type { OrganizationRole } from "./scope.ts";

export interface User {
  id: string;
  organizationId: string;
  email: string;
  emailKey: string;
  organizationRole: OrganizationRole;
  active: boolean;
  /** A service user has keys and cannot sign in. */
  kind: "person" | "service";
  name: string;
  emailVerifiedAt: string | null;
  createdAt: string;
  deactivatedAt: string | null;
}

interface UserRow {
  id: string;
  organization_id: string;
  email: string;
  email_key: string;
  organization_role: string;
  active: number;
  kind: string;
  name: string;
  email_verified_at: string | null;
  created_at: string;
  deactivated_at: string | null;
}

const toUser = (row: UserRow): User => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  emailKey: row.email_key,
  organizationRole: row.organization_role as OrganizationRole,
  active: row.active === 1,
  kind: row.kind === "service" ? "service" : "person",
  name: row.name,
  emailVerifiedAt: row.email_verified_at,
  createdAt: row.created_at,
  deactivatedAt: row.deactivated_at,
});

export async function insertUser(db: Db, user: User): Promise<void> {
  await db.query(
    `insert into users (id, organization_id, email, email_key, organization_role, active, created_at, deactivated_at,
                        kind, name, email_verified_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      user.id,
      user.organizationId,
      user.email,
      user.emailKey,
      user.organizationRole,
      user.active ? 1 : 0,
      user.createdAt,
      user.deactivatedAt,
      user.kind,
      user.name,
      user.emailVerifiedAt,
    ],
  );
}

export async function findUser(db: Db, id: string): Promise<User | null> {
  const [row] = await db.query<UserRow>("select * from users where id = $1", [id]);
  return row ? toUser(row) : null;
}

export async function findUserByEmail(db: Db, organizationId: string, email: Email): Promise<User | null> {
  const [row] = await db.query<UserRow>("select * from users where organization_id = $1 and email_key = $2", [
    organizationId,
    email.key,
  ]);
  return row ? toUser(row) : null;
}

/** The people of an organization, or its service users, without those that a directory deleted. */
export async function listUsersOf(
  db: Db,
  organizationId: string,
  kind: User["kind"],
  page: { after: string; limit: number },
  projectIds: readonly string[] | null = null,
): Promise<User[]> {
  if (projectIds?.length === 0) return [];
  const marks = (projectIds ?? []).map((_, index) => `$${index + 3}`).join(", ");
  const indexed = "organization_id = $1 and kind = $2";
  const inProjects =
    projectIds === null
      ? ""
      : `and exists (select 1 from memberships m where m.user_id = users.id and m.project_id in (${marks}))`;
  const search = {
    table: "users",
    columns: "*",
    indexed: [indexed] as const,
    where: `${indexed} and removed_at is null ${inProjects}`,
    values: [organizationId, kind, ...(projectIds ?? [])],
    order: "oldest" as const,
  };
  return (await searchRows<UserRow>(db, search, page, allRows)).rows.map(toUser);
}

/** The ids of an organization's people behind `after`, in order. */
export async function listPersonIds(db: Db, organizationId: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from users where organization_id = $1 and kind = 'person' and id > $2 order by id limit $3",
    [organizationId, after, limit],
  );
  return rows.map(({ id }) => id);
}

export async function setOrganizationRole(db: Db, id: string, role: OrganizationRole): Promise<void> {
  await db.query("update users set organization_role = $2 where id = $1", [id, role]);
}

export async function hasOtherActiveOwner(db: Db, { organizationId, id }: User): Promise<boolean> {
  const rows = await db.query(
    `select 1 from users
      where organization_id = $1 and id <> $2 and organization_role = 'owner' and active = 1 limit 1`,
    [organizationId, id],
  );
  return rows.length > 0;
}

/** The accounts of one address: at most one in each organization. */
export async function listAccounts(db: Db, email: Email): Promise<User[]> {
  const rows = await db.query<UserRow>("select * from users where email_key = $1 order by id", [email.key]);
  return rows.map(toUser);
}

export async function markActive(db: Db, id: string): Promise<void> {
  await db.query("update users set active = 1, deactivated_at = null where id = $1", [id]);
}

export async function markDeactivated(db: Db, id: string, at: string): Promise<void> {
  await db.query("update users set active = 0, deactivated_at = $2 where id = $1", [id, at]);
}

export async function setNameAndEmail(
  db: Db,
  user: Pick<User, "id" | "name" | "email" | "emailKey" | "emailVerifiedAt">,
): Promise<void> {
  await db.query("update users set name = $2, email = $3, email_key = $4, email_verified_at = $5 where id = $1", [
    user.id,
    user.name,
    user.email,
    user.emailKey,
    user.emailVerifiedAt,
  ]);
}

/** For an account that its directory deleted: no address finds it, and it owns nothing. */
export async function markRemoved(db: Db, id: string, at: string): Promise<void> {
  await db.query(
    `update users set active = 0, deactivated_at = coalesce(deactivated_at, $2), removed_at = $2,
                      email_key = 'no-address:' || id, organization_role = 'member' where id = $1`,
    [id, at],
  );
}

/** Whether the account's directory deleted it. Only that directory can restore it. */
export async function isRemoved(db: Db, id: string): Promise<boolean> {
  return (await db.query("select 1 from users where id = $1 and removed_at is not null", [id])).length > 0;
}

/** Whether the address was that of an account that a directory deleted. */
export async function isRemovedAddress(db: Db, organizationId: string, email: Email): Promise<boolean> {
  const rows = await db.query(
    "select 1 from users where organization_id = $1 and removed_at is not null and lower(email) = $2 limit 1",
    [organizationId, email.key],
  );
  return rows.length > 0;
}

/** `inactiveSince` is null for an active account. */
export async function markRestored(db: Db, id: string, inactiveSince: string | null): Promise<void> {
  await db.query("update users set removed_at = null, active = $2, deactivated_at = $3 where id = $1", [
    id,
    inactiveSince === null ? 1 : 0,
    inactiveSince,
  ]);
}
