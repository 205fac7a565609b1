import { DatabaseSync } from "node:sqlite";

/** A process at work on a store that is a file. */
export interface AtWork {
  leave(): void;
}

/** Who has the lock for itself does so for one short transaction. */
const newcomersWaitMilliseconds = 10_000;
const busy = 5;

/**
 * Everybody who works on such a store shares a lock in a file beside it, until it ends, however it ends: the system takes
 * locks back from the dead. A newcomer who can have the lock for itself is the only one; `whenAlone` runs before anybody else
 * can begin.
 */
export async function beginWork(lockFile: string, whenAlone: () => Promise<void>): Promise<AtWork> {
  const lock = new DatabaseSync(lockFile);
  try {
    if (isMineAlone(lock)) {
      await whenAlone();
      lock.exec("rollback");
    }
    lock.exec(`pragma busy_timeout = ${newcomersWaitMilliseconds}`);
    // It is the reading that takes the lock, and the transaction that keeps it.
    lock.exec("begin; select count(*) from sqlite_master");
  } catch (error) {
    lock.close();
    throw error;
  }
  return { leave: () => lock.close() };
}

/** For what must not happen under anybody's hands. Answers null, and does nothing, where somebody is at work. */
export async function whileNobodyWorks<T>(lockFile: string, work: () => Promise<T>): Promise<{ result: T } | null> {
  const lock = new DatabaseSync(lockFile);
  try {
    return isMineAlone(lock) ? { result: await work() } : null;
  } finally {
    lock.close();
  }
}

function isMineAlone(lock: DatabaseSync): boolean {
  try {
    // Nothing is ever written: with a journal on the disk, a full one would refuse the lock.
    lock.exec("pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === busy) return false;
    throw error;
  }
}
