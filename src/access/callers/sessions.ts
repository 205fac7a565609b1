import { hash } from "node:crypto";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import { isRestricted, type Person } from "../scope.ts";
import {
  deleteSessionsBefore,
  endSession,
  insertSession,
  listLiveSessions,
  renewSession,
  type Session,
  setLastSeen,
} from "./sessions.store.ts";

export type { Session } from "./sessions.store.ts";
export { changeSessionsOf, changeSessionsOfAll, confirmSession, endSessionsOf, findSession } from "./sessions.store.ts";

export const idleHoursMax = 12;
export const lifeDaysMax = 7;
/** How recently a person must have confirmed their identity to change how they sign in. */
export const confirmMinutes = 15;

const hour = 3_600_000;
const userAgentCharactersMax = 300;

/** The token is returned once, for a cookie; the store keeps its hash. 256 random bits need no stretching. */
export interface OpenedSession {
  session: Session;
  token: string;
}

/** Whether the person signed in with an identity provider of their organization. */
export const isByProvider = ({ method }: Pick<Session, "method">): boolean => method === "oidc" || method === "saml";

export const hashOfToken = (token: string): string => hash("sha256", token, "hex");

/** Each sign-in creates a new session with a new token, so a token that an attacker planted before is worthless. */
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

/** A session that was not used since this time has expired. */
export const idleSince = (now: Date): string => new Date(now.getTime() - idleHoursMax * hour).toISOString();

export const listSessions = (
  db: Db,
  userId: string,
  now: Date,
  page: { after: string; limit: number },
): Promise<Session[]> => listLiveSessions(db, userId, { seen: idleSince(now), now: now.toISOString() }, page);

/** Ends one of the person's own sessions. */
export async function revokeSession(db: Db, userId: string, sessionId: string, at: string): Promise<void> {
  if (!(await endSession(db, userId, sessionId, at))) throw new Problem("session_not_found");
}

/** The second factor is set up: the session gets full rights and a new token (ASVS 7.2.4). */
export async function endEnrolling(db: Db, sessionId: string): Promise<string> {
  const token = randomBase62(43);
  await renewSession(db, sessionId, hashOfToken(token));
  return token;
}

/**
 * A session on an unlocked computer must not be enough to create a key or to change how the person signs in (ASVS
 * 7.5.1). A full key may: its holder can do all of that anyway. A restricted key may not, because what it would create
 * outlives its own expiry and revocation.
 */
export function requireConfirmed(actor: Person, now: Date): void {
  if (isRestricted(actor)) throw new Problem("key_restricted");
  if (actor.by === "key") return;
  const since = new Date(now.getTime() - confirmMinutes * 60_000).toISOString();
  if (actor.confirmedAt === null || actor.confirmedAt < since) throw new Problem("confirmation_required");
}

export async function saveLastSeen(tx: Db, lastSeen: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, at] of lastSeen) await setLastSeen(tx, id, at);
}

export const deleteOldSessions = (db: Db, now: Date): Promise<void> =>
  deleteSessionsBefore(db, new Date(now.getTime() - 24 * hour).toISOString());
