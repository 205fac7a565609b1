import { Worker } from "node:worker_threads";
import { type Row, StoreUnavailable, type Value } from "../db.ts";
import { asUnavailable } from "./connection.ts";

interface Question {
  sql: string;
  values: readonly Value[];
  resolve(rows: Row[]): void;
  reject(reason: unknown): void;
}

interface Answer {
  rows?: Row[];
  failure?: { message: string; errcode?: number };
}

/** Starting the thread takes a moment, so it is kept for the next question, and not for ever. */
const idleMilliseconds = 30_000;

/**
 * SQLite answers on the thread that asks. What may take long, because somebody else chose what is looked for and among how many,
 * is asked on a thread of its own, one question after the other: it sees what is committed, like any reader.
 */
export function openAside(file: string) {
  const waiting: Question[] = [];
  let thread: Worker | null = null;
  let asked: Question | null = null;
  let idle: NodeJS.Timeout | undefined;

  function askNext(): void {
    clearTimeout(idle);
    asked = waiting.shift() ?? null;
    if (!asked) {
      idle = setTimeout(stop, idleMilliseconds).unref();
      thread?.unref();
      return;
    }
    thread ??= start();
    thread.ref();
    thread.postMessage({ sql: asked.sql, values: asked.values });
  }

  function start(): Worker {
    const started = new Worker(new URL("./aside-thread.ts", import.meta.url), {
      workerData: file,
      execArgv: [],
    });
    started.on("message", ({ rows, failure }: Answer) => {
      if (started !== thread) return;
      if (rows) asked?.resolve(rows);
      else asked?.reject(asUnavailable(Object.assign(new Error(failure?.message), { errcode: failure?.errcode })));
      askNext();
    });
    // It could not open the file, or ran out of memory: whoever asked is told, and the next question gets a new one.
    const lost = (error: unknown) => {
      if (started !== thread) return;
      thread = null;
      asked?.reject(new StoreUnavailable("unreachable", error));
      askNext();
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
    ask: (sql: string, values: readonly Value[]): Promise<Row[]> =>
      new Promise((resolve, reject) => {
        waiting.push({ sql, values, resolve, reject });
        if (!asked) askNext();
      }),
    async close(): Promise<void> {
      clearTimeout(idle);
      const reason = new StoreUnavailable("unreachable", new Error("The store is closed."));
      for (const question of [...(asked ? [asked] : []), ...waiting.splice(0)]) question.reject(reason);
      asked = null;
      await stop();
    },
  };
}
