import type { Db } from "../store/db.ts";
import { deleteBefore } from "../store/delete-in-batches.ts";

export interface ChallengeRow {
  hash: string;
  kind: string;
  user_id: string | null;
  details: string;
  tries_left: number;
  created_at: string;
  expires_at: string;
}

export async function insertChallenge(db: Db, row: ChallengeRow): Promise<void> {
  await db.query(
    `insert into challenges (hash, kind, user_id, details, tries_left, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.hash, row.kind, row.user_id, row.details, row.tries_left, row.created_at, row.expires_at],
  );
}

export async function findChallengeRow(db: Db, hash: string, kind: string, now: string): Promise<ChallengeRow | null> {
  const [row] = await db.query<ChallengeRow>(
    "select * from challenges where hash = $1 and kind = $2 and expires_at > $3 and tries_left > 0",
    [hash, kind, now],
  );
  return row ?? null;
}

/**
 * Of two concurrent calls, one gets the challenge. The attempt was counted before, so `tries_left` is not checked
 * again.
 */
export async function takeChallengeRow(db: Db, hash: string, kind: string, now: string): Promise<ChallengeRow | null> {
  const [row] = await db.query<ChallengeRow>(
    "delete from challenges where hash = $1 and kind = $2 and expires_at > $3 returning *",
    [hash, kind, now],
  );
  return row ?? null;
}

export async function useOneAttempt(db: Db, hash: string): Promise<boolean> {
  const rows = await db.query(
    "update challenges set tries_left = tries_left - 1 where hash = $1 and tries_left > 0 returning hash",
    [hash],
  );
  return rows.length > 0;
}

export async function deleteChallengesOf(db: Db, userId: string, kind: string): Promise<void> {
  await db.query("delete from challenges where user_id = $1 and kind = $2", [userId, kind]);
}

export async function countChallengesSince(db: Db, userId: string, kind: string, since: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*) as count from challenges where user_id = $1 and kind = $2 and created_at > $3",
    [userId, kind, since],
  );
  return Number(row?.count ?? 0);
}

export const deleteChallengesBefore = (db: Db, moment: string): Promise<void> =>
  deleteBefore(db, { table: "challenges", key: "hash", time: "expires_at" }, moment);

export async function deleteChallenge(db: Db, hash: string): Promise<void> {
  await db.query("delete from challenges where hash = $1", [hash]);
}
