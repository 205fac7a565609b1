import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { open, rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type Store, StoreUnavailable } from "./db.ts";
import { incrementMark, readMark, type StoreMark, saveRestored } from "./restore-detection.store.ts";

export { readMark, type StoreMark, saveRestored, saveSettled } from "./restore-detection.store.ts";

/** The copy of the mark in a file beside the database. */
interface MarkFile {
  store_id: string;
  mark: number;
}

const raiseEveryMilliseconds = 10_000;
/** How long the last attempt counts as current. */
const triedMilliseconds = 2_000;

/** Raises the mark of a SQLite store from time to time, first inside the store and then in the file beside it. */
export interface MarkWriter {
  /**
   * Resolves once it is recorded that the store was restored; at once if there is nothing to record. No mark is raised
   * before that: it would hide the restore from the next start.
   */
  recorded: Promise<void>;
  isRecorded(): boolean;
  /** Why writes fail at the moment, or null. Attempts a write if the last attempt is old. */
  writeFailure(): Promise<string | null>;
  stop(): Promise<void>;
}

/** `record` is what this start could not record, because the disk was full. It may be called again after it failed. */
export function startMarkWriter(
  store: Store,
  file: string,
  now: () => Date,
  record: (() => Promise<void>) | null = null,
): MarkWriter {
  const recorded = Promise.withResolvers<void>();
  let isRecorded = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: string | null = null;
  let trying: Promise<void> | null = null;
  function markAsRecorded(): void {
    isRecorded = true;
    recorded.resolve();
  }
  if (record === null) markAsRecorded();
  async function attempt(): Promise<void> {
    try {
      if (!isRecorded) await record?.();
      markAsRecorded();
      await raiseMark(store, file, now());
      failure = (await isStillFull(store, file)) ? fullText : null;
    } catch (error) {
      failure = whyOf(error);
    }
    triedAt = performance.now();
    trying = null;
  }
  const tryNow = (): Promise<void> => {
    trying ??= attempt();
    return trying;
  };
  const timer = setInterval(tryNow, raiseEveryMilliseconds).unref();
  return {
    recorded: recorded.promise,
    isRecorded: () => isRecorded,
    async writeFailure() {
      if (store.diskSpace?.wasRefused || performance.now() - triedAt > triedMilliseconds) await tryNow();
      return failure;
    },
    async stop() {
      clearInterval(timer);
      await tryNow();
    },
  };
}

export const fullText = "the disk is full, and writes are refused";
const freeBytesMin = 1024 * 1024;

/** A mark is small and may still fit where users' writes do not. */
async function isStillFull({ diskSpace }: Store, file: string): Promise<boolean> {
  if (!diskSpace?.wasRefused) return false;
  const { bavail, bsize } = await statfs(dirname(file));
  diskSpace.wasRefused = bavail * bsize < freeBytesMin;
  return diskSpace.wasRefused;
}

const whyOf = (error: unknown): string => {
  if (!(error instanceof StoreUnavailable)) return "the store refuses writes";
  if (error.reason === "full") return fullText;
  return error.reason === "damaged" ? "the file of the store is damaged" : "the store refuses writes";
};

/**
 * Whether the store is older than the mark beside it, was moved here without one, or is a copy of another store. The
 * mark in the store is durable before the one beside it is written, so a crash leaves the one beside lower or equal,
 * never higher.
 */
export async function wasRestored(store: Store, file: string, isEmpty: () => Promise<boolean>): Promise<boolean> {
  const { inside, beside } = await readBoth(store, file);
  // A mark of 0 is written before the store has any.
  if (!inside) return beside !== null && beside.mark > 0 && !(await isEmpty());
  return beside === null || beside.store_id !== inside.storeId || beside.mark > inside.mark;
}

/** Another process may raise both meanwhile: the one beside the store is read before and after the one inside. */
async function readBoth(store: Store, file: string): Promise<{ inside: StoreMark | null; beside: MarkFile | null }> {
  for (let beside = readMarkFile(file); ; ) {
    const inside = await readMark(store);
    const again = readMarkFile(file);
    if (again?.store_id === beside?.store_id && again?.mark === beside?.mark) return { inside, beside };
    beside = again;
  }
}

export const markRestored = (store: Store, now: Date): Promise<void> =>
  store.transaction((db) => saveRestored(db, randomUUID(), now.toISOString()));

export const isSettled = (mark: StoreMark | null): boolean => mark === null || mark.restoredAt === mark.settledRestore;

/** Raises the mark in the store first, then the copy beside it. The copy exists before the store's first mark. */
export async function raiseMark(store: Store, file: string, now: Date): Promise<void> {
  const [inside, beside] = [await readMark(store), readMarkFile(file)];
  const storeId = inside?.storeId ?? randomUUID();
  if (!inside) await writeMarkFile(file, { store_id: storeId, mark: 0 });
  const above = beside?.store_id === storeId ? beside.mark : 0;
  const raised = await store.transaction((db) => incrementMark(db, storeId, above, now.toISOString()));
  // An older copy beside the store is no sign of a restore, and the next mark replaces it.
  if (raised) await writeMarkFile(file, { store_id: raised.storeId, mark: raised.mark }).catch(() => {});
}

function readMarkFile(file: string): MarkFile | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as MarkFile;
  } catch {
    // A file that a crash cut off counts as none; the next mark replaces it.
    return null;
  }
}

async function writeMarkFile(file: string, mark: MarkFile): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    const handle = await open(draft, "w", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(mark)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
