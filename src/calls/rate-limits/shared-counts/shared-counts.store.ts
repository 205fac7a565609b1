import { hash } from "node:crypto";
import type { Db } from "../../../store/db.ts";
import type { Ask } from "./share-windows.ts";
import type { SharedCount } from "./window.ts";

/** By the database's clock, which all nodes share. Only PostgreSQL has several nodes, so this is its own SQL. */
const databaseNow = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/**
 * Also a window that ends later than any can: the database's clock was ahead when it began, and is set back. Twice as long, because a
 * clock that is set back by less than a window must not give a caller a second quota.
 */
const isOver = `(c.ends_at <= ${databaseNow}
  or c.ends_at > ${databaseNow} + 2 * ($2::text::json -> c.policy ->> 'window')::bigint)`;

/** Subjects are addresses and parts of keys: the rows hold hashes of them. */
const keyOf = (subject: string): string => hash("sha256", subject, "base64url").slice(0, 32);

/**
 * One statement, all or none of the changes. A sum above the quota shows that some of the change did not fit; the next change starts from
 * the quota. Rows are changed in the order of their keys, so that two nodes never deadlock.
 */
export async function changeCounts(db: Pick<Db, "query">, asks: readonly Ask[]): Promise<SharedCount[]> {
  const given = asks.map(({ policy, subject, change, millisecondsLeft }) => {
    return { policy, subject: keyOf(subject), change, remains: millisecondsLeft };
  });
  const policies = Object.fromEntries(
    asks.map(({ policy, quota, windowMilliseconds }) => [policy, { quota, window: windowMilliseconds }]),
  );
  const rows = await db.query<{ policy: string; subject: string; used: number; remains: number }>(
    `insert into call_counts as c (policy, subject, used, ends_at)
     select given.policy, given.subject, given.change, ${databaseNow} + given.remains
       from json_to_recordset($1::text::json) as given(policy text, subject text, change integer, remains bigint)
      order by given.policy, given.subject
     on conflict (policy, subject) do update set
       used = excluded.used + case when ${isOver} then 0
              else greatest(0, least(c.used, ($2::text::json -> c.policy ->> 'quota')::integer)) end,
       ends_at = case when ${isOver} then excluded.ends_at else c.ends_at end
     returning c.policy, c.subject, c.used, c.ends_at - ${databaseNow} as remains`,
    [JSON.stringify(given), JSON.stringify(policies)],
  );
  const found = new Map(rows.map((row) => [`${row.policy} ${row.subject}`, row]));
  return given.map(({ policy, subject, change, remains }) => {
    const row = found.get(`${policy} ${subject}`);
    return { sum: row?.used ?? change, millisecondsLeft: Math.max(0, row?.remains ?? remains) };
  });
}

/** In the column `policy` of a row that stands for a process. */
const ofProcess = "process";

/** Shows that this process shares the counts, and returns how many do. */
export async function putProcess(db: Pick<Db, "query">, process: string, milliseconds: number): Promise<number> {
  await db.query(
    `insert into call_counts (policy, subject, used, ends_at) values ($1, $2, 0, ${databaseNow} + $3)
     on conflict (policy, subject) do update set ends_at = excluded.ends_at`,
    [ofProcess, process, milliseconds],
  );
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from call_counts
      where policy = $1 and ends_at > ${databaseNow} and ends_at <= ${databaseNow} + 2 * $2::bigint`,
    [ofProcess, milliseconds],
  );
  return row?.count ?? 1;
}

export async function deleteProcess(db: Db, process: string): Promise<void> {
  await db.query("delete from call_counts where policy = $1 and subject = $2", [ofProcess, process]);
}

/** Deletes windows that have ended. Above `rowsMax`, deletes those with the fewest calls too. */
export async function deleteEnded(db: Db, rowsMax: number): Promise<void> {
  await db.query(
    `delete from call_counts where (policy, subject) in (
       select policy, subject from call_counts where ends_at < ${databaseNow} - 60000 order by policy, subject ${db.skipLocked})`,
  );
  await db.query(
    `delete from call_counts where (policy, subject) in (
       select policy, subject from call_counts where policy <> $1 order by used desc, ends_at desc offset $2)`,
    [ofProcess, rowsMax],
  );
}
