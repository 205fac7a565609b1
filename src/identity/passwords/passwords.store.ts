import type { Db } from "../../store/db.ts";

export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const [row] = await db.query<{ hash: string }>("select hash from passwords where user_id = $1", [userId]);
  return row?.hash ?? null;
}

/** When the password was last changed; null if the account has none. */
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

/** Call it through `copyCredentials`, which also copies what the password requires. */
export async function copyPassword(db: Db, from: string, to: string): Promise<void> {
  await db.query(
    `insert into passwords (user_id, hash, changed_at) select $2, hash, changed_at from passwords where user_id = $1
     on conflict (user_id) do nothing`,
    [from, to],
  );
}

/** The accounts that a password for this address is compared with, and when each password was set. */
export const listWithPassword = (
  db: Db,
  emailKey: string,
): Promise<{ id: string; organization_id: string; changed_at: string | null }[]> =>
  db.query(
    `select u.id, u.organization_id, p.changed_at from users u left join passwords p on p.user_id = u.id
      where u.email_key = $1 and u.kind = 'person'`,
    [emailKey],
  );

/** The addresses from which users have signed in to these accounts since then. */
export const listSignInAddresses = (db: Db, emailKey: string): Promise<{ id: string; ip: string }[]> =>
  db.query(
    `select distinct u.id, s.ip from users u
       join sessions s on s.user_id = u.id
       left join passwords p on p.user_id = u.id
      where u.email_key = $1 and u.kind = 'person' and s.ip is not null
        and (p.changed_at is null or s.created_at >= p.changed_at)`,
    [emailKey],
  );
