import type { SentTimes } from "../../steps/ports.ts";
import type { StepRecord } from "./step-record.ts";

/** The step's last request that may have changed something. */
export const lastWriteOf = ({ attempts }: Pick<StepRecord, "attempts">) =>
  attempts.findLast(({ effect }) => effect !== "read");

/** A call and the pause before its repeat seldom take longer. */
const repeatMilliseconds = 100_000;

/**
 * When the step's last write was sent, first and last. Repeats follow each other soon, and the first may be the one that
 * happened: what the record shows is compared with these times.
 */
export function sentTimesOf({ attempts }: Pick<StepRecord, "attempts">): SentTimes | null {
  const writes = attempts.filter(({ effect }) => effect !== "read").toReversed();
  const [last] = writes;
  if (!last) return null;
  let first = last;
  for (const before of writes) {
    const isSame = before.request.method === first.request.method && before.request.url === first.request.url;
    if (!isSame || Date.parse(first.sent_at) - Date.parse(before.sent_at) > repeatMilliseconds) break;
    first = before;
  }
  return { first: new Date(first.sent_at), last: new Date(last.sent_at) };
}

/** Of a write that left no attempt. */
export const sentAt = (at: Date): SentTimes => ({ first: at, last: at });

/**
 * When the system was first probed about that request. The request was cut off by then. A probe in the future does not count: the clock
 * was ahead then. Nor does one from before a restore, after which the request may have been sent again.
 */
export function firstProbeOf(
  { attempts }: Pick<StepRecord, "attempts">,
  now: Date,
  { restoredAt }: { restoredAt?: string | null } = {},
): Date | null {
  const probes = attempts.slice(attempts.findLastIndex(({ effect }) => effect !== "read") + 1);
  const first = probes.find(({ sent_at }) => new Date(sent_at) <= now && sent_at > (restoredAt ?? ""));
  return first ? new Date(first.sent_at) : null;
}

/** A write was sent and its outcome is unknown: its worker died, or its answer was cut off. */
export function isOpen({ attempts, status, problem }: StepRecord): boolean {
  if (status === "waiting") return problem?.code === "outcome_unknown";
  const last = attempts.at(-1);
  return status === "running" && last !== undefined && last.effect !== "read" && last.response === undefined;
}

/** The step has ended. One that ended with an unknown outcome belongs to a run that is being cancelled. */
export const isSettled = (record: Pick<StepRecord, "finishedAt" | "status"> | undefined): boolean =>
  (record?.finishedAt ?? null) !== null && record?.status !== "outcome_unknown";
