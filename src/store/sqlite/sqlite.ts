import type { DatabaseSync } from "node:sqlite";
import { type Store, StoreUnavailable, type Value } from "../db.ts";
import { createCheckpointer, type LogLimits } from "./checkpoints.ts";
import { asUnavailable, openConnection, statementRunner } from "./connection.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { createQueryCache } from "./query-cache.ts";
import { openReadThread } from "./read-thread.ts";
import { createSharedReads } from "./shared-reads.ts";

export interface SqliteOptions {
  logLimits?: LogLimits;
  /** What a commit survives: without power it needs an fsync, which takes most of the time of a small commit. Only tests give it up. */
  outlives?: "the machine" | "the process";
}

/**
 * One file, one writing connection and one reading connection.
 *
 * Pages have 4 KiB, SQLite's default. With 8 KiB, creating invites for one organization takes 3 % less, because fewer pages
 * split; among a million of them, for a thousand organizations in turn, it takes 14 % more, because each changed page is
 * written whole (npm run bench -- calls, -- big).
 */
export function openSqlite(file: string, { logLimits, outlives = "the machine" }: SqliteOptions = {}): Store {
  const synchronous = outlives === "the machine" ? "full" : "off";
  const writer = openConnection(
    file,
    `pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma foreign_keys = on; pragma temp_store = memory`,
  );
  fitToSize(writer);
  const reader = openConnection(file, "pragma query_only = on; pragma cache_size = -4096");
  const readThread = openReadThread(file);

  const diskSpace = { wasRefused: false };
  let isClosed = false;

  const write = statementRunner(writer);
  const cache = createQueryCache(writer);
  const isBatchOpen = (): boolean => commits.isOpen();
  const checkpoints = createCheckpointer(file, writer, isBatchOpen, logLimits);
  const reads = createSharedReads({ writer, write, readOnly: statementRunner(reader), cache, isBatchOpen });
  const commits: GroupCommit = createGroupCommit({
    writer,
    write,
    cache,
    checkpoints,
    endRead: reads.end,
    onFull: () => {
      diskSpace.wasRefused = true;
    },
  });

  const refuseClosed = (): void => {
    if (isClosed) throw new StoreUnavailable("unreachable", new Error("The store is closed."));
  };

  const query = async <R>(sql: string, values?: readonly Value[]): Promise<R[]> => {
    refuseClosed();
    try {
      return reads.read(sql, values) as R[];
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  return {
    kind: "sqlite",
    diskSpace,
    query,
    reserve: { query },
    transaction: commits.transaction,
    skipLocked: "",
    lockRow: "",
    shareReads() {
      if (!isClosed) reads.share();
    },
    querySlow: async <R>(sql: string, values: readonly Value[] = []) => {
      refuseClosed();
      return (await readThread.query(sql, values)) as R[];
    },
    exclusively: commits.exclusively,
    async close() {
      isClosed = true;
      await commits.close();
      await readThread.close();
      await checkpoints.close();
      reads.end();
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

const mebibyte = 1024 * 1024;

/**
 * Sets the size of the page cache. The cache never shrinks: a million items through `all_pages` leave a server 49 MB above
 * its rest with 32 MB, and 91 MB with 64. Below 1 GiB a larger cache does not pay either, because SQLite scans all of it
 * with most commits. Above, changes are scattered, and more pages are read again.
 */
function fitToSize(writer: DatabaseSync): void {
  const read = (pragma: string): number => Number(writer.prepare(`pragma ${pragma}`).get()?.[pragma]);
  const pageBytes = read("page_size");
  const isLarge = read("page_count") * pageBytes > 1024 * mebibyte;
  const cacheKibibytes = isLarge ? 65_536 : 32_768;
  writer.exec(`pragma cache_size = -${cacheKibibytes}; pragma wal_autocheckpoint = 0`);
}
