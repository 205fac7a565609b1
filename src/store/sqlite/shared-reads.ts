import type { DatabaseSync } from "node:sqlite";
import { isDynamic, type Row, type Value } from "../db.ts";
import type { QueryCache } from "./query-cache.ts";

type Run = (sql: string, values?: readonly Value[]) => Row[];

export interface SharedReads {
  /** Lets all reads of this turn of the event loop share one version check and one read transaction. */
  share(): void;
  /** Ends the shared read transaction before a batch starts. */
  end(): void;
  read(sql: string, values?: readonly Value[]): Row[];
}

export interface SharedReadParts {
  writer: DatabaseSync;
  /** Runs a statement on the writing connection. */
  write: Run;
  /** Runs a statement on the connection that refuses to write. */
  readOnly: Run;
  cache: QueryCache;
  isBatchOpen(): boolean;
}

/**
 * Reads outside transactions. They use the writing connection while no batch is open: SQLite empties a connection's page
 * cache whenever another connection commits, so the reading connection starts cold after every batch.
 */
export function createSharedReads({ writer, write, readOnly, cache, isBatchOpen }: SharedReadParts): SharedReads {
  const [beginRead, endRead] = [writer.prepare("begin"), writer.prepare("commit")];
  let isShared = false;
  let isReading = false;

  function end(): void {
    isShared = false;
    if (!isReading) return;
    isReading = false;
    try {
      endRead.run();
    } catch {
      // After an input/output error SQLite has ended the transaction itself. It only read, so nothing is lost.
      if (writer.isTransaction) writer.exec("rollback");
    }
  }

  const onlyReads = new Set<string>();
  function run(sql: string, values: readonly Value[]): Row[] {
    if (!onlyReads.has(sql)) {
      // The first time, it goes to the connection that refuses to write.
      const rows = readOnly(sql, values);
      onlyReads.add(sql);
      return rows;
    }
    if (isShared && !isReading) {
      beginRead.run();
      isReading = true;
    }
    return write(sql, values);
  }

  return {
    share() {
      if (isShared || isBatchOpen()) return;
      isShared = true;
      cache.invalidateIfChanged();
      setImmediate(end);
    },
    end,
    read(sql, values = []) {
      if (isDynamic(sql)) return readOnly(sql, values);
      // No other connection can commit meanwhile, and the batch's own commit invalidates its changes.
      if (isBatchOpen()) return cache.read(sql, values, readOnly);
      if (!isShared) cache.invalidateIfChanged();
      return cache.read(sql, values, run);
    },
  };
}
