import type { Db } from "../../store/db.ts";

export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const [row] = await db.query<{ hash: string }>("select hash from passwords where user_id = $1", [userId]);
  return row?.hash ?? null;
}

export async function findPasswordChange(db: Db, userId: string): Promise<string | null> {
  const [row] = await db.query<{ changed_at: string }>("select changed_at from passwords where user_id = $1", [userId]);
  return row?.changed_at ?? null;
}

export async function upsertPassword(db: Db, userId: string, hash: string, at: string): Promise<void> {
  await db.query(
    `insert into passwords (user_id, hash, changed_at) values ($1, $2, $3)
     on conflict (user_id) do update set hash = excluded.hash, changed_at = excluded.changed_at`,
    [userId, hash, at],
  );
}

export async function copyPasswordRow(db: Db, from: string, to: string): Promise<void> {
  await db.query(
    `insert into passwords (user_id, hash, changed_at) select $2, hash, changed_at from passwords where user_id = $1
     on conflict (user_id) do nothing`,
    [from, to],
  );
}
