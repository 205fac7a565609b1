import type { Db } from "../../store/db.ts";
import { inBatches } from "../../store/delete-in-batches.ts";
import type { Role } from "../permissions.ts";

export interface Grant {
  id: string;
  organizationId: string;
  userId: string;
  projectId: string;
  clientIdHash: string;
  clientName: string;
  redirectUri: string;
  readOnly: boolean;
  /** The most that the person lends; null for their own role, whatever it is at the time. */
  maxRole: Role | null;
  /** Names of tools; null for all. */
  tools: string[] | null;
  codeHash: string | null;
  codeChallenge: string;
  codeExpiresAt: string;
  keyId: string | null;
  refreshHash: string | null;
  /** The refresh token before: a repeat of it shows that somebody else has it. */
  refreshBefore: string | null;
  refreshExpiresAt: string | null;
  createdAt: string;
}

interface GrantRow {
  id: string;
  organization_id: string;
  user_id: string;
  project_id: string;
  client_id_hash: string;
  client_name: string;
  redirect_uri: string;
  read_only: number;
  max_role: string | null;
  tools: string | null;
  code_hash: string | null;
  code_challenge: string;
  code_expires_at: string;
  key_id: string | null;
  refresh_hash: string | null;
  refresh_before: string | null;
  refresh_expires_at: string | null;
  created_at: string;
}

const toGrant = (row: GrantRow): Grant => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  projectId: row.project_id,
  clientIdHash: row.client_id_hash,
  clientName: row.client_name,
  redirectUri: row.redirect_uri,
  readOnly: row.read_only === 1,
  maxRole: row.max_role as Role | null,
  tools: row.tools === null ? null : (JSON.parse(row.tools) as string[]),
  codeHash: row.code_hash,
  codeChallenge: row.code_challenge,
  codeExpiresAt: row.code_expires_at,
  keyId: row.key_id,
  refreshHash: row.refresh_hash,
  refreshBefore: row.refresh_before,
  refreshExpiresAt: row.refresh_expires_at,
  createdAt: row.created_at,
});

export async function insertGrant(db: Db, grant: Grant): Promise<void> {
  await db.query(
    `insert into assistant_grants (id, organization_id, user_id, project_id, client_id_hash, client_name, redirect_uri,
       read_only, max_role, tools, code_hash, code_challenge, code_expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      grant.id,
      grant.organizationId,
      grant.userId,
      grant.projectId,
      grant.clientIdHash,
      grant.clientName,
      grant.redirectUri,
      grant.readOnly ? 1 : 0,
      grant.maxRole,
      grant.tools === null ? null : JSON.stringify(grant.tools),
      grant.codeHash,
      grant.codeChallenge,
      grant.codeExpiresAt,
      grant.createdAt,
    ],
  );
}

type Secret = "code_hash" | "refresh_hash" | "refresh_before" | "key_id";

export async function findGrantBy(db: Db, secret: Secret, value: string): Promise<Grant | null> {
  const [row] = await db.query<GrantRow>(`select * from assistant_grants where ${secret} = $1`, [value]);
  return row ? toGrant(row) : null;
}

/** The grant of an access token. */
export async function findGrantOfKey(db: Pick<Db, "query">, keyHash: string): Promise<Grant | null> {
  const [row] = await db.query<GrantRow>(
    "select g.* from api_keys k join assistant_grants g on g.key_id = k.id where k.hash = $1",
    [keyHash],
  );
  return row ? toGrant(row) : null;
}

/** The code is used up; from now on the refresh token stands for the grant. */
export async function updateTokens(db: Db, grant: Grant): Promise<void> {
  await db.query(
    `update assistant_grants set code_hash = $2, key_id = $3, refresh_hash = $4, refresh_before = $5, refresh_expires_at = $6
      where id = $1`,
    [grant.id, grant.codeHash, grant.keyId, grant.refreshHash, grant.refreshBefore, grant.refreshExpiresAt],
  );
}

export async function deleteGrant(db: Db, id: string): Promise<void> {
  await db.query("delete from assistant_grants where id = $1", [id]);
}

/**
 * Codes that the person has not used yet. They are found by the index of unused codes, of which a region has few: each is
 * valid for some minutes.
 */
export async function deleteOpenCodesOf(db: Db, userId: string, now: string): Promise<void> {
  await db.query("delete from assistant_grants where key_id is null and code_expires_at > $2 and user_id = $1", [
    userId,
    now,
  ]);
}

/** Codes that nobody used, and grants whose refresh token has expired; the longest first. */
export async function deleteOverGrants(db: Db, now: string): Promise<void> {
  for (const [condition, time] of [
    ["key_id is null", "code_expires_at"],
    ["refresh_expires_at is not null", "refresh_expires_at"],
  ]) {
    await inBatches(db, async (inside, limit) => {
      const rows = await inside.query(
        `delete from assistant_grants where id in
           (select id from assistant_grants where ${condition} and ${time} < $1 order by ${time} limit $2) returning id`,
        [now, limit],
      );
      return rows.length;
    });
  }
}
