import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../kernel/work-in-slices.ts";
import { type Db, type Row, transactionDb, type Value } from "../db.ts";
import { asUnavailable } from "./connection.ts";
import type { QueryCache } from "./query-cache.ts";
import type { Job } from "./resume-callers.ts";
import type { WaitWatch } from "./watch-waits.ts";

/** A batch that has written this many characters commits: a commit writes all of them at once, at about 2 ms for each million. */
const writtenMax = 4_000_000;

/** How long a batch may block the event loop before it yields and then continues. */
const sliceMilliseconds = 2;

export interface BatchedJob extends Job {
  work: (db: Db) => Promise<unknown>;
}

export interface BatchParts {
  writer: DatabaseSync;
  write: (sql: string, values?: readonly Value[]) => Row[];
  cache: QueryCache;
  waits: WaitWatch;
  /** Jobs that do not fit into a batch are first in the next one. */
  putBack(jobs: BatchedJob[]): void;
}

export interface BatchRunner {
  /**
   * Runs the transactions of a batch and commits them together; each has its outcome afterwards. Those that do not fit are taken out of the
   * batch. Throws if the whole batch failed.
   */
  run(batch: BatchedJob[]): Promise<void>;
  rollBack(): void;
  /** A rollback has failed, so the refused writes are still visible on the writing connection. */
  isLeftOpen(): boolean;
}

/**
 * Each transaction of a batch stays independent. A savepoint for each would do that in SQLite, which then copies every page
 * it touches (measured on creating an invite: a tenth of the whole call). So a batch first runs without savepoints. If a
 * transaction fails after a write, the batch rolls back and runs again with a savepoint for each.
 */
export function createBatchRunner({ writer, write, cache, waits, putBack }: BatchParts): BatchRunner {
  const [begin, commit] = [writer.prepare("begin immediate"), writer.prepare("commit")];
  const [savepoint, release] = [writer.prepare("savepoint one"), writer.prepare("release one")];
  const undo = writer.prepare("rollback to one");
  let isLeftOpen = false;
  let written = 0;

  function rollBack(): void {
    try {
      if (writer.isTransaction) writer.exec("rollback");
      isLeftOpen = false;
    } catch {
      // The caller gets the first failure. The next batch cannot begin, and so rolls back again.
      isLeftOpen = true;
    }
  }

  /** Returns false if the batch must run again; nothing of it is left. */
  async function runAll(batch: BatchedJob[], withSavepoints: boolean): Promise<boolean> {
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
      if (written >= writtenMax) putBack(batch.splice(index + 1));
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
  async function runOne(job: BatchedJob): Promise<boolean> {
    let wrote = false;
    const inside = transactionDb({
      kind: "sqlite",
      query: async <R>(sql: string, values?: readonly Value[]) => {
        waits.goesOn();
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
        waits.onWait(reject);
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

  return {
    async run(batch) {
      if (!(await runAll(batch, false))) await runAll(batch, true);
    },
    rollBack,
    isLeftOpen: () => isLeftOpen,
  };
}
