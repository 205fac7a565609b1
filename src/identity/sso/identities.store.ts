import type { Db } from "../../store/db.ts";

/** Links a person at a provider to their account. */
export interface Identity {
  id: string;
  organizationId: string;
  providerId: string;
  subject: string;
  userId: string;
  /** As of the last sign-in. */
  email: string | null;
  createdAt: string;
  lastUsedAt: string;
}

interface IdentityRow {
  id: string;
  organization_id: string;
  provider_id: string;
  subject: string;
  user_id: string;
  email: string | null;
  created_at: string;
  last_used_at: string;
}

const toIdentity = (row: IdentityRow): Identity => ({
  id: row.id,
  organizationId: row.organization_id,
  providerId: row.provider_id,
  subject: row.subject,
  userId: row.user_id,
  email: row.email,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export async function insertIdentity(db: Db, identity: Identity): Promise<void> {
  await db.query(
    `insert into identities (id, organization_id, provider_id, subject, user_id, email, created_at, last_used_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      identity.id,
      identity.organizationId,
      identity.providerId,
      identity.subject,
      identity.userId,
      identity.email,
      identity.createdAt,
      identity.lastUsedAt,
    ],
  );
}

export async function findBySubject(db: Db, providerId: string, subject: string): Promise<Identity | null> {
  const [row] = await db.query<IdentityRow>("select * from identities where provider_id = $1 and subject = $2", [
    providerId,
    subject,
  ]);
  return row ? toIdentity(row) : null;
}

export async function findIdentityRow(db: Db, id: string): Promise<Identity | null> {
  const [row] = await db.query<IdentityRow>("select * from identities where id = $1", [id]);
  return row ? toIdentity(row) : null;
}

export async function listIdentitiesOf(db: Db, userId: string): Promise<Identity[]> {
  const rows = await db.query<IdentityRow>("select * from identities where user_id = $1 order by id", [userId]);
  return rows.map(toIdentity);
}

export async function listOfOrganization(
  db: Db,
  organizationId: string,
  page: { after: string; limit: number },
): Promise<Identity[]> {
  const rows = await db.query<IdentityRow>(
    "select * from identities where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, page.after, page.limit],
  );
  return rows.map(toIdentity);
}

export async function setUsed(db: Db, id: string, email: string | null, at: string): Promise<void> {
  await db.query("update identities set last_used_at = $2, email = $3 where id = $1", [id, at, email]);
}

export async function deleteIdentityRow(db: Db, id: string): Promise<void> {
  await db.query("delete from identities where id = $1", [id]);
}

/**
 * Finds a person of the directory by externalId, otherwise by userName; deleted people come last. An externalId of
 * several people identifies none of them.
 */
export async function findInDirectory(
  db: Db,
  directoryId: string,
  externalIds: readonly string[],
  userNames: readonly string[],
): Promise<{ userId: string; deleted: boolean } | null> {
  for (const [column, values] of [
    ["external_id", externalIds],
    ["user_name_key", userNames],
  ] as const) {
    for (const value of values) {
      // Two statements, because each has its own index.
      const found = (deleted: string) =>
        db.query<{ user_id: string }>(
          `select user_id from directory_people where directory_id = $1 and ${column} = $2 and ${deleted} limit 2`,
          [directoryId, value],
        );
      const [here, another] = await found("deleted_at is null");
      if (another) continue;
      if (here) return { userId: here.user_id, deleted: false };
      const [gone] = await found("deleted_at is not null");
      if (gone) return { userId: gone.user_id, deleted: true };
    }
  }
  return null;
}
