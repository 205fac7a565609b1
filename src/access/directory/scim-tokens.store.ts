import type { Db } from "../../store/db.ts";

export interface DirectoryToken {
  id: string;
  directoryId: string;
  /** The last four characters, by which people recognize a token. */
  hint: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

interface TokenRow {
  id: string;
  directory_id: string;
  hint: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

const toToken = (row: TokenRow): DirectoryToken => ({
  id: row.id,
  directoryId: row.directory_id,
  hint: row.hint,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
});

export async function insertToken(db: Db, token: DirectoryToken, hash: string): Promise<void> {
  await db.query(
    "insert into directory_tokens (id, directory_id, hash, hint, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)",
    [token.id, token.directoryId, hash, token.hint, token.createdAt, token.expiresAt],
  );
}

export interface TokenHolder extends DirectoryToken {
  organizationId: string;
}

/** One indexed query, on every request, so that a revocation applies to the next request. */
export async function findByHash(db: Pick<Db, "query">, hash: string): Promise<TokenHolder | null> {
  const [row] = await db.query<TokenRow & { organization_id: string }>(
    `select t.id, t.directory_id, t.hint, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, d.organization_id
       from directory_tokens t join directories d on d.id = t.directory_id where t.hash = $1`,
    [hash],
  );
  return row ? { ...toToken(row), organizationId: row.organization_id } : null;
}

export async function listTokensOf(db: Db, directoryId: string): Promise<DirectoryToken[]> {
  const rows = await db.query<TokenRow>("select * from directory_tokens where directory_id = $1 order by id", [
    directoryId,
  ]);
  return rows.map(toToken);
}

export async function markTokenRevoked(db: Db, id: string, at: string): Promise<void> {
  await db.query("update directory_tokens set revoked_at = $2 where id = $1", [id, at]);
}

/** Shortens the life of tokens that would live longer. */
export async function endTokensAt(db: Db, directoryId: string, at: string): Promise<void> {
  await db.query(
    `update directory_tokens set expires_at = $2
      where directory_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [directoryId, at],
  );
}

export async function setTokenLastUsed(db: Db, id: string, at: string): Promise<void> {
  await db.query(
    "update directory_tokens set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)",
    [id, at],
  );
}
