import { inBounds } from "../../bounded-wait.ts";
import type { Answer } from "../../work.ts";
import { listOf, membersOf, textOf } from "../protocol/vendor-json.ts";

/** Which limit an answer reports as exhausted, and when it is free again. */
export type Bucket =
  | "day"
  | "hour"
  | "project hour"
  | "concurrent"
  | "thresholded"
  | "server errors"
  | "minute"
  /** Of the whole cloud project, for all callers. */
  | "project minute";

export interface Exhausted {
  bucket: Bucket;
  waitSeconds: number;
  /** Present if the answer carries the system's own time. */
  resetsAt?: Date;
}

/** Messages about limits are short. */
const messageMax = 2_000;
const reasonsMax = 10;

const wordings: [RegExp, Bucket][] = [
  [/exhausted property tokens for a property per day/i, "day"],
  [/exhausted property tokens for a property per hour/i, "hour"],
  [/exhausted property tokens for a project per hour/i, "project hour"],
  [/exhausted concurrent requests/i, "concurrent"],
  [/exhausted potentially thresholded/i, "thresholded"],
  [/exhausted server errors/i, "server errors"],
  // The message quotes the limit: `'Requests per minute'` is the project's, `'Requests per minute per user'` a user's.
  [/limit '[^']{0,100} per minute'/i, "project minute"],
  [/quota exceeded for quota metric|rate ?limit ?exceeded|per minute/i, "minute"],
  [/per day/i, "day"],
  [/per hour/i, "hour"],
];

/** Null if the answer does not concern a limit. An unknown wording counts as the second shortest wait. */
export function readExhausted(answer: Answer): Exhausted | null {
  const error = membersOf(membersOf(answer.body).error);
  const reasons = listOf(error.errors)
    .slice(0, reasonsMax)
    .map((each) => textOf(membersOf(each).reason));
  const isOlderForm =
    answer.status === 403 && reasons.some((reason) => /rateLimitExceeded|quotaExceeded/i.test(reason));
  if (answer.status !== 429 && !isOlderForm) return null;
  const message = textOf(error.message).slice(0, messageMax);
  const bucket = wordings.find(([wording]) => wording.test(message))?.[1] ?? "minute";
  return { bucket, ...waitFor(bucket, answer) };
}

/** The system sends no Retry-After itself; one from a proxy is obeyed. */
function waitFor(bucket: Bucket, { headers }: Answer): Omit<Exhausted, "bucket"> {
  const retryAfter = Number(headers["retry-after"]);
  if (headers["retry-after"] !== undefined && retryAfter >= 0) return { waitSeconds: inBounds(retryAfter) };
  if (bucket === "concurrent") return { waitSeconds: 2 };
  const now = new Date(headers.date ?? Number.NaN);
  if (Number.isNaN(now.getTime())) return { waitSeconds: longest(bucket) };
  const resetsAt = bucket === "day" ? nextMidnightPacific(now) : nextFull(isOfMinute(bucket) ? 60 : 3600, now);
  return { waitSeconds: Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000)), resetsAt };
}

const isOfMinute = (bucket: Bucket): boolean => bucket === "minute" || bucket === "project minute";
const longest = (bucket: Bucket): number => (isOfMinute(bucket) ? 60 : bucket === "day" ? 86_400 : 3600);

const nextFull = (seconds: number, now: Date): Date =>
  new Date((Math.floor(now.getTime() / 1000 / seconds) + 1) * seconds * 1000);

/** "Daily buckets refill at midnight Pacific", also on days when clocks change. */
export function nextMidnightPacific(now: Date): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO("America/Los_Angeles");
  return new Date(local.add({ days: 1 }).startOfDay().epochMilliseconds);
}
