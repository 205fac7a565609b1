import type { Logs } from "../../kernel/log.ts";
import { catchUnhandled, type UncaughtKind } from "../../start/process/catch-unhandled.ts";
import { stopWithParent } from "../../start/process/stop-with-parent.ts";
import { writeNote } from "../terminal/terminal.ts";

/** Where a server's lines go. */
export interface ServerOutput {
  logs: Logs;
  flush(): void;
}

const parentEnded = "the process that started the server has ended";

/**
 * For the time of the start, which may wait long for a database while other regions listen already. What has been
 * acknowledged is stored, so it ends at once, as with a signal. Returns how to end the watch.
 */
export function endWithParent(parent: number | null, { logs: { log }, flush }: ServerOutput): () => void {
  return stopWithParent(parent, () => {
    log.warn({ reason: parentEnded }, "ended during the start");
    flush();
    process.exit(1);
  });
}

interface Stoppable {
  /** Finishes what was accepted. May resolve to an exit code. */
  stop(why: string): Promise<unknown>;
  countUncaught(kind: UncaughtKind): void;
  /** Ends at once whatever would outlive this process. */
  kill?(): void;
}

/** Longer than calls and runs may take to finish (20 and 10 seconds), and shorter than our service manager waits (40). */
const stopSecondsMax = 35;

/**
 * Ends the process once something asks for it: a signal, the end of the process that started it, or an error that
 * nobody caught. A stop may hang, such as on a database that does not respond: after `secondsMax` the process ends
 * anyway. A second signal ends it at once.
 */
export function untilStopped(
  running: Stoppable,
  { logs: { log }, flush }: ServerOutput,
  parent: number | null,
  secondsMax = stopSecondsMax,
): { stop(why: Record<string, string>): void } {
  let stopping = false;
  const end = (code: number): never => {
    running.kill?.();
    flush();
    process.exit(code);
  };
  const stop = async (why: Record<string, string>, code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.error({ seconds: secondsMax }, "the server did not stop in time: it ends with work unfinished");
      end(code || 1);
    }, secondsMax * 1000).unref();
    log.info(why, "stopping: finishing what was accepted");
    try {
      const ended = await running.stop(why.reason ?? why.signal ?? "");
      log.info("stopped");
      end(code || (typeof ended === "number" ? ended : 0));
    } catch (error) {
      log.error({ err: error }, "the server could not stop cleanly");
      end(code || 1);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => (stopping ? end(1) : void stop({ signal }, 0)));
  }
  catchUnhandled({ log, count: running.countUncaught, stop: (code) => void stop({ signal: "none" }, code) });
  stopWithParent(parent, () => void stop({ signal: "none", reason: parentEnded }, 0));
  return { stop: (why) => void stop(why, 0) };
}

/**
 * After a start that failed and has said why. The process ends once everything that the start had opened is closed, or after
 * `secondsMax`: a supervisor would take it for a server that runs.
 */
export function endAfterFailure(secondsMax = stopSecondsMax): void {
  // Of one of several processes, the connection to the first one stays open.
  process.channel?.unref();
  setTimeout(() => {
    writeNote("signalbox: what the start had opened did not close in time");
    process.exit();
  }, secondsMax * 1000).unref();
}
