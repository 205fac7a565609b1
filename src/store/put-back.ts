import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "./db.ts";
import { knownMigrations } from "./migrate.ts";

/** Why a file cannot be put in a store's place, as a sentence. */
export class CopyRefused extends Error {}

/** Beside whoever is at work: `vacuum into` reads one snapshot, and holds up no writer. What is there then is whole. */
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

/** A whole SQLite file with a schema of ours that this program knows. Changes nothing. */
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
 * Puts a copy in the place of a store that nobody is at work on. `prepare` works on the copy before that, so that there is no
 * moment at which a store stands there that does not know what it is. Answers where the old one is now; null where there was none.
 */
export async function putBack(
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
  // One rename: whenever this is cut off, a whole store stands there.
  renameSync(draft, file);
  return aside;
}

function moveAside(file: string, aside: string): void {
  try {
    const old = new DatabaseSync(file);
    // Whoever closes it last writes the log back, and takes it away.
    old.exec("pragma wal_checkpoint(truncate)");
    old.close();
  } catch {
    // A damaged one is kept with its log, as it is.
    if (existsSync(`${file}-wal`)) linkSync(`${file}-wal`, `${aside}-wal`);
  }
  linkSync(file, aside);
  for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
}
