import { subscribe } from "node:diagnostics_channel";
import { createHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { StatementSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded before the server (`--import`): how long its event loop stands still, and what its store does meanwhile. Asked by
 * message, it tells what was seen since it was last asked.
 */
export interface LoopFigures {
  /** The longest time without a turn of the loop: on the wall, and of the processor. */
  pauseMilliseconds: number;
  pauseCpuMilliseconds: number;
  /**
   * How long somebody waits who comes in at any moment: for the rest of this turn, and for the next. By the processor time of the
   * loop's thread, so that it says nothing of what else the machine does.
   */
  waitP50Milliseconds: number;
  waitP99Milliseconds: number;
  /** The longest that one statement, commits included, held the loop. */
  statementMilliseconds: number;
  /** The checkpoint of the log, if a thread of its own does it. */
  writeBackMilliseconds: number;
  writeBacks: number;
}

const tickMilliseconds = 1;
const momentMicroseconds = 200;

function probe(): void {
  const histogram = monitorEventLoopDelay({ resolution: tickMilliseconds });
  histogram.enable();
  const waits = createHistogram();
  let [longestCpu, lastTurn] = [0, 0];
  let before = process.threadCpuUsage();
  let [longestStatement, longestWriteBack, writeBacks] = [0, 0, 0];
  // Where the loop is busy for longer than a tick, this comes once in each of its turns.
  setInterval(() => {
    const now = process.threadCpuUsage();
    const turn = now.user + now.system - before.user - before.system;
    longestCpu = Math.max(longestCpu, turn);
    for (let rest = lastTurn; rest > 0; rest -= momentMicroseconds) waits.record(Math.round(rest + turn));
    lastTurn = turn;
    before = now;
  }, tickMilliseconds).unref();
  timeStatements((milliseconds) => {
    longestStatement = Math.max(longestStatement, milliseconds);
  });
  subscribe("signalbox:store:write-back", (message) => {
    const { milliseconds } = message as { milliseconds: number };
    longestWriteBack = Math.max(longestWriteBack, milliseconds);
    writeBacks++;
  });
  process.on("message", () => {
    // After the turn in which it was asked, so that what stands before this message is counted.
    setTimeout(() => {
      const result: LoopFigures = {
        pauseMilliseconds: histogram.max / 1e6,
        pauseCpuMilliseconds: longestCpu / 1000,
        waitP50Milliseconds: waits.percentile(50) / 1000,
        waitP99Milliseconds: waits.percentile(99) / 1000,
        statementMilliseconds: longestStatement,
        writeBackMilliseconds: longestWriteBack,
        writeBacks,
      };
      process.send?.({ result });
      histogram.reset();
      waits.reset();
      [longestCpu, longestStatement, longestWriteBack, writeBacks] = [0, 0, 0, 0];
    }, 2 * tickMilliseconds);
  });
  process.channel?.unref();
}

function timeStatements(took: (milliseconds: number) => void): void {
  for (const name of ["run", "all", "get"] as const) {
    const original = StatementSync.prototype[name] as (...values: unknown[]) => unknown;
    const timed = function (this: StatementSync, ...values: unknown[]): unknown {
      const from = performance.now();
      try {
        return original.apply(this, values);
      } finally {
        took(performance.now() - from);
      }
    };
    Object.defineProperty(StatementSync.prototype, name, { value: timed });
  }
}

// Threads and processes that the server starts load this too, and are not the loop that serves everybody.
if (isMainThread && process.send && process.argv[1]?.endsWith("cli/signalbox.ts")) probe();
