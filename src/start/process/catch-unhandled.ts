import type { Log } from "../../kernel/log.ts";

export type UncaughtKind = "rejection" | "exception";

interface CatchParts {
  log: Log;
  count(kind: UncaughtKind): void;
  /** Finishes accepted work, and ends the process with this code. */
  stop(code: number): void;
}

/**
 * Handles errors that no code caught. A rejection belongs to one call or one job that failed: its transaction rolled
 * back and its caller gets nothing. That is a bug of ours, but no reason to end everyone's work: it is logged and
 * counted, and the process continues. An exception in a timer or a socket leaves unknown state behind. So the process
 * takes no more calls, finishes those it has, and ends with code 1; its supervisor restarts it. Runs are durable and
 * continue then.
 */
export function catchUnhandled({ log, count, stop }: CatchParts): { remove(): void } {
  const onRejection = (cause: unknown) => {
    record("rejection", cause, "an unhandled rejection: the process continues");
  };
  const onException = (cause: unknown) => {
    record("exception", cause, "an uncaught exception: the process stops");
    stop(1);
  };
  function record(kind: UncaughtKind, cause: unknown, message: string): void {
    count(kind);
    try {
      log.error({ err: cause }, message);
    } catch {
      log.error(message);
    }
  }
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  return {
    remove() {
      process.off("unhandledRejection", onRejection);
      process.off("uncaughtException", onException);
    },
  };
}
