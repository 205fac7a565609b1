import { type Db, dynamicText } from "../../store/db.ts";
import { type ChangeKeys, deleteBefore, inTurnsByKey } from "../../store/delete-in-batches.ts";
import { allRows, searchRows } from "../../store/search-rows.ts";
import { listPersonIds } from "../users.ts";

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
  const search = {
    table: "sessions",
    columns: "*",
    indexed: ["user_id = $1"] as const,
    where: "user_id = $1 and revoked_at is null and expires_at > $2 and last_seen_at > $3",
    values: [userId, since.now, since.seen],
    order: "oldest" as const,
  };
  return (await searchRows<SessionRow>(db, search, page, allRows)).rows.map(toSession);
}

/** Returns whether there was a live session. */
export async function endSession(db: Db, userId: string, id: string, at: string): Promise<boolean> {
  const rows = await db.query(
    "update sessions set revoked_at = $3 where id = $1 and user_id = $2 and revoked_at is null returning id",
    [id, userId, at],
  );
  return rows.length > 0;
}

/** Ended sessions are kept until they expire, so a person can have very many. */
export const changeSessionsOf = (db: Db, userId: string, change: ChangeKeys): Promise<number> =>
  inTurnsByKey(async (after, limit) => {
    const rows = await db.query<{ id: string }>(
      "select id from sessions where user_id = $1 and id > $2 order by id limit $3",
      [userId, after, limit],
    );
    return rows.map(({ id }) => id);
  }, change);

const [peopleAtOnce, fewSessions] = [64, 8];

/** The sessions of an organization's people. Most people have few, so those of several are changed together. */
export async function changeSessionsOfAll(db: Db, organizationId: string, change: ChangeKeys): Promise<number> {
  const changePage = async (people: readonly string[], marks: string): Promise<number> => {
    const counts = await db.query<{ user_id: string; sessions: number }>(
      `select user_id, count(*) as sessions from sessions where user_id in (${marks}) group by user_id`,
      people,
    );
    const few = counts.filter(({ sessions }) => Number(sessions) <= fewSessions).map(({ user_id: userId }) => userId);
    let changed = 0;
    for (const { user_id: userId, sessions } of counts)
      if (Number(sessions) > fewSessions) changed += await changeSessionsOf(db, userId, change);
    return changed + (await inTurnsByKey(async (after) => (after === "" ? sessionsOfAny(db, few) : []), change));
  };
  return inTurnsByKey((after, limit) => listPersonIds(db, organizationId, after, limit), changePage, peopleAtOnce);
}

async function sessionsOfAny(db: Db, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const marks = userIds.map((_, index) => `$${index + 1}`).join(", ");
  const rows = await db.query<{ id: string }>(
    `select id from sessions where user_id in (${marks}) order by id ${dynamicText}`,
    userIds,
  );
  return rows.map(({ id }) => id);
}

export const endSessionsOf = (db: Db, userId: string, at: string, exceptId = ""): Promise<number> =>
  changeSessionsOf(db, userId, async (ids, marks) => {
    const [given, except] = [`$${ids.length + 1}`, `$${ids.length + 2}`];
    const rows = await db.query(
      `update sessions set revoked_at = ${given} where id in (${marks}) and id <> ${except} and revoked_at is null
       returning id`,
      [...ids, at, exceptId],
    );
    return rows.length;
  });

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
