import type { Secret } from "../kernel/secret.ts";
import { isoTime } from "../kernel/times.ts";
import type { Demand, ReportedLimit } from "../systems/define.ts";
import type { Answer, Failure, StepRequest } from "../systems/work.ts";
import { redact } from "../transport/redact.ts";
import { shownLocation } from "../transport/redirect-rules.ts";
import type { Envelope } from "./address-request.ts";
import type { Attempt, LimitSeen } from "./ports.ts";

/** An attempt shows at most this much of a body; the run's output has the whole. */
const previewBytes = 4096;
/** Redacting megabytes would cost more than the call itself. */
const cleanedBytesMax = 256 * 1024;

/** A request without its secrets. */
export const shownRequest = (request: StepRequest, envelope: Envelope): Attempt["request"] => ({
  method: request.method,
  url: envelope.origin + shownTarget(envelope.target),
  headers: { ...(redact(envelope.headers, []) as Envelope["headers"]), authorization: "Bearer [secret]" },
  ...(envelope.body === undefined ? {} : { body: preview(request.body, envelope.body.length, [], request.hides) }),
});

/** A caller may have put a secret into the query. */
const shownTarget = (target: string): string => (target.includes("?") ? String(redact(target, [])) : target);

export const attemptOf = (
  request: StepRequest,
  envelope: Envelope,
  now: Date,
  waitedMilliseconds: number,
  demands: readonly Demand[],
): Attempt => ({
  request: shownRequest(request, envelope),
  effect: request.effect,
  sent_at: isoTime(now),
  waited_ms: Math.round(waitedMilliseconds),
  ...(demands.length === 0 ? {} : { counted: countedIn(demands) }),
});

function countedIn(demands: readonly Demand[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { name, amount } of demands) counted[name] = amount;
  return counted;
}

const bodies = new WeakMap<Attempt, () => unknown>();

/** `showBodies` adds the body later, and only if it is shown. */
export function noteAnswer(
  attempt: Attempt,
  answer: Answer,
  milliseconds: number,
  token: Secret,
  hides: readonly string[] = [],
): void {
  attempt.ms = Math.round(milliseconds);
  attempt.response = { status: answer.status, headers: shownHeaders(answer.headers, attempt.request.url) };
  bodies.set(attempt, () => preview(answer.body, answer.bytes, [token.reveal()], hides));
}

/** Addresses of other hosts often hold credentials. */
function shownHeaders(headers: Answer["headers"], url: string): Record<string, string> {
  if (headers.location === undefined) return headers;
  return { ...headers, location: shownLocation(headers.location, new URL(url).origin) };
}

const bodiesShown = 20;

/**
 * Adds the bodies of the answers, without secrets. A single successful answer is the step's output, which is stored
 * anyway. Of a list that is read page by page, the first pages are enough.
 */
export function showBodies(attempts: readonly Attempt[]): void {
  for (const [index, attempt] of attempts.entries()) {
    const body = bodies.get(attempt);
    if (body && attempt.response && index < bodiesShown) attempt.response.body = body();
    bodies.delete(attempt);
  }
}

export function noteFailure(attempt: Attempt, failure: Failure): void {
  attempt.problem = { code: failure.code, detail: failure.detail };
}

export function noteLimits(attempt: Attempt, reported: readonly ReportedLimit[]): void {
  const seen = reported.filter(({ usedSoFar }) => usedSoFar === undefined);
  if (seen.length > 0) attempt.limits = seen.map(toLimitSeen);
}

export const toLimitSeen = ({ name, remaining, taken, max, resetsAt }: ReportedLimit): LimitSeen => ({
  name,
  left: remaining,
  ...(taken === undefined ? {} : { used: taken }),
  ...(max === undefined ? {} : { max }),
  ...(resetsAt === undefined ? {} : { resets_at: isoTime(resetsAt) }),
});

/** Secrets are found by the names of their members, so a body is redacted before it is cut. */
function preview(body: unknown, bytes: number, secrets: readonly string[], names?: readonly string[]): unknown {
  if (bytes > cleanedBytesMax) return { bytes };
  const clean = redact(body, secrets, names);
  if (bytes <= previewBytes) return clean;
  const text = typeof clean === "string" ? clean : JSON.stringify(clean);
  // A slice would keep the whole text in memory.
  return { preview: Buffer.from(text.slice(0, previewBytes)).toString(), bytes };
}
