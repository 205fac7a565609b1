import type { Db } from "../../store/db.ts";

export interface GeneratorRow {
  id: string;
  user_id: string;
  organization_id: string;
  sealed: string;
  data_key_id: string;
  confirmed_at: string | null;
  last_step: number;
  created_at: string;
}

export async function insertGenerator(db: Db, row: GeneratorRow): Promise<void> {
  await db.query(
    `insert into code_generators (id, user_id, organization_id, sealed, data_key_id, confirmed_at, last_step, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.id,
      row.user_id,
      row.organization_id,
      row.sealed,
      row.data_key_id,
      row.confirmed_at,
      row.last_step,
      row.created_at,
    ],
  );
}

export async function findGenerator(db: Db, userId: string, confirmed: boolean): Promise<GeneratorRow | null> {
  const [row] = await db.query<GeneratorRow>(
    `select * from code_generators where user_id = $1 and confirmed_at is ${confirmed ? "not null" : "null"}`,
    [userId],
  );
  return row ?? null;
}

/** "Each time step accepted once": of two concurrent uses of a code, one succeeds. */
export async function useStep(db: Db, id: string, step: number): Promise<boolean> {
  const rows = await db.query(
    "update code_generators set last_step = $2 where id = $1 and last_step < $2 returning id",
    [id, step],
  );
  return rows.length > 0;
}

export async function markConfirmed(db: Db, id: string, step: number, at: string): Promise<void> {
  await db.query("update code_generators set confirmed_at = $3, last_step = $2 where id = $1", [id, step, at]);
}

export async function deleteGenerators(db: Db, userId: string, which: "confirmed" | "pending" | "all"): Promise<void> {
  const only = { confirmed: "and confirmed_at is not null", pending: "and confirmed_at is null", all: "" }[which];
  await db.query(`delete from code_generators where user_id = $1 ${only}`, [userId]);
}

export async function deleteRecoveryCodes(db: Db, userId: string): Promise<void> {
  await db.query("delete from recovery_codes where user_id = $1", [userId]);
}

export async function insertRecoveryCode(db: Db, userId: string, hash: string): Promise<void> {
  await db.query("insert into recovery_codes (user_id, hash) values ($1, $2)", [userId, hash]);
}

/** Copies the unused codes. */
export async function copyRecoveryCodes(db: Db, from: string, to: string): Promise<void> {
  await db.query(
    "insert into recovery_codes (user_id, hash) select $2, hash from recovery_codes where user_id = $1 and used_at is null",
    [from, to],
  );
}

export async function useRecoveryCode(db: Db, userId: string, hash: string, at: string): Promise<boolean> {
  const rows = await db.query(
    "update recovery_codes set used_at = $3 where user_id = $1 and hash = $2 and used_at is null returning hash",
    [userId, hash, at],
  );
  return rows.length > 0;
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const rows = await db.query("select hash from recovery_codes where user_id = $1 and used_at is null", [userId]);
  return rows.length;
}
