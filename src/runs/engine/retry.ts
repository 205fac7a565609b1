import type { StepProblem } from "../../systems/problems.ts";

const triesMax = 5;
const firstPauseSeconds = 5;
/** How often a run waits for a limit before it fails. */
const waitsMax = 200;

/** When a failed step is retried, or null if it is not. `tries` counts the earlier retries. */
export function retryAt(problem: StepProblem, isRepeatable: boolean, tries: number, now: Date): Date | null {
  const given = problem.retry_at === undefined ? null : new Date(problem.retry_at);
  switch (problem.code) {
    case "rate_limited":
    case "quota_exhausted":
      return tries < waitsMax ? (given ?? later(now, 60)) : null;
    case "system_unavailable":
    case "timed_out":
      return isRepeatable && tries < triesMax ? (given ?? later(now, firstPauseSeconds * 2 ** tries)) : null;
    default:
      return null;
  }
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);
