import type { Log } from "../../kernel/log.ts";

export type Unforeseen = "rejection" | "exception";

interface NetParts {
  log: Log;
  count(what: Unforeseen): void;
  /** Finishes what was accepted, and ends the process with this code. */
  stop(code: number): void;
}

/**
 * What nobody has caught. A rejection belongs to one call or one piece of work that gave up: its transaction was rolled back and its
 * caller hears nothing, which is a mistake of ours to be mended, and no reason to end everybody else's work; so it is logged and
 * counted, and the process goes on. An exception was thrown where nobody was responsible, in the middle of a timer or a socket: what
 * it left half done is unknown. So the process takes no more calls, finishes those it has, and ends with code 1; whoever
 * supervises it starts it again. Runs are durable and go on then.
 */
export function catchTheRest({ log, count, stop }: NetParts): { remove(): void } {
  const onRejection = (cause: unknown) => {
    note("rejection", cause, "a rejection that nobody handled: the process goes on");
  };
  const onException = (cause: unknown) => {
    note("exception", cause, "an exception that nobody caught: the process stops");
    stop(1);
  };
  function note(what: Unforeseen, cause: unknown, said: string): void {
    count(what);
    try {
      log.error({ err: cause }, said);
    } catch {
      log.error(said);
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
