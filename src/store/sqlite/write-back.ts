import { channel } from "node:diagnostics_channel";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

export interface LogSizes {
  /** So much of the log is written back at a time. */
  partBytes: number;
  /** From this length on it is to begin anew; at twice that commits wait until it does. */
  logBytes: number;
}

const mebibyte = 1024 * 1024;

/**
 * A page that changes often is written back once in each part: the larger the parts, the fewer. While a part is synced to the disk,
 * a commit waits for its own turn there: the smaller, the shorter.
 */
const standard: LogSizes = { partBytes: 16 * mebibyte, logBytes: 128 * mebibyte };

/** Starting the thread takes a moment, so it is kept for the next part, and not for ever. */
const idleMilliseconds = 30_000;

/** In pages. `rest` is what is not written back yet. */
export interface LogLength {
  log: number;
  rest: number;
}

/** How a part went; published for whoever measures. */
export interface WrittenBack extends LogLength {
  milliseconds: number;
}
export const writtenBackChannel = "signalbox:store:write-back";
const told = channel(writtenBackChannel);

/** Takes 3 us. Inside a transaction nobody can tell. */
export function lengthOfLog(database: DatabaseSync): () => LogLength {
  const statement = database.prepare("pragma wal_checkpoint(noop)");
  statement.setReturnArrays(true);
  return () => {
    try {
      const [, log = 0, done = 0] = statement.get() as unknown as number[];
      return { log, rest: log - done };
    } catch {
      return { log: 0, rest: 0 };
    }
  };
}

/** The log that SQLite writes ahead, and its way back into the file. */
export interface WriteBack {
  /** A batch has ended: begins a part where there is one. */
  batchEnded(): void;
  /** The next batch waits for this: the log is about to begin anew. */
  held(): Promise<void> | null;
  /** Ends the thread when it has done its part. The connections of the loop are closed after it. */
  close(): Promise<void>;
}

/**
 * SQLite itself writes the log back with the commit that makes it long enough, on the thread that commits: measured with 128 MiB, the
 * event loop stood still for 199 ms. So a thread with a connection of its own does it, in parts, while the loop reads and commits
 * (npm run bench -- latency). The log begins anew only where a commit finds all of it written back. So the last part is done
 * while the next batch waits: for that one part, and without holding up the loop.
 */
export function openWriteBack(
  file: string,
  writer: DatabaseSync,
  isBatchOpen: () => boolean,
  sizes: LogSizes = standard,
): WriteBack {
  const pageBytes = Number(writer.prepare("pragma page_size").get()?.page_size);
  const [partPages, logPages] = [sizes.partBytes / pageBytes, sizes.logBytes / pageBytes];
  const look = lengthOfLog(writer);

  let thread: Worker | null = null;
  let underWay: "a part" | "the last part" | null = null;
  let holding: PromiseWithResolvers<void> | null = null;
  let closing = false;
  let idle: NodeJS.Timeout | undefined;
  /** Somebody reads what is in the log: before it has so many pages, another try would be in vain. */
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
    if (log >= 2 * logPages) hold();
    else if (!underWay && rest >= partPages) begin("a part");
  }

  /** The last part begins when nothing more is added to the log. */
  function hold(): void {
    holding ??= Promise.withResolvers<void>();
    if (!underWay && !isBatchOpen()) begin("the last part");
  }

  function letGo(): void {
    holding?.resolve();
    holding = null;
  }

  function begin(what: "a part" | "the last part"): void {
    clearTimeout(idle);
    underWay = what;
    thread ??= start();
    thread.ref();
    thread.postMessage("write back");
  }

  function done({ log, rest }: LogLength): void {
    const what = underWay;
    underWay = null;
    thread?.unref();
    clearTimeout(idle);
    idle = setTimeout(() => void stop(), idleMilliseconds).unref();
    if (closing) letGo();
    else if (what === "the last part") {
      notBefore = rest > 0 ? log + partPages : 0;
      letGo();
    } else if (holding || (log >= logPages && rest < partPages)) hold();
    else if (rest >= partPages) begin("a part");
  }

  function start(): Worker {
    const started = new Worker(new URL("./write-back-thread.ts", import.meta.url), {
      workerData: file,
      execArgv: [],
    });
    started.on("message", (written: WrittenBack) => {
      if (told.hasSubscribers) told.publish(written);
      if (started === thread) done(written);
    });
    // It could not open the file, or ran out of memory. The log holds everything: nobody waits, and a later batch begins anew.
    const lost = () => {
      if (started !== thread) return;
      thread = null;
      underWay = null;
      notBefore = look().log + partPages;
      letGo();
    };
    started.on("error", lost);
    started.on("exit", lost);
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
    held: () => holding?.promise ?? null,
    async close() {
      closing = true;
      clearTimeout(idle);
      await stop();
      letGo();
    },
  };
}
