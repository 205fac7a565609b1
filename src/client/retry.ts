import type { SignalboxProblem } from "./problem.ts";

/** When to send a call again. Each call carries an Idempotency-Key, so a repeat never applies a write twice. */

const attemptsMax = 4;
const waitSecondsMax = 30;

/** Statuses that say "not now": the call was not served. */
const notServed = new Set([429, 503]);
/** No response, or that of a proxy: the call may have been served. */
const maybeServed = new Set([0, 502, 504]);

/** Operations for people who have not signed in ignore the key: a repeat could act twice. */
const ignoresKey = /^\/latest\/auth\/(sign_in|sign_up|password\/(forgot|reset))\b/;

/** Milliseconds until the next attempt, or null to give up. `attempt` counts from 1. */
export function retryDelay(path: string, problem: SignalboxProblem, attempt: number): number | null {
  const { status, code, retryAfterSeconds: stated } = problem;
  const isSafe =
    notServed.has(status) || code === "idempotency_in_progress" || (maybeServed.has(status) && !ignoresKey.test(path));
  if (!isSafe || attempt >= attemptsMax) return null;
  // Full jitter: callers that failed together do not return together.
  if (stated === null) return Math.random() * 500 * 2 ** attempt;
  return stated > waitSecondsMax ? null : stated * 1000;
}

/** `Retry-After`: seconds, or a date as some proxies send it. */
export function readRetryAfter(header: string | null): number | null {
  if (!header) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
