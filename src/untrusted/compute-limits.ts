import { availableParallelism } from "node:os";

/** Every limit of this folder, with its reason. */
export const computeLimits = {
  /** At least two, so that one organization cannot hold them all; more than four would compete with the server. */
  processes: Math.min(4, Math.max(2, availableParallelism())),
  memoryMegabytes: 128,
  /** Starting a process takes about 150 ms, so an idle one stays for the next burst. */
  idleSeconds: 60,
  /** Jobs sent to a process ahead of time, so that it need not wait for the next one. */
  pipelined: 16,
  /** After this much work a process returns the rest of a turn, and the next organization has its turn. */
  turnMilliseconds: 50,
  /** A burst that every organization can afford: thousands of ordinary expressions, or thirty of the slowest jobs. */
  burstSeconds: 30,
  /** The refill rate: half a core, so that two organizations that never stop leave time for a third. */
  coresEach: 0.5,
  /** The cost of replacing a process, beyond the job that ended it. */
  replacementMilliseconds: 200,
  /** More jobs than the runs of one server can have; further ones would only fill the memory. */
  waitingJobsMax: 2_000,
  /** A run survives a budget that is used up for a moment; a longer wait fails. */
  waitSecondsMax: 30,
};

export type ComputeLimits = typeof computeLimits;

/** Limits of one expression; docs/tools.md describes them to users. */
export const expressionLimits = {
  /** Of CPU time, without waiting. */
  milliseconds: 250,
  depth: 300,
  items: 100_000,
  characters: 4 * 1024 * 1024,
  /** Of the values that it can read: the largest answer of a system, and some more. */
  seenWeight: 16 * 1024 * 1024,
  /** Of the results of all expressions in one template: one answer may appear many times in it. */
  filledWeight: 32 * 1024 * 1024,
};
