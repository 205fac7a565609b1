import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "./db.ts";
import { knownMigrations } from "./migrate.ts";

/** Why a file cannot replace a store, as a sentence. */
export class CopyRefused extends Error {}

/**
 * Works beside running processes: `vacuum into` reads one snapshot and blocks no writer. The copy appears only when it
 * is complete.
 */
export function copyStore(file: string, to: string): void {
  const draft = `${to}.partial`;
  rmSync(draft, { force: true });
  try {
    const store = new DatabaseSync(file, { timeout: 10_000 });
    try {
      store.prepare("vacuum into ?").run(draft);
    } finally {
      store.close();
    }
    checkCopy(draft);
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Checks that the file is an intact SQLite file with a schema that this program knows. Changes nothing. */
export function checkCopy(file: string): void {
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
  } catch (error) {
    if (error instanceof CopyRefused) throw error;
    const why = error instanceof Error ? error.message : error;
    throw new CopyRefused(`It is no store of this program: ${why}.`);
  } finally {
    copy?.close();
  }
}

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
  } finally {
    await store.close();
  }
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
