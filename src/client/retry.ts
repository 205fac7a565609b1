import type { SignalboxProblem } from "./problem.ts";

/** When to send a call again. Each call carries an Idempotency-Key, so a repeat never applies a write twice. */

const attemptsMax = 4;
const waitSecondsMax = 30;

/** Statuses that say "not now": the call was not served, or its outcome is kept under its key. */
const temporary = new Set([0, 429, 502, 503, 504]);

/** Milliseconds until the next attempt, or null to give up. `attempt` counts from 1. */
export function retryDelay(problem: SignalboxProblem, retryAfter: string | null, attempt: number): number | null {
  if (attempt >= attemptsMax) return null;
  if (!temporary.has(problem.status) && problem.code !== "idempotency_in_progress") return null;
  const stated = retryAfter === null ? Number.NaN : Number(retryAfter);
  if (stated > waitSecondsMax) return null;
  if (stated >= 0) return stated * 1000;
  // Full jitter: callers that failed together do not return together.
  return Math.random() * 500 * 2 ** attempt;
}
