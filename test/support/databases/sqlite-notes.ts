import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Db, Store } from "../../../src/store/db.ts";
import { openSqlite } from "../../../src/store/sqlite/sqlite.ts";
import { cleanUpLater, temporaryFolder } from "../stores.ts";

/** A SQLite store with a small table of notes, for tests of the store itself. */
export async function newNotes(): Promise<{ store: Store; file: string }> {
  const file = join(temporaryFolder(), "notes.sqlite");
  const store = openSqlite(file);
  cleanUpLater(() => store.close());
  await store.exclusively((_db, runScript) =>
    runScript(`create table notes (id text primary key, note text);
               create table answers (note_id text references notes (id) deferrable initially deferred)`),
  );
  return { store, file };
}

export const keep = (db: Db, id: string, note = "") =>
  db.query("insert into notes (id, note) values ($1, $2)", [id, note]);
export const kept = async (db: Db) =>
  (await db.query<{ id: string }>("select id from notes order by id")).map((row) => row.id);
export const manyAtOnce = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, i) => work(i)));
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * How often the file was committed to. In the write-ahead log each page is a frame, and the last frame of a commit says
 * how large the database is after it; the others say 0.
 */
export function commitsIn(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}
