import type { Db } from "../../store/db.ts";

/** The accounts that a password for this address is compared with, and since when each has its password. */
export const listWithPassword = (db: Db, emailKey: string): Promise<{ id: string; changed_at: string | null }[]> =>
  db.query(
    `select u.id, p.changed_at from users u left join passwords p on p.user_id = u.id
      where u.email_key = $1 and u.kind = 'person'`,
    [emailKey],
  );

/** Where people have signed in to them from, since then. */
export const listProvedAddresses = (db: Db, emailKey: string): Promise<{ id: string; ip: string }[]> =>
  db.query(
    `select distinct u.id, s.ip from users u
       join sessions s on s.user_id = u.id
       left join passwords p on p.user_id = u.id
      where u.email_key = $1 and u.kind = 'person' and s.ip is not null
        and (p.changed_at is null or s.created_at >= p.changed_at)`,
    [emailKey],
  );
