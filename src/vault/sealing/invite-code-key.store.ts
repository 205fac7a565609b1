import type { Db } from "../../store/db.ts";

export interface CodeKeyRow {
  master_key_id: string;
  wrapped: string;
}

export async function findCodeKey(db: Pick<Db, "query">): Promise<CodeKeyRow | null> {
  const [row] = await db.query<CodeKeyRow>("select master_key_id, wrapped from code_keys where id = 'invites'");
  return row ?? null;
}

/** Of two concurrent inserts, the first one stays. */
export async function insertCodeKey(db: Db, key: CodeKeyRow, now: string): Promise<void> {
  await db.query(
    `insert into code_keys (id, master_key_id, wrapped, created_at) values ('invites', $1, $2, $3)
     on conflict (id) do nothing`,
    [key.master_key_id, key.wrapped, now],
  );
}

/** Skips a key that was wrapped again meanwhile. */
export async function replaceCodeKey(db: Db, before: CodeKeyRow, after: CodeKeyRow): Promise<void> {
  await db.query(
    "update code_keys set master_key_id = $1, wrapped = $2 where id = 'invites' and master_key_id = $3 and wrapped = $4",
    [after.master_key_id, after.wrapped, before.master_key_id, before.wrapped],
  );
}
