import { readFileSync } from "node:fs";

/** What the processor has done for this thread, and what other machines have taken of each processor, in milliseconds. */
export interface ProcessorTime {
  spent: number;
  stolen: readonly number[];
}

/**
 * A virtual machine counts as the thread's what the host takes from it in the middle of its work: a call of 16 ms then seems to take 250.
 * It says elsewhere how much that was, for each processor and in steps of 10 ms (`steal` in /proc/stat; Linux only).
 */
export function processorTime(): ProcessorTime {
  const { user, system } = process.threadCpuUsage();
  return { spent: (user + system) / 1000, stolen: stolenOfEach() };
}

/** What the thread has really worked since: it was on one processor, and at most what was stolen of one is no work. */
export function workedSince(before: ProcessorTime, now: ProcessorTime): number {
  const stolen = now.stolen.map((each, index) => each - (before.stolen[index] ?? each));
  return Math.max(0, now.spent - before.spent - Math.max(0, ...stolen));
}

function stolenOfEach(): number[] {
  if (process.platform !== "linux") return [];
  return readFileSync("/proc/stat", "latin1")
    .split("\n")
    .filter((line) => /^cpu\d/.test(line))
    .map((line) => Number(line.split(" ")[8]) * 10);
}
