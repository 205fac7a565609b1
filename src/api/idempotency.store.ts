import type { Db } from "../store/db.ts";

/** One owner, one project, one path, one key: one effect. */
export interface AnswerPlace {
  userId: string;
  projectId: string;
  path: string;
  idempotencyKey: string;
}

export interface KeptAnswer {
  fingerprint: string;
  body: string | null;
  sealed: boolean;
  createdAt: string;
}

const placeOf = (place: AnswerPlace) => [place.userId, place.projectId, place.path, place.idempotencyKey];

export async function findAnswer(db: Db, place: AnswerPlace): Promise<KeptAnswer | null> {
  const [row] = await db.query<{ fingerprint: string; body: string | null; sealed: number; created_at: string }>(
    `select fingerprint, body, sealed, created_at from idempotent_answers
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4`,
    placeOf(place),
  );
  return row
    ? { fingerprint: row.fingerprint, body: row.body, sealed: row.sealed === 1, createdAt: row.created_at }
    : null;
}

export async function insertAnswer(db: Db, place: AnswerPlace, answer: KeptAnswer): Promise<void> {
  await db.query(
    `insert into idempotent_answers (user_id, project_id, path, idempotency_key, fingerprint, body, sealed, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...placeOf(place), answer.fingerprint, answer.body, answer.sealed ? 1 : 0, answer.createdAt],
  );
}

export async function forgetSecretsBefore(db: Db, time: string): Promise<void> {
  await db.query(
    "update idempotent_answers set body = null where sealed = 1 and body is not null and created_at < $1",
    [time],
  );
}

export async function forgetAnswersBefore(db: Db, time: string): Promise<void> {
  await db.query("delete from idempotent_answers where created_at < $1", [time]);
}

export async function deleteAnswer(db: Db, place: AnswerPlace): Promise<void> {
  await db.query(
    "delete from idempotent_answers where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4",
    placeOf(place),
  );
}
