import { StoreUnavailable } from "../db.ts";

/** A transaction that its caller waits for, and how it ended. */
export interface Job {
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: { ok: true; value: unknown } | { ok: false; error: unknown };
}

/** A turn that takes longer than this is long. */
const turnMilliseconds = 2;

/**
 * The minimum of callers that resume per turn of the event loop while turns are long: their continuations run before the
 * turn ends. While turns are short the number doubles, because callers that resume together also return together.
 */
export const resumedMin = 3;

export interface ResumeCallers {
  /** Gives callers what their transactions returned, some in each turn of the event loop. */
  add(ended: readonly Job[]): void;
  isEmpty(): boolean;
}

/** `resumedMax` are resumed in one turn at most. `onFull`: a write was refused because the disk is full. */
export function createResumeCallers(resumedMax: number, onFull: () => void): ResumeCallers {
  const waiting: Job[] = [];
  let resumedAtOnce = resumedMin;

  function resumeSome(): void {
    const some = waiting.splice(0, resumedAtOnce);
    if (waiting.length > 0) setImmediate(resumeMore, performance.now());
    for (const { outcome, resolve, reject } of some) {
      if (outcome?.ok) resolve(outcome.value);
      else {
        if (outcome?.error instanceof StoreUnavailable && outcome.error.reason === "full") onFull();
        reject(outcome?.error);
      }
    }
  }

  function resumeMore(before: number): void {
    const wasLong = performance.now() - before > turnMilliseconds;
    resumedAtOnce = wasLong ? resumedMin : Math.min(resumedMax, resumedAtOnce * 2);
    resumeSome();
  }

  return {
    add(ended) {
      if (waiting.push(...ended) === ended.length) resumeSome();
    },
    isEmpty: () => waiting.length === 0,
  };
}
