import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";

export interface Session {
  id: string;
  userId: string;
  /** How the person signed in: password, passkey, oidc, saml, sign_up. */
  method: string;
  createdAt: string;
  lastSeenAt: string;
  confirmedAt: string;
  expiresAt: string;
  revokedAt: string | null;
  ip: string | null;
  userAgent: string;
  /** The session may only set up the second factor that its organization requires. */
  enrolling: boolean;
}

interface SessionRow {
  id: string;
  user_id: string;
  method: string;
  created_at: string;
  last_seen_at: string;
  confirmed_at: string;
  expires_at: string;
  revoked_at: string | null;
  ip: string | null;
  user_agent: string;
  enrolling: number;
}

const toSession = (row: SessionRow): Session => ({
  id: row.id,
  userId: row.user_id,
  method: row.method,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  confirmedAt: row.confirmed_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  ip: row.ip,
  userAgent: row.user_agent,
  enrolling: row.enrolling === 1,
});

export async function insertSession(db: Db, session: Session, hash: string): Promise<void> {
  await db.query(
    `insert into sessions (id, user_id, hash, method, created_at, last_seen_at, confirmed_at, expires_at, ip, user_agent,
                           enrolling)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      session.id,
      session.userId,
      hash,
      session.method,
      session.createdAt,
      session.lastSeenAt,
      session.confirmedAt,
      session.expiresAt,
      session.ip,
      session.userAgent,
      session.enrolling ? 1 : 0,
    ],
  );
}

export async function findSession(db: Db, id: string): Promise<Session | null> {
  const [row] = await db.query<SessionRow>("select * from sessions where id = $1", [id]);
  return row ? toSession(row) : null;
}

/** Sessions that have not ended. */
export async function listLiveSessions(
  db: Db,
  userId: string,
  since: { seen: string; now: string },
  page: { after: string; limit: number },
): Promise<Session[]> {
  const rows = await db.query<SessionRow>(
    `select * from sessions
      where user_id = $1 and id > $2 and revoked_at is null and expires_at > $3 and last_seen_at > $4
      order by id limit $5`,
    [userId, page.after, since.now, since.seen, page.limit],
  );
  return rows.map(toSession);
}

/** Returns whether there was a live session. */
export async function endSession(db: Db, userId: string, id: string, at: string): Promise<boolean> {
  const rows = await db.query(
    "update sessions set revoked_at = $3 where id = $1 and user_id = $2 and revoked_at is null returning id",
    [id, userId, at],
  );
  return rows.length > 0;
}

export async function endSessionsOf(db: Db, userId: string, at: string, exceptId = ""): Promise<number> {
  const rows = await db.query(
    "update sessions set revoked_at = $2 where user_id = $1 and id <> $3 and revoked_at is null returning id",
    [userId, at, exceptId],
  );
  return rows.length;
}

/** Replaces the token and lifts the restriction to enrollment. */
export async function renewSession(db: Db, id: string, hash: string): Promise<void> {
  await db.query("update sessions set hash = $2, enrolling = 0 where id = $1", [id, hash]);
}

export async function confirmSession(db: Db, id: string, at: string): Promise<void> {
  await db.query("update sessions set confirmed_at = $2 where id = $1", [id, at]);
}

export async function setLastSeen(db: Db, id: string, at: string): Promise<void> {
  await db.query("update sessions set last_seen_at = $2 where id = $1 and last_seen_at < $2", [id, at]);
}

export const deleteSessionsBefore = (db: Db, moment: string): Promise<void> =>
  deleteBefore(db, { table: "sessions", key: "id", time: "expires_at" }, moment);
