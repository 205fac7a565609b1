import { readdirSync, readFileSync } from "node:fs";

/** What processes have used so far. Linux only: elsewhere the files are not there, and the run says so. */

/** Processor time of a process in nanoseconds, all threads; finer than the hundredths of a second of `stat`. */
export function cpuNanoseconds(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) sum += firstNumber(`/proc/${pid}/task/${thread}/schedstat`);
  return sum;
}

/** The same of all children of a process, such as the backends of a PostgreSQL, and of itself. */
export function cpuNanosecondsOfAll(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuNanoseconds(child), cpuNanoseconds(pid));
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

export const parentOf = (pid: number): number => numberIn(`/proc/${pid}/status`, /^PPid:\s*(\d+)$/m);

/** Bytes that the process had the disk write: its store and its log. */
export const bytesWritten = (pid: number): number => numberIn(`/proc/${pid}/io`, /^write_bytes: (\d+)$/m);

const numberIn = (file: string, pattern: RegExp): number =>
  Number(pattern.exec(readFileSync(file, "utf8"))?.[1] ?? Number.NaN);

// A thread may end between the list and the look.
function firstNumber(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0]);
  } catch {
    return 0;
  }
}
