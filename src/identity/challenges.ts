import { hash } from "node:crypto";
import { randomBase62 } from "../kernel/random.ts";
import type { Db } from "../store/db.ts";
import {
  type ChallengeRow,
  countChallengesSince,
  deleteChallenge,
  deleteChallengesBefore,
  deleteChallengesOf,
  findChallengeRow,
  insertChallenge,
  takeChallengeRow,
  useOneAttempt,
} from "./challenges.store.ts";

/** What can be begun, how long it waits for its end, and how many tries that has. */
const kinds = {
  /** A passkey is asked for, of whoever comes. */
  passkey_sign_in: { minutes: 5, tries: 1 },
  /** A passkey is being made, for one account. */
  passkey_new: { minutes: 5, tries: 1 },
  /** The password was right, and a one-time code is missing. */
  second_factor: { minutes: 5, tries: 5 },
  /** The link in a mail that sets a new password. */
  password_reset: { minutes: 60, tries: 1 },
  /** A newcomer, whose address has yet to be shown to be theirs. */
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
 * Begins something that the holder of the answered text may end, once. 256 random bits; only their hash is kept. A text that
 * somebody else has made random, as the challenge of a passkey, may be given.
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

/** Looks at it and leaves it. Null for one that is over, used up, or of another kind. */
export async function findChallenge(db: Db, kind: ChallengeKind, token: string, now: Date): Promise<Challenge | null> {
  const row = await findChallengeRow(db, hashOf(token), kind, now.toISOString());
  return row ? toChallenge(row) : null;
}

/** Ends it: nobody gets it again. */
export async function takeChallenge(db: Db, kind: ChallengeKind, token: string, now: Date): Promise<Challenge | null> {
  const row = await takeChallengeRow(db, hashOf(token), kind, now.toISOString());
  return row ? toChallenge(row) : null;
}

/** Counted before the answer is looked at, so that many at once get no more tries than one after the other. */
export const spendAttempt = (db: Db, token: string): Promise<boolean> =>
  db.transaction((tx) => useOneAttempt(tx, hashOf(token)));

export const dropChallenges = (db: Db, userId: string, kind: ChallengeKind): Promise<void> =>
  deleteChallengesOf(db, userId, kind);

/** How many were begun for the account since then. */
export const countChallenges = (db: Db, userId: string, kind: ChallengeKind, since: Date): Promise<number> =>
  countChallengesSince(db, userId, kind, since.toISOString());

export const forgetOldChallenges = (db: Db, now: Date): Promise<void> =>
  db.transaction((tx) => deleteChallengesBefore(tx, now.toISOString()));

/**
 * A commit that leaves nothing. Where an account is found, something is written down; where none is, this takes its place, so
 * that the clock tells no more than the answer.
 */
export async function commitNothing(db: Db, now: Date): Promise<void> {
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
