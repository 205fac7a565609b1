import { DatabaseSync } from "node:sqlite";

/** A process that uses a SQLite file. */
export interface SharedLock {
  release(): void;
}

/** Another process uses the file, and this one may not share it. */
export class FileInUse extends Error {}

/** A process that is just ending may still finish its calls. */
const enderWaitMilliseconds = 5_000;

/** A process holds the exclusive lock only for one short transaction. */
const newcomersWaitMilliseconds = 10_000;
const busy = 5;

/**
 * Every process that uses the file holds a shared lock in a file beside it until it ends; the operating system releases
 * the locks of dead processes. A process that gets the exclusive lock is alone; `whenAlone` runs before any other
 * process can start. One that may not share the file waits a moment for another to end, and then throws `FileInUse`.
 */
export async function lockShared(
  lockFile: string,
  whenAlone: () => Promise<void>,
  mayShare = true,
): Promise<SharedLock> {
  const lock = new DatabaseSync(lockFile);
  try {
    if (takeExclusive(lock, mayShare ? 0 : enderWaitMilliseconds)) {
      await whenAlone();
      lock.exec("rollback");
    } else if (!mayShare) throw new FileInUse("Another process uses it.");
    lock.exec(`pragma busy_timeout = ${newcomersWaitMilliseconds}`);
    // Reading takes the shared lock, and the open transaction keeps it.
    lock.exec("begin; select count(*) from sqlite_master");
  } catch (error) {
    lock.close();
    throw error;
  }
  return { release: () => lock.close() };
}

/** For work that needs the file for itself. Returns null, and does nothing, if another process uses the file. */
export async function withExclusiveLock<T>(lockFile: string, work: () => Promise<T>): Promise<{ result: T } | null> {
  const lock = new DatabaseSync(lockFile);
  try {
    return takeExclusive(lock) ? { result: await work() } : null;
  } finally {
    lock.close();
  }
}

function takeExclusive(lock: DatabaseSync, waitMilliseconds = 0): boolean {
  try {
    // Nothing is ever written: with a journal on disk, a full disk would refuse the lock.
    lock.exec(`pragma busy_timeout = ${waitMilliseconds}; pragma journal_mode = memory; begin exclusive`);
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === busy) return false;
    throw error;
  }
}
