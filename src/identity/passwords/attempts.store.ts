import { hash } from "node:crypto";
import type { Db } from "../../store/db.ts";
import { rememberedMilliseconds } from "./attempt-rows.ts";

/** Failures of a source, or the moment until which a budget is used. */
export interface AttemptRow {
  failures: number;
  at: number;
  until: number;
}

/** By the database's clock, which all nodes share. Only PostgreSQL has several nodes, so this is its own SQL. */
const databaseNow = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
const rowsMax = 1_000_000;

/** Addresses and accounts are not written down: the rows hold hashes of them. */
const hashOf = (key: string): string => hash("sha256", key, "base64url").slice(0, 32);

/** Locks the rows in one order, so that two nodes never deadlock. A row that does not exist is made, so that it can be locked. */
export async function lockAttempts(
  db: Db,
  keys: readonly string[],
): Promise<{ now: number; rows: Map<string, AttemptRow> }> {
  const named = new Map(keys.map((key) => [hashOf(key), key]));
  const hashes = JSON.stringify([...named.keys()]);
  await db.query(
    `insert into sign_in_attempts (key, failures, at, until)
     select value, 0, 0, 0 from json_array_elements_text($1::text::json) order by value on conflict (key) do nothing`,
    [hashes],
  );
  const locked = await db.query<AttemptRow & { key: string; now: number }>(
    `select key, failures, at, until, ${databaseNow} as now from sign_in_attempts
      where key in (select value from json_array_elements_text($1::text::json)) order by key for update`,
    [hashes],
  );
  const rows = new Map<string, AttemptRow>();
  for (const { key, failures, at, until } of locked) {
    const name = named.get(key);
    if (name !== undefined && (at > 0 || until > 0)) rows.set(name, { failures, at, until });
  }
  return { now: Math.max(0, ...locked.map(({ now }) => now)), rows };
}

export async function saveAttempts(db: Db, changed: ReadonlyMap<string, AttemptRow | null>): Promise<void> {
  const none: AttemptRow = { failures: 0, at: 0, until: 0 };
  const given = [...changed].map(([key, row]) => {
    const { failures, at, until } = row ?? none;
    return { key: hashOf(key), failures, at: Math.round(at), until: Math.round(until) };
  });
  await db.query(
    `update sign_in_attempts as a set failures = g.failures, at = g.at, until = g.until
       from json_to_recordset($1::text::json) as g(key text, failures double precision, at bigint, until bigint)
      where a.key = g.key`,
    [JSON.stringify(given)],
  );
}

/** Deletes what no longer counts; above a million rows, those with the fewest failures too. */
export async function deleteOldAttempts(db: Db): Promise<void> {
  await db.query(
    `delete from sign_in_attempts where key in (
       select key from sign_in_attempts where until <= ${databaseNow} and at <= ${databaseNow} - $1 order by key ${db.skipLocked})`,
    [rememberedMilliseconds],
  );
  await db.query(
    "delete from sign_in_attempts where key in (select key from sign_in_attempts order by failures desc, at desc offset $1)",
    [rowsMax],
  );
}
