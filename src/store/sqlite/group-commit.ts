import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../kernel/work-in-slices.ts";
import { type Db, type Row, StoreUnavailable, transactionDb, type Value } from "../db.ts";
import type { Checkpointer } from "./checkpoints.ts";
import { asUnavailable } from "./connection.ts";
import type { QueryCache } from "./query-cache.ts";

/** How many transactions may share one commit: enough to hide the fsync, few enough not to block the event loop. */
const batchMax = 256;

/** A batch that has written this many characters commits: a commit writes all of them at once, at about 2 ms for each million. */
const writtenMax = 4_000_000;

/** A batch collects transactions for at most this many turns of the event loop, as long as each turn brings more. */
const gatheringMax = 8;

/** How long a batch may block the event loop before it yields and then continues. */
const sliceMilliseconds = 2;

/**
 * The minimum of callers that resume per turn of the event loop while turns are long: their continuations run before the
 * turn ends. While turns are short the number doubles, because callers that resume together also return together.
 */
const resumedMin = 3;

/**
 * A transaction waits only for its own statements, which complete at once, and may yield between them. After this many
 * turns without a statement it is waiting for something else.
 */
const turnsMax = 100;

const waitsText =
  "A transaction waited for something besides its own statements: the network, a timer, or a transaction opened inside it.";

interface Job {
  work: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: { ok: true; value: unknown } | { ok: false; error: unknown };
}

type Script = (sql: string) => Promise<void>;

export interface GroupCommit {
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  exclusively<T>(work: (db: Db, runScript: Script) => Promise<T>): Promise<T>;
  /** Whether a transaction is open on the writing connection, which others must not read. */
  isOpen(): boolean;
  /** Refuses further transactions, and waits for those that were accepted. */
  close(): Promise<void>;
}

export interface GroupCommitParts {
  writer: DatabaseSync;
  write: (sql: string, values?: readonly Value[]) => Row[];
  cache: QueryCache;
  checkpoints: Checkpointer;
  /** Ends the shared read on the writing connection. */
  endRead(): void;
  /** A write was refused because the disk is full. */
  onFull(): void;
}

/**
 * Transactions that arrive together share one commit and one fsync; none resolves before that fsync. Measured with 64
 * callers: about ten times the durable transactions of committing one by one (npm run bench -- store).
 *
 * A batch collects turn after turn of the event loop, as long as more arrive. Callers that the last commit resolved call
 * again a moment later, and would otherwise always form a second batch (measured with 32 callers: two alternating batches
 * of 16, and an eighth more time for each call).
 *
 * Each transaction of a batch stays independent. A savepoint for each would do that in SQLite, which then copies every page
 * it touches (measured on creating an invite: a tenth of the whole call). So a batch first runs without savepoints. If a
 * transaction fails after a write, the batch rolls back and runs again with a savepoint for each.
 */
