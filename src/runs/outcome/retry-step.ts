import type { StepProblem } from "../../systems/step-problems.ts";

const triesMax = 5;
const firstPauseSeconds = 5;
/** To wait for a limit is no failure, so only time ends it: a month, the longest pause that a system may ask for. */
const limitWaitDays = 31;
/** After this many refusals, pauses grow whatever the system asks for: each is stored as an attempt, and a month has many minutes. */
const refusalsAtItsPace = 20;
const refusedPauseSecondsMax = 900;

/** What a step has been through before it failed now. */
export interface TriedStep {
  isRepeatable: boolean;
  /** How often it was retried. All waits for limits count as one. */
  tries: number;
  /** How often the system itself refused it because of a limit. */
  refusals: number;
  startedAt: string;
}

/** When a failed step is retried, or null if it is not. */
export function retryAt(problem: StepProblem, tried: TriedStep, now: Date): Date | null {
  const given = problem.retry_at === undefined ? null : new Date(problem.retry_at);
  const { isRepeatable, tries } = tried;
  if (isLimit(problem)) return afterLimit(given ?? later(now, 60), tried, now);
  if (!passing.has(problem.code)) return null;
  return isRepeatable && tries < triesMax ? (given ?? later(now, firstPauseSeconds * 2 ** tries)) : null;
}

/** Failures that time alone may end. */
const passing = new Set<string>(["system_unavailable", "timed_out", "compute_exhausted"]);

export const isLimit = ({ code }: { code: string }): boolean => code === "rate_limited" || code === "quota_exhausted";

/** How many retries a step has used when it waits after this failure. One wait for a limit counts: then its timeout applies. */
export const triesAfter = (problem: StepProblem, tries: number): number =>
  isLimit(problem) ? Math.max(1, tries) : tries + 1;

function afterLimit(given: Date, { refusals, startedAt }: TriedStep, now: Date): Date | null {
  if (now >= later(new Date(startedAt), limitWaitDays * 86_400)) return null;
  const beyond = refusals - refusalsAtItsPace;
  const pause = beyond <= 0 ? 0 : Math.min(refusedPauseSecondsMax, 2 ** beyond);
  return new Date(Math.max(given.getTime(), later(now, pause).getTime()));
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);
