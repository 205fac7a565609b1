import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../kernel/work-in-slices.ts";
import { type Db, type Row, StoreUnavailable, transactionDb, type Value } from "../db.ts";
import type { Checkpointer } from "./checkpoints.ts";
import { asUnavailable } from "./connection.ts";
import type { QueryCache } from "./query-cache.ts";
import { createResumeCallers } from "./resume-callers.ts";
import { type BatchedJob, createBatchRunner } from "./run-batch.ts";
import { createWaitWatch } from "./watch-waits.ts";

/** How many transactions may share one commit: enough to hide the fsync, few enough not to block the event loop. */
const batchMax = 256;

/** A batch collects transactions for at most this many turns of the event loop, as long as each turn brings more. */
const gatheringMax = 8;

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
 */
export function createGroupCommit(parts: GroupCommitParts): GroupCommit {
  const { writer, write, cache, checkpoints, endRead } = parts;
  const queue: BatchedJob[] = [];
  const callers = createResumeCallers(batchMax, parts.onFull);
  const waits = createWaitWatch(() => batchOpen);
  const batches = createBatchRunner({ writer, write, cache, waits, putBack: (jobs) => void queue.unshift(...jobs) });
  let isClosed = false;
  let batchOpen = false;
  let draining = false;

  function enqueue<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(new StoreUnavailable("unreachable", new Error("The store is closed.")));
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as BatchedJob["resolve"], reject });
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
    waits.start();
    try {
      endRead();
      await batches.run(batch);
    } catch (error) {
      batches.rollBack();
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
      callers.add(batch);
      if (queue.length > 0) setImmediate(gather, 0, 0);
      else draining = false;
    }
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
      batches.rollBack();
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
    isOpen: () => batchOpen || (batches.isLeftOpen() && writer.isTransaction),
    async close() {
      isClosed = true;
      while (draining || !callers.isEmpty()) await nextTurn();
    },
  };
}
