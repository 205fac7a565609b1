import { hash } from "node:crypto";
import { randomBase62 } from "../kernel/random.ts";
import type { Db } from "../store/db.ts";
import {
  type ChallengeRow,
  countChallengesSince,
  deleteChallenge,
  deleteChallengesBefore,
  findChallengeRow,
  insertChallenge,
  takeChallengeRow,
  useOneAttempt,
} from "./challenges.store.ts";

export { deleteChallengesOf } from "./challenges.store.ts";

/** The kinds of challenges, how long each is valid, and how many attempts it allows. */
const kinds = {
  /** Any passkey of the region signs in. */
  passkey_sign_in: { minutes: 5, tries: 1 },
  /** An account registers a passkey. */
  passkey_new: { minutes: 5, tries: 1 },
  /** The password was right, and a one-time code is missing. */
  second_factor: { minutes: 5, tries: 5 },
  /** The link in a mail that sets a new password. */
  password_reset: { minutes: 60, tries: 1 },
  /** A new person has to prove that the address is theirs. */
  sign_up: { minutes: 30, tries: 10 },
} as const;
export type ChallengeKind = keyof typeof kinds;

export interface Challenge {
  userId: string | null;
  details: Record<string, string>;
  expiresAt: string;
}

const hashOf = (token: string): string => hash("sha256", token, "hex");

/**
 * Begins a challenge, which the holder of the returned token may complete once. The token has 256 random bits; the
 * store keeps its hash. A caller may pass a token that is already random, such as a passkey's challenge.
 */
export async function beginChallenge(
  db: Db,
  kind: ChallengeKind,
  wanted: { userId: string | null; details?: Record<string, string>; now: Date; token?: string },
): Promise<{ token: string; expiresAt: string }> {
  const { minutes, tries } = kinds[kind];
  const token = wanted.token ?? randomBase62(43);
  const expiresAt = new Date(wanted.now.getTime() + minutes * 60_000).toISOString();
  await insertChallenge(db, {
    hash: hashOf(token),
    kind,
    user_id: wanted.userId,
    details: JSON.stringify(wanted.details ?? {}),
    tries_left: tries,
    created_at: wanted.now.toISOString(),
    expires_at: expiresAt,
  });
  return { token, expiresAt };
}

/** Reads a challenge without using it. Returns null if it expired, was used, or is of another kind. */
export async function findChallenge(db: Db, kind: ChallengeKind, token: string, now: Date): Promise<Challenge | null> {
  const row = await findChallengeRow(db, hashOf(token), kind, now.toISOString());
  return row ? toChallenge(row) : null;
}

/** Takes the challenge, so that it cannot be used again. */
export async function takeChallenge(db: Db, kind: ChallengeKind, token: string, now: Date): Promise<Challenge | null> {
  const row = await takeChallengeRow(db, hashOf(token), kind, now.toISOString());
  return row ? toChallenge(row) : null;
}

/** Counts the attempt before the answer is checked, so that concurrent attempts get no more than sequential ones. */
export const spendAttempt = (db: Db, token: string): Promise<boolean> =>
  db.transaction((tx) => useOneAttempt(tx, hashOf(token)));

/** How many were begun for the account since then. */
export const countChallenges = (db: Db, userId: string, kind: ChallengeKind, since: Date): Promise<number> =>
  countChallengesSince(db, userId, kind, since.toISOString());

export const deleteOldChallenges = (db: Db, now: Date): Promise<void> => deleteChallengesBefore(db, now.toISOString());

/**
 * Commits a transaction without effect. A sign-in for a known account writes to the store; this takes the same time for
 * an unknown one, so that timing reveals nothing.
 */
export async function commitWithoutEffect(db: Db, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const { token } = await beginChallenge(tx, "second_factor", { userId: null, now });
    await deleteChallenge(tx, hashOf(token));
  });
}

const toChallenge = (row: ChallengeRow): Challenge => ({
  userId: row.user_id,
  details: JSON.parse(row.details) as Record<string, string>,
  expiresAt: row.expires_at,
});
