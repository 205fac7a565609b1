import type { Db } from "../store/db.ts";
import { deleteBefore, inBatches } from "../store/delete-in-batches.ts";

/** One caller, one project, one path, one Idempotency-Key: one effect. */
export interface IdempotencySlot {
  userId: string;
  projectId: string;
  path: string;
  idempotencyKey: string;
}

/**
 * "running": the call has not ended; the body names what it began, once there is something to name.
 * "secret": the body is sealed, and becomes null after an hour.
 */
export type AnswerKind = "plain" | "secret" | "running";
const kinds = ["plain", "secret", "running"] as const;

export interface KeptAnswer {
  fingerprint: string;
  body: string | null;
  kind: AnswerKind;
  createdAt: string;
  /** The running call that holds the slot, and when its lease expires unless the call renews it. */
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

const slotKey = (slot: IdempotencySlot) => [slot.userId, slot.projectId, slot.path, slot.idempotencyKey];

export async function findAnswer(db: Db, slot: IdempotencySlot): Promise<KeptAnswer | null> {
  const [row] = await db.query<AnswerRow>(
    `select fingerprint, body, sealed, created_at, holder, lease_until from idempotent_answers
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4`,
    slotKey(slot),
  );
  if (!row) return null;
  const { fingerprint, body, created_at: createdAt, holder, lease_until: leaseUntil } = row;
  return { fingerprint, body, kind: kinds[row.sealed] ?? "plain", createdAt, holder, leaseUntil };
}

export async function insertAnswer(db: Db, slot: IdempotencySlot, answer: KeptAnswer): Promise<void> {
  await db.query(
    `insert into idempotent_answers (user_id, project_id, path, idempotency_key, fingerprint, body, sealed, created_at, holder,
                                     lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...slotKey(slot),
      answer.fingerprint,
      answer.body,
      kinds.indexOf(answer.kind),
      answer.createdAt,
      answer.holder,
      answer.leaseUntil,
    ],
  );
}

/** Returns false, and writes nothing, where another call holds the slot. */
export async function updateAnswer(
  db: Db,
  slot: IdempotencySlot,
  holder: string,
  answer: { body: string; kind: AnswerKind },
): Promise<boolean> {
  const rows = await db.query(
    `update idempotent_answers set body = $6, sealed = $7, lease_until = null
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and holder = $5 returning holder`,
    [...slotKey(slot), holder, answer.body, kinds.indexOf(answer.kind)],
  );
  return rows.length > 0;
}

/** Gives the slot of an expired lease to another call. Returns false where the expected holder has lost it already. */
export async function updateHolder(
  db: Db,
  slot: IdempotencySlot,
  { from, to }: { from: string | null; to: Pick<KeptAnswer, "holder" | "leaseUntil" | "createdAt"> },
): Promise<boolean> {
  const rows = await db.query(
    `update idempotent_answers set holder = $6, lease_until = $7, created_at = $8
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and coalesce(holder, '') = $5
            and sealed = $9 and body is null returning holder`,
    [...slotKey(slot), from ?? "", to.holder, to.leaseUntil, to.createdAt, kinds.indexOf("running")],
  );
  return rows.length > 0;
}

const key = "user_id, project_id, path, idempotency_key";

export const forgetSecretsBefore = (db: Db, time: string): Promise<void> =>
  inBatches(db, async (inside, limit) => {
    const rows = await inside.query(
      `update idempotent_answers set body = null
        where (${key}) in (select ${key} from idempotent_answers
                            where sealed = 1 and body is not null and created_at < $1 order by created_at limit $2)
       returning created_at`,
      [time, limit],
    );
    return rows.length;
  });

export const forgetAnswersBefore = (db: Db, time: string): Promise<void> =>
  deleteBefore(db, { table: "idempotent_answers", key, time: "created_at" }, time);

export async function deleteAnswer(db: Db, slot: IdempotencySlot): Promise<void> {
  await db.query(
    "delete from idempotent_answers where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4",
    slotKey(slot),
  );
}

/** Frees the key after a failed call. A call that named what it began keeps its slot, and so does a new holder. */
export async function releaseSlot(db: Db, slot: IdempotencySlot, holder: string): Promise<void> {
  await db.query(
    `delete from idempotent_answers
      where user_id = $1 and project_id = $2 and path = $3 and idempotency_key = $4 and holder = $5 and sealed = $6
            and body is null`,
    [...slotKey(slot), holder, kinds.indexOf("running")],
  );
}
