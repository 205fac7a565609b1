import { channel } from "node:diagnostics_channel";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { Log } from "../../kernel/log.ts";

export interface LogLimits {
  /** How much of the log one checkpoint writes back. */
  partBytes: number;
  /** From this length on the log should restart; at twice that, commits wait until it does. */
  logBytes: number;
}

const mebibyte = 1024 * 1024;

/**
 * A page that changes often is written once per part: larger parts write less. A commit waits while a part syncs to
 * disk: smaller parts wait less.
 */
const standard: LogLimits = { partBytes: 16 * mebibyte, logBytes: 128 * mebibyte };

/** Starting the thread takes time, so it stays for a while for the next part. */
const idleMilliseconds = 30_000;

/** In pages. `rest` is not written back yet. */
export interface LogLength {
  log: number;
  rest: number;
}

/** The result of a part; published for measurements. */
export interface CheckpointResult extends LogLength {
  milliseconds: number;
}
export const checkpointChannel = "signalbox:store:write-back";
const results = channel(checkpointChannel);

interface LostThread {
  file: string;
  error: Error;
}
const lostThreads = channel("signalbox:store:checkpoint-lost");

/** Reports every checkpoint thread that cannot start or ends by itself. Returns how to stop that. */
export function logLostCheckpoints(log: Log): () => void {
  const onLost = (message: unknown) => {
    const { file, error } = message as LostThread;
    log.warn({ file, err: error }, "a checkpoint thread was lost; another one continues when the log has grown");
  };
  lostThreads.subscribe(onLost);
  return () => void lostThreads.unsubscribe(onLost);
}

/** Takes 3 us. Inside a transaction it reports 0. */
export function logLengthOf(database: DatabaseSync): () => LogLength {
  const statement = database.prepare("pragma wal_checkpoint(noop)");
  statement.setReturnArrays(true);
  return () => {
    try {
      const [, log = 0, done = 0] = statement.get() as unknown as number[];
      return { log, rest: log - done };
    } catch {
      // "database table is locked": a transaction is open.
      return { log: 0, rest: 0 };
    }
  };
}

/** Checkpoints of the write-ahead log. */
export interface Checkpointer {
  /** A batch has ended: starts a part if one is due. */
  batchEnded(): void;
  /** The next batch waits for this promise: the log is about to restart. */
  commitsPaused(): Promise<void> | null;
  /** Ends the thread after its current part. Close the connections of the event loop afterwards. */
  close(): Promise<void>;
}

/**
 * SQLite itself checkpoints in the commit that makes the log long enough, on the committing thread: measured with 128
 * MiB, the event loop stood still for 199 ms. So a thread with its own connection does it, in parts, while the event
 * loop reads and commits (npm run bench -- latency). The log restarts only if a commit finds all of it written back. So
 * the next batch waits for the last part, without blocking the event loop.
 */
export function createCheckpointer(
  file: string,
  writer: DatabaseSync,
  isBatchOpen: () => boolean,
  sizes: LogLimits = standard,
  newThread = (script: URL): Worker => new Worker(script, { workerData: file, execArgv: [] }),
): Checkpointer {
  const pageBytes = Number(writer.prepare("pragma page_size").get()?.page_size);
  const [partPages, logPages] = [sizes.partBytes / pageBytes, sizes.logBytes / pageBytes];
  const look = logLengthOf(writer);

  let thread: Worker | null = null;
  let underWay: "a part" | "the last part" | null = null;
  let holding: PromiseWithResolvers<void> | null = null;
  let closing = false;
  let idle: NodeJS.Timeout | undefined;
  /** A reader still needs the log: before it has this many pages, another attempt would fail. */
  let notBefore = 0;

  function batchEnded(): void {
    if (closing) return;
    if (holding) {
      if (!underWay) begin("the last part");
      return;
    }
    const { log, rest } = look();
    if (log < partPages) notBefore = 0;
    if (log < notBefore) return;
    if (log >= 2 * logPages) pauseCommits();
    else if (!underWay && rest >= partPages) begin("a part");
  }

  /** The last part starts when nothing more is added to the log. */
  function pauseCommits(): void {
    holding ??= Promise.withResolvers<void>();
    if (!underWay && !isBatchOpen()) begin("the last part");
  }

  function resumeCommits(): void {
    holding?.resolve();
    holding = null;
  }

  function begin(what: "a part" | "the last part"): void {
    clearTimeout(idle);
    underWay = what;
    try {
      thread ??= start();
      thread.ref();
      thread.postMessage("write back");
    } catch (error) {
      lost(error as Error);
    }
  }

  /**
   * The system refuses another thread, or the thread could not open the file or ran out of memory. The log holds
   * everything: nothing waits, and a later batch starts again.
   */
  function lost(error: Error): void {
    thread = null;
    underWay = null;
    notBefore = look().log + partPages;
    resumeCommits();
    lostThreads.publish({ file, error } satisfies LostThread);
  }

  function done({ log, rest }: LogLength): void {
    const what = underWay;
    underWay = null;
    thread?.unref();
    clearTimeout(idle);
    idle = setTimeout(() => void stop(), idleMilliseconds).unref();
    if (closing) resumeCommits();
    else if (what === "the last part") {
      notBefore = rest > 0 ? log + partPages : 0;
      resumeCommits();
    } else if (holding || (log >= logPages && rest < partPages)) pauseCommits();
    else if (rest >= partPages) begin("a part");
  }

  function start(): Worker {
    const started = newThread(new URL("./checkpoint-thread.ts", import.meta.url));
    started.on("message", (written: CheckpointResult) => {
      if (results.hasSubscribers) results.publish(written);
      if (started === thread) done(written);
    });
    const ended = (error: Error) => {
      if (started === thread) lost(error);
    };
    started.on("error", ended);
    started.on("exit", (code) => ended(new Error(`It ended with code ${code}.`)));
    return started;
  }

  async function stop(): Promise<void> {
    const stopped = thread;
    if (!stopped) return;
    thread = null;
    const ended = new Promise((resolve) => stopped.once("exit", resolve));
    stopped.ref();
    stopped.postMessage("end");
    await ended;
  }

  return {
    batchEnded,
    commitsPaused: () => holding?.promise ?? null,
    async close() {
      closing = true;
      clearTimeout(idle);
      await stop();
      resumeCommits();
    },
  };
}
