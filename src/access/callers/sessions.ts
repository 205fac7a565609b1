import { hash } from "node:crypto";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import type { Person } from "../scope.ts";
import {
  deleteSessionsBefore,
  endSession,
  endSessionsOf,
  findSessionRow,
  insertSession,
  listLiveSessions,
  renewSession,
  type Session,
  setConfirmed,
  setLastSeen,
} from "./sessions.store.ts";

export type { Session } from "./sessions.store.ts";

export const idleHoursMax = 12;
export const lifeDaysMax = 7;
/** Whoever wants to change how the account is opened has shown who they are within this time. */
export const confirmMinutes = 15;

const hour = 3_600_000;
const userAgentCharactersMax = 300;

/** The token leaves here once, into a cookie; only its hash stays. 256 random bits need no stretching. */
export interface OpenedSession {
  session: Session;
  token: string;
}

/** It came from an identity provider of the person's own organization. */
export const isByProvider = ({ method }: Pick<Session, "method">): boolean => method === "oidc" || method === "saml";

export const hashOfToken = (token: string): string => hash("sha256", token, "hex");

/** Each sign-in is a new session with a token of its own: one that somebody planted beforehand opens nothing. */
export async function openSession(
  scope: { db: Db; region: Region; now: () => Date; ip: string | null },
  wanted: { userId: string; method: string; userAgent: string; enrolling?: boolean },
): Promise<OpenedSession> {
  const now = scope.now();
  const token = randomBase62(43);
  const at = now.toISOString();
  const session: Session = {
    id: newId("session", scope.region),
    userId: wanted.userId,
    method: wanted.method,
    createdAt: at,
    lastSeenAt: at,
    confirmedAt: at,
    expiresAt: new Date(now.getTime() + lifeDaysMax * 24 * hour).toISOString(),
    revokedAt: null,
    ip: scope.ip,
    userAgent: wanted.userAgent.slice(0, userAgentCharactersMax),
    enrolling: wanted.enrolling ?? false,
  };
  await insertSession(scope.db, session, hashOfToken(token));
  return { session, token };
}

/** A session nobody has used since then has ended by itself. */
export const idleSince = (now: Date): string => new Date(now.getTime() - idleHoursMax * hour).toISOString();

export const listSessions = (
  db: Db,
  userId: string,
  now: Date,
  page: { after: string; limit: number },
): Promise<Session[]> => listLiveSessions(db, userId, { seen: idleSince(now), now: now.toISOString() }, page);

export const findSession = (db: Db, id: string): Promise<Session | null> => findSessionRow(db, id);

/** One's own; from the commit on its cookie opens nothing. */
export async function revokeSession(db: Db, userId: string, sessionId: string, at: string): Promise<void> {
  if (!(await endSession(db, userId, sessionId, at))) throw new Problem("session_not_found");
}

export const revokeSessionsOf = (db: Db, userId: string, at: string, exceptId = ""): Promise<number> =>
  endSessionsOf(db, userId, at, exceptId);

/** The second factor is set up: the session may do everything now, under a token that nobody had before (ASVS 7.2.4). */
export async function endEnrolling(db: Db, sessionId: string): Promise<string> {
  const token = randomBase62(43);
  await renewSession(db, sessionId, hashOfToken(token));
  return token;
}

/** The person has just shown once more who they are. */
export const confirmSession = (db: Db, sessionId: string, at: string): Promise<void> => setConfirmed(db, sessionId, at);

/**
 * A session left open on a desk must not be enough to make a key or to change how the account is opened (ASVS 7.5.1). A key
 * may: whoever holds one can do all of that anyway.
 */
export function requireConfirmed(actor: Person, now: Date): void {
  if (actor.by === "key") return;
  const since = new Date(now.getTime() - confirmMinutes * 60_000).toISOString();
  if (actor.confirmedAt === null || actor.confirmedAt < since) throw new Problem("confirmation_required");
}

export async function keepLastSeen(tx: Db, lastSeen: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, at] of lastSeen) await setLastSeen(tx, id, at);
}

export const forgetOldSessions = (db: Db, now: Date): Promise<void> =>
  db.transaction((tx) => deleteSessionsBefore(tx, new Date(now.getTime() - 24 * hour).toISOString()));
