import { availableParallelism } from "node:os";

/** Every number of this room, each with its reason. */
export const computeLimits = {
  /** Two at least, so that one organization can never hold them all; more than four would only compete with the server. */
  processes: Math.min(4, Math.max(2, availableParallelism())),
  memoryMegabytes: 128,
  /** Starting a process takes about 150 ms, so one is kept for the next burst of work, and not for ever. */
  idleSeconds: 60,
  /** So many jobs are on their way to a process at once: it works on one of them, and need not wait for the next. */
  pipelined: 16,
  /** After so much work a process hands back the rest of a turn, and another organization's turn comes. */
  turnMilliseconds: 50,
  /** A burst of work that any organization can afford: thousands of ordinary expressions, or thirty of the slowest jobs. */
  burstSeconds: 30,
  /** What flows back into the budget: half a core, so that two organizations that never stop leave no third one waiting. */
  coresEach: 0.5,
  /** What a process costs that has to be replaced, beyond the job that ended it. */
  replacementMilliseconds: 200,
  /** More jobs than the runs of one server can have open; beyond that somebody only fills the memory. */
  waitingJobsMax: 2_000,
  /** A run outlives a budget that is used up for a moment; whoever waits longer is told. */
  waitSecondsMax: 30,
};

export type ComputeLimits = typeof computeLimits;

/** What one expression may take; docs/tools.md tells users. */
export const expressionLimits = {
  /** Of work, not of waiting. */
  milliseconds: 250,
  depth: 300,
  items: 100_000,
  characters: 4 * 1024 * 1024,
  /** Of what it can see: the largest answer of a system, and some more. */
  seenWeight: 16 * 1024 * 1024,
  /** Of what all expressions of one template give together: one answer may be named many times in it. */
  filledWeight: 32 * 1024 * 1024,
};
