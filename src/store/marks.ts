import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { open, rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type Store, StoreUnavailable } from "./db.ts";
import { keepRestored, raiseMark, readMark } from "./marks.store.ts";

export { keepRestored, readMark, type StoreMark } from "./marks.store.ts";

/** What stands beside the database file. */
interface MarkBeside {
  store_id: string;
  mark: number;
}

const raiseEveryMilliseconds = 10_000;
/** So long the last try counts for whoever asks. */
const triedMilliseconds = 2_000;

/** Follows how far a store that is a file has come, in the store first and then beside it. */
export interface Marks {
  /** Why nothing can be written just now, or null. Tries it, seldom. */
  whyNoWrites(): Promise<string | null>;
  stop(): Promise<void>;
}

export function followMarks(store: Store, file: string, now: () => Date): Marks {
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: string | null = null;
  let trying: Promise<void> | null = null;
  async function attempt(): Promise<void> {
    try {
      await raise(store, file, now());
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
    async whyNoWrites() {
      if (store.room?.wasRefused || performance.now() - triedAt > triedMilliseconds) await tryNow();
      return failure;
    },
    async stop() {
      clearInterval(timer);
      await tryNow();
    },
  };
}

const fullText = "the disk is full, and writes are refused";
const roomBytes = 1024 * 1024;

/** A mark is small, and may find a place where what people write finds none. */
async function isStillFull({ room }: Store, file: string): Promise<boolean> {
  if (!room?.wasRefused) return false;
  const { bavail, bsize } = await statfs(dirname(file));
  room.wasRefused = bavail * bsize < roomBytes;
  return room.wasRefused;
}

const whyOf = (error: unknown): string =>
  error instanceof StoreUnavailable && error.reason === "full" ? fullText : "the store refuses writes";

/**
 * Whether the store is older than the mark beside it says, was moved here without one, or is the copy of another. The mark in
 * the store is durable before the one beside it is written, so a crash leaves the one beside lower or equal, never higher.
 */
export async function isPutBack(store: Store, file: string, isEmpty: () => Promise<boolean>): Promise<boolean> {
  const [inside, beside] = [await readMark(store), readBeside(file)];
  // A mark of 0 is written before the store has any.
  if (!inside) return beside !== null && beside.mark > 0 && !(await isEmpty());
  return beside === null || beside.store_id !== inside.storeId || beside.mark > inside.mark;
}

/** From now on the store knows that it was put back. */
export const noteRestored = (store: Store, now: Date): Promise<void> =>
  store.transaction((db) => keepRestored(db, randomUUID(), now.toISOString()));

/** The store goes first. What is beside it follows as soon as it can, and is made before the store's very first mark. */
export async function raise(store: Store, file: string, now: Date): Promise<void> {
  const [inside, beside] = [await readMark(store), readBeside(file)];
  const storeId = inside?.storeId ?? randomUUID();
  if (!inside) await writeBeside(file, { store_id: storeId, mark: 0 });
  const above = beside?.store_id === storeId ? beside.mark : 0;
  const raised = await store.transaction((db) => raiseMark(db, storeId, above, now.toISOString()));
  if (raised) await writeBeside(file, { store_id: raised.storeId, mark: raised.mark }).catch(() => {});
}

function readBeside(file: string): MarkBeside | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as MarkBeside;
  } catch {
    return null;
  }
}

async function writeBeside(file: string, mark: MarkBeside): Promise<void> {
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
