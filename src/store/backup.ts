import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { countedTables, type RowCounts } from "./count-rows.ts";
import type { Store } from "./db.ts";
import { knownMigrations } from "./migrate.ts";

/** Why a file cannot replace a store, as a sentence. */
export class CopyRefused extends Error {}

const lookMilliseconds = 100;

/**
 * Works beside running processes: `vacuum into` reads one snapshot and blocks no writer. The copy appears only when it
 * is complete and checked. `onProgress` gets the share that is written, as far as sizes tell.
 */
export async function copyStore(file: string, to: string, onProgress: (share: number) => void): Promise<CheckedCopy> {
  const draft = `${to}.partial`;
  rmSync(draft, { force: true });
  const bytes = statSync(file).size;
  const looking = setInterval(() => onProgress(Math.min(1, sizeOf(draft) / bytes)), lookMilliseconds);
  try {
    await copyInThread(file, draft);
    const checked = checkCopy(draft);
    renameSync(draft, to);
    return checked;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    clearInterval(looking);
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const copyInThread = (file: string, draft: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./copy-thread.ts", import.meta.url), { workerData: { file, draft } });
    thread.once("error", reject);
    thread.once("exit", () => resolve());
  });

export interface CheckedCopy {
  /** The number of its newest migration. */
  schema: number;
  rows: RowCounts;
}

/** Whether the file is an intact SQLite file with a schema that this program knows. Changes nothing. */
export function checkCopy(file: string): CheckedCopy {
  let copy: DatabaseSync | undefined;
  try {
    copy = new DatabaseSync(file, { readOnly: true });
    const [found] = copy.prepare("pragma integrity_check(1)").all();
    if (found?.integrity_check !== "ok") throw new CopyRefused(`It is damaged: ${found?.integrity_check}.`);
    const schema = Number(copy.prepare("select max(number) as newest from schema_migrations").get()?.newest ?? 0);
    const known = knownMigrations().at(-1)?.number ?? 0;
    if (schema > known) {
      throw new CopyRefused(
        `It has the schema ${schema}, and this program knows only up to ${known}: use the newer one.`,
      );
    }
    return { schema, rows: rowsIn(copy) };
  } catch (error) {
    if (error instanceof CopyRefused) throw error;
    const why = error instanceof Error ? error.message : error;
    throw new CopyRefused(`It is no store of this program: ${why}.`);
  } finally {
    copy?.close();
  }
}

const rowsIn = (copy: DatabaseSync): RowCounts =>
  Object.fromEntries(
    countedTables.map((table) => [table, Number(copy.prepare(`select count(*) as n from ${table}`).get()?.n)]),
  ) as RowCounts;

/**
 * Replaces a store that no process uses with a copy. `prepare` works on the copy first, so that at no moment an
 * unmarked copy is in use. Returns the path of the old store; null if there was none.
 */
export async function restoreCopy(
  copy: string,
  file: string,
  { now, open, prepare }: { now: Date; open(file: string): Store; prepare(store: Store): Promise<void> },
): Promise<string | null> {
  const draft = `${file}.restoring`;
  for (const suffix of ["", "-wal", "-shm"]) rmSync(draft + suffix, { force: true });
  copyFileSync(copy, draft);
  const store = open(draft);
  try {
    await prepare(store);
  } catch (error) {
    await store.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(draft + suffix, { force: true });
    throw error;
  }
  await store.close();
  const aside = existsSync(file) ? `${file}.before-restore-${now.toISOString().replaceAll(":", "-")}` : null;
  if (aside) moveAside(file, aside);
  // One rename: an interruption at any moment leaves a whole store.
  renameSync(draft, file);
  return aside;
}

function moveAside(file: string, aside: string): void {
  try {
    const old = new DatabaseSync(file);
    // The last connection to close checkpoints the log and deletes it.
    old.exec("pragma wal_checkpoint(truncate)");
    old.close();
  } catch {
    // A damaged store is kept with its log.
    if (existsSync(`${file}-wal`)) linkSync(`${file}-wal`, `${aside}-wal`);
  }
  linkSync(file, aside);
  for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
}
