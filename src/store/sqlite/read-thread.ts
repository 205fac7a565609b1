import { Worker } from "node:worker_threads";
import { type Row, StoreUnavailable, type Value } from "../db.ts";
import { asUnavailable } from "./connection.ts";

interface Query {
  sql: string;
  values: readonly Value[];
  resolve(rows: Row[]): void;
  reject(reason: unknown): void;
}

interface QueryResult {
  rows?: Row[];
  failure?: { message: string; errcode?: number };
}

/** Starting the thread takes time, so it stays for a while for the next query. */
const idleMilliseconds = 30_000;

/**
 * SQLite runs a query on the calling thread. A query that may take long, because the caller chose the filter, runs on
 * its own thread, one after the other. It sees committed data like any reader.
 */
export function openReadThread(
  file: string,
  newThread = (script: URL): Worker => new Worker(script, { workerData: file, execArgv: [] }),
) {
  const waiting: Query[] = [];
  let thread: Worker | null = null;
  let current: Query | null = null;
  let idle: NodeJS.Timeout | undefined;

  function runNext(): void {
    clearTimeout(idle);
    do current = waiting.shift() ?? null;
    while (current && !send(current));
    if (current) return;
    idle = setTimeout(stop, idleMilliseconds).unref();
    thread?.unref();
  }

  /** Returns false if the query has failed at once. */
  function send(query: Query): boolean {
    try {
      thread ??= start();
      thread.ref();
      thread.postMessage({ sql: query.sql, values: query.values });
      return true;
    } catch (error) {
      // The system refuses another thread: this query fails, and the next one tries again.
      query.reject(new StoreUnavailable("unreachable", error));
      return false;
    }
  }

  function start(): Worker {
    const started = newThread(new URL("./read-thread-worker.ts", import.meta.url));
    started.on("message", ({ rows, failure }: QueryResult) => {
      if (started !== thread) return;
      if (rows) current?.resolve(rows);
      else current?.reject(asUnavailable(Object.assign(new Error(failure?.message), { errcode: failure?.errcode })));
      runNext();
    });
    // The thread could not open the file or ran out of memory: the current query fails, and the next one gets a new
    // thread.
    const lost = (error: unknown) => {
      if (started !== thread) return;
      thread = null;
      current?.reject(new StoreUnavailable("unreachable", error));
      runNext();
    };
    started.on("error", lost);
    started.on("exit", () => lost(new Error("The thread has ended.")));
    return started;
  }

  function stop(): Promise<unknown> | undefined {
    const stopped = thread;
    thread = null;
    return stopped?.terminate();
  }

  return {
    query: (sql: string, values: readonly Value[]): Promise<Row[]> =>
      new Promise((resolve, reject) => {
        waiting.push({ sql, values, resolve, reject });
        if (!current) runNext();
      }),
    async close(): Promise<void> {
      clearTimeout(idle);
      const reason = new StoreUnavailable("unreachable", new Error("The store is closed."));
      for (const query of [...(current ? [current] : []), ...waiting.splice(0)]) query.reject(reason);
      current = null;
      await stop();
    },
  };
}
