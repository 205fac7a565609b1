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
  /** While it runs: which call holds it, and until when unless that lives and says so again. */
  holder: string | null;
  leaseUntil: string | null;
}

interface AnswerRow {
  fingerprint: string;
  body: string | null;
  sealed: number;
  created_at: string;
  holder: string | null;
  lease_until: string | null;
}

const placeOf = (place: AnswerPlace) => [place.userId, place.projectId, place.path, place.idempotencyKey];

export async function findAnswer(db: Db, place: AnswerPlace): Promise<KeptAnswer | null> {
  const [row] = await db.query<AnswerRow>(
    `select fingerprint, body, sealed, created_at, holder, lease_until from idempotent_answers
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4`,
    placeOf(place),
  );
  if (!row) return null;
  const { fingerprint, body, created_at: createdAt, holder, lease_until: leaseUntil } = row;
  return { fingerprint, body, kind: kinds[row.sealed] ?? "plain", createdAt, holder, leaseUntil };
}

export async function insertAnswer(db: Db, place: AnswerPlace, answer: KeptAnswer): Promise<void> {
  await db.query(
    `insert into idempotent_answers (user_id, project_id, path, idempotency_key, fingerprint, body, sealed, created_at, holder,
                                     lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...placeOf(place),
      answer.fingerprint,
      answer.body,
      kinds.indexOf(answer.kind),
      answer.createdAt,
      answer.holder,
      answer.leaseUntil,
    ],
  );
}

/** Of the call that holds the place, and of no other. Answers whether it did. */
export async function updateAnswer(
  db: Db,
  place: AnswerPlace,
  holder: string,
  answer: { body: string; kind: AnswerKind },
): Promise<boolean> {
  const rows = await db.query(
    `update idempotent_answers set body = $6, sealed = $7, lease_until = null
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and holder = $5 returning holder`,
    [...placeOf(place), holder, answer.body, kinds.indexOf(answer.kind)],
  );
  return rows.length > 0;
}

/** In the hands of another call, where the one that had it has died. Answers whether it was still that one's. */
export async function takeOverPlace(
  db: Db,
  place: AnswerPlace,
  { from, to }: { from: string | null; to: Pick<KeptAnswer, "holder" | "leaseUntil" | "createdAt"> },
): Promise<boolean> {
  const rows = await db.query(
    `update idempotent_answers set holder = $6, lease_until = $7, created_at = $8
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and coalesce(holder, '') = $5
            and sealed = $9 and body is null returning holder`,
    [...placeOf(place), from ?? "", to.holder, to.leaseUntil, to.createdAt, kinds.indexOf("running")],
  );
  return rows.length > 0;
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

/** By the call that holds the place, and only as long as it has not said what it has begun. */
export async function deleteUnbegun(db: Db, place: AnswerPlace, holder: string): Promise<void> {
  await db.query(
    `delete from idempotent_answers
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and holder = $5 and sealed = $6
            and body is null`,
    [...placeOf(place), holder, kinds.indexOf("running")],
  );
}
