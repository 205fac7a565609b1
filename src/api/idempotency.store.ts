import type { Db } from "../store/db.ts";

/** One owner, one project, one path, one key: one effect. */
export interface AnswerPlace {
  userId: string;
  projectId: string;
  path: string;
  idempotencyKey: string;
}

/**
 * "running": the call has begun and not ended; the body names what it has begun, once there is something to name.
 * "secret": the body is sealed, and null once its hour is over.
 */
export type AnswerKind = "plain" | "secret" | "running";
const kinds = ["plain", "secret", "running"] as const;

export interface KeptAnswer {
  fingerprint: string;
  body: string | null;
  kind: AnswerKind;
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
    ? { fingerprint: row.fingerprint, body: row.body, kind: kinds[row.sealed] ?? "plain", createdAt: row.created_at }
    : null;
}

export async function insertAnswer(db: Db, place: AnswerPlace, answer: KeptAnswer): Promise<void> {
  await db.query(
    `insert into idempotent_answers (user_id, project_id, path, idempotency_key, fingerprint, body, sealed, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...placeOf(place), answer.fingerprint, answer.body, kinds.indexOf(answer.kind), answer.createdAt],
  );
}

export async function updateAnswer(
  db: Db,
  place: AnswerPlace,
  answer: { body: string; kind: AnswerKind },
): Promise<void> {
  await db.query(
    `update idempotent_answers set body = $5, sealed = $6
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4`,
    [...placeOf(place), answer.body, kinds.indexOf(answer.kind)],
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

/** Only as long as it has not said what it has begun. */
export async function deleteUnbegun(db: Db, place: AnswerPlace): Promise<void> {
  await db.query(
    `delete from idempotent_answers
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and sealed = $5 and body is null`,
    [...placeOf(place), kinds.indexOf("running")],
  );
}
