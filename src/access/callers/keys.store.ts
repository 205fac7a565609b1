import type { Db } from "../../store/db.ts";
import { inTurnsByKey } from "../../store/delete-in-batches.ts";
import type { Role } from "../permissions.ts";

export interface ApiKey {
  id: string;
  userId: string;
  label: string;
  /** The last four characters, by which people recognize a key. */
  hint: string;
  projectIds: string[] | null;
  maxRole: Role | null;
  createdAt: string;
  expiresAt: string | null;
  /** The original expiry, or "never", once a rotation has shortened it; null before that. */
  givenExpiry: string | null;
  revokedAt: string | null;
  disabledAt: string | null;
  lastUsedAt: string | null;
}

interface ApiKeyRow {
  id: string;
  user_id: string;
  label: string;
  hint: string;
  project_ids: string | null;
  max_role: string | null;
  created_at: string;
  expires_at: string | null;
  given_expiry: string | null;
  revoked_at: string | null;
  disabled_at: string | null;
  last_used_at: string | null;
}

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  userId: row.user_id,
  label: row.label,
  hint: row.hint,
  projectIds: row.project_ids === null ? null : (JSON.parse(row.project_ids) as string[]),
  maxRole: row.max_role as Role | null,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  givenExpiry: row.given_expiry,
  revokedAt: row.revoked_at,
  disabledAt: row.disabled_at,
  lastUsedAt: row.last_used_at,
});

export async function insertKey(db: Db, key: ApiKey, hash: string): Promise<void> {
  await db.query(
    `insert into api_keys (id, user_id, hash, label, hint, project_ids, max_role, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      key.id,
      key.userId,
      hash,
      key.label,
      key.hint,
      key.projectIds === null ? null : JSON.stringify(key.projectIds),
      key.maxRole,
      key.createdAt,
      key.expiresAt,
    ],
  );
}

/** A key with its owner's organization and state. */
export interface OwnedKey extends ApiKey {
  organizationId: string;
  ownerActive: boolean;
}

export async function findKey(db: Db, id: string): Promise<OwnedKey | null> {
  const [row] = await db.query<ApiKeyRow & { organization_id: string; active: number }>(
    "select k.*, u.organization_id, u.active from api_keys k join users u on u.id = k.user_id where k.id = $1",
    [id],
  );
  return row ? { ...toApiKey(row), organizationId: row.organization_id, ownerActive: row.active === 1 } : null;
}

export async function listKeysOf(db: Db, userId: string, page: { after: string; limit: number }): Promise<ApiKey[]> {
  const rows = await db.query<ApiKeyRow>("select * from api_keys where user_id = $1 and id > $2 order by id limit $3", [
    userId,
    page.after,
    page.limit,
  ]);
  return rows.map(toApiKey);
}

export async function markRevoked(db: Db, id: string, at: string): Promise<void> {
  await db.query("update api_keys set revoked_at = $2 where id = $1", [id, at]);
}

/**
 * Shortens the key's life and keeps the original expiry, from which the next rotation derives the new key's lifetime.
 */
export async function bringForwardExpiry(db: Db, id: string, at: string): Promise<void> {
  await db.query(
    `update api_keys set given_expiry = coalesce(given_expiry, expires_at, 'never'), expires_at = $2 where id = $1`,
    [id, at],
  );
}

export const disableKeysOf = (db: Db, userId: string, at: string): Promise<number> =>
  changeKeysOf(db, userId, (given) => `set disabled_at = ${given}`, "disabled_at is null and revoked_at is null", [at]);

export const revokeAllKeysOf = (db: Db, userId: string, at: string): Promise<number> =>
  changeKeysOf(db, userId, (given) => `set revoked_at = ${given}`, "revoked_at is null", [at]);

export const enableKeysOf = (db: Db, userId: string): Promise<number> =>
  changeKeysOf(db, userId, () => "set disabled_at = null", "disabled_at is not null", []);

/** A person can have very many keys. */
const changeKeysOf = (
  db: Db,
  userId: string,
  set: (given: string) => string,
  condition: string,
  values: readonly string[],
): Promise<number> =>
  inTurnsByKey(
    async (after, limit) => {
      const rows = await db.query<{ id: string }>(
        "select id from api_keys where user_id = $1 and id > $2 order by id limit $3",
        [userId, after, limit],
      );
      return rows.map(({ id }) => id);
    },
    async (ids, marks) => {
      const rows = await db.query(
        `update api_keys ${set(`$${ids.length + 1}`)} where id in (${marks}) and ${condition} returning id`,
        [...ids, ...values],
      );
      return rows.length;
    },
  );

export async function enableKeyRow(db: Db, id: string): Promise<void> {
  await db.query("update api_keys set disabled_at = null where id = $1", [id]);
}

export async function setLastUsed(db: Db, id: string, at: string): Promise<void> {
  await db.query(
    "update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)",
    [id, at],
  );
}

/** The key gets another text: the old one is invalid from the commit on. */
export async function replaceKeyText(
  db: Db,
  keyId: string,
  { hash, hint, expiresAt }: { hash: string; hint: string; expiresAt: string },
): Promise<boolean> {
  const rows = await db.query(
    "update api_keys set hash = $2, hint = $3, expires_at = $4 where id = $1 and revoked_at is null and disabled_at is null returning id",
    [keyId, hash, hint, expiresAt],
  );
  return rows.length > 0;
}