export function createGroupCommit(parts: GroupCommitParts): GroupCommit {
  const { writer, write, cache, checkpoints, endRead } = parts;
  const [begin, commit] = [writer.prepare("begin immediate"), writer.prepare("commit")];
  const [savepoint, release] = [writer.prepare("savepoint one"), writer.prepare("release one")];
  const undo = writer.prepare("rollback to one");

  const queue: Job[] = [];
  const committed: Job[] = [];
  let isClosed = false;
  let batchOpen = false;
  /** A rollback has failed, so the refused writes are still visible on the writing connection. */
  let isLeftOpen = false;
  let draining = false;
  let written = 0;

  function enqueue<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(new StoreUnavailable("unreachable", new Error("The store is closed.")));
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Job["resolve"], reject });
      if (!draining) {
        draining = true;
        setImmediate(gather, 0, 0);
      }
    });
  }

  function gather(before: number, turns: number): void {
    const { length } = queue;
    if (length > before && length < batchMax && turns < gatheringMax) setImmediate(gather, length, turns + 1);
    else void drain();
  }

  async function drain(): Promise<void> {
    const paused = checkpoints.commitsPaused();
    if (paused) await paused;
    const batch = queue.splice(0, batchMax);
    batchOpen = true;
    watchForWaits();
    try {
      endRead();
      if (!(await runAll(batch, false))) await runAll(batch, true);
    } catch (error) {
      rollBack();
      const failure = asUnavailable(error);
      for (const job of batch) job.outcome = { ok: false, error: failure };
    }
    batchOpen = false;
    try {
      cache.invalidateWritten();
      checkpoints.batchEnded();
    } finally {
      // Whatever fails after the commit, its callers resume and the next batch starts. The failure is logged as an
      // unhandled rejection.
      if (committed.push(...batch) === batch.length) resumeSome();
      if (queue.length > 0) setImmediate(gather, 0, 0);
      else draining = false;
    }
  }

  function rollBack(): void {
    try {
      if (writer.isTransaction) writer.exec("rollback");
      isLeftOpen = false;
    } catch {
      // The caller gets the first failure. The next batch cannot begin, and so rolls back again.
      isLeftOpen = true;
    }
  }

  let resumedAtOnce = resumedMin;
  function resumeSome(): void {
    const some = committed.splice(0, resumedAtOnce);
    if (committed.length > 0) setImmediate(resumeMore, performance.now());
    for (const { outcome, resolve, reject } of some) {
      if (outcome?.ok) resolve(outcome.value);
      else {
        if (outcome?.error instanceof StoreUnavailable && outcome.error.reason === "full") parts.onFull();
        reject(outcome?.error);
      }
    }
  }

  function resumeMore(before: number): void {
    const wasLong = performance.now() - before > sliceMilliseconds;
    resumedAtOnce = wasLong ? resumedMin : Math.min(batchMax, resumedAtOnce * 2);
    resumeSome();
  }

  /** Returns false if the batch must run again; nothing of it is left. */
  async function runAll(batch: Job[], withSavepoints: boolean): Promise<boolean> {
    begin.run();
    cache.invalidateIfChanged();
    let from = performance.now();
    written = 0;
    for (const [index, job] of batch.entries()) {
      if (performance.now() - from > sliceMilliseconds) {
        await nextTurn();
        from = performance.now();
      }
      if (withSavepoints) savepoint.run();
      const wrote = await runOne(job);
      // A full disk or a failed write makes SQLite roll back the whole transaction, including the rest of the batch.
      if (!writer.isTransaction) throw job.outcome?.ok === false ? job.outcome.error : new Error("Rolled back.");
      if (wrote && !job.outcome?.ok) {
        if (!withSavepoints) {
          writer.exec("rollback");
          return false;
        }
        undo.run();
      }
      if (withSavepoints) release.run();
      // The rest is first in the next batch.
      if (written >= writtenMax) queue.unshift(...batch.splice(index + 1));
    }
    try {
      commit.run();
    } catch (error) {
      overwriteFailedCommit();
      throw error;
    }
    return true;
  }

  /**
   * A commit whose fsync failed is whole in the log's file: after a crash it would be there, although its callers were
   * refused. The next commit overwrites it, so one that changes nothing follows at once. If the disk refuses that too,
   * the next one that works does it.
   */
  function overwriteFailedCommit(): void {
    rollBack();
    try {
      const { user_version } = writer.prepare("pragma user_version").get() ?? {};
      writer.exec(`pragma user_version = ${Number(user_version)}`);
    } catch {
      // The caller gets the first failure.
    }
  }

  /** Returns whether it wrote anything. */
  async function runOne(job: Job): Promise<boolean> {
    let wrote = false;
    const inside = transactionDb({
      kind: "sqlite",
      query: async <R>(sql: string, values?: readonly Value[]) => {
        turnsWaited = 0;
        if (sql.startsWith("select")) return cache.readInTransaction(sql, values ?? [], write) as R[];
        wrote = true;
        cache.recordWrite(sql);
        for (const value of values ?? []) if (typeof value === "string") written += value.length;
        return write(sql, values) as R[];
      },
      skipLocked: "",
      lockRow: "",
    });
    try {
      const value = await new Promise((resolve, reject) => {
        turnsWaited = 0;
        giveUp = reject;
        job.work(inside.db).then(resolve, reject);
      });
      job.outcome = { ok: true, value };
    } catch (error) {
      job.outcome = { ok: false, error: asUnavailable(error) };
    } finally {
      inside.end();
    }
    return wrote;
  }

  // A transaction opened inside another one would wait for itself, and block all others.
  let watching = false;
  let turnsWaited = 0;
  let giveUp: (reason: Error) => void = () => {};
  function watchForWaits(): void {
    if (watching) return;
    watching = true;
    setImmediate(function check() {
      watching = batchOpen;
      if (++turnsWaited > turnsMax) giveUp(new Error(waitsText));
      if (watching) setImmediate(check);
    });
  }

  async function exclusively<T>(work: (db: Db, runScript: Script) => Promise<T>): Promise<T> {
    while (batchOpen) await nextTurn();
    endRead();
    cache.clear();
    batchOpen = true;
    try {
      writer.exec("begin immediate");
      const query = async <R>(sql: string, values?: readonly Value[]) => write(sql, values) as R[];
      const inside = transactionDb({ kind: "sqlite", query, skipLocked: "", lockRow: "" });
      const result = await work(inside.db, async (sql) => writer.exec(sql));
      writer.exec("commit");
      return result;
    } catch (error) {
      rollBack();
      throw error;
    } finally {
      batchOpen = false;
      cache.clear();
      checkpoints.batchEnded();
    }
  }

  return {
    transaction: enqueue,
    exclusively,
    isOpen: () => batchOpen || (isLeftOpen && writer.isTransaction),
    async close() {
      isClosed = true;
      while (draining || committed.length > 0) await nextTurn();
    },
  };
}
