import type { Attempt, StepOfRun } from "../describe-status.ts";

/** Shorter ones are the program's own work between two requests. */
export const noticedMs = 100;

/**
 * How long the attempt waited before it was sent, in milliseconds: for a limit, or for the pause that a system asked for after the
 * attempt before it.
 */
export function waitBefore(attempt: Attempt, before: Attempt | undefined): number {
  const endedAt = before === undefined ? Number.NaN : Date.parse(before.sent_at) + (before.ms ?? 0);
  const pause = Date.parse(attempt.sent_at) - endedAt;
  return pause >= noticedMs ? Math.max(pause, attempt.waited_ms) : attempt.waited_ms;
}

/** The time that a step's requests waited, as far as a person would notice. */
export function noticedWaits({ attempts }: Pick<StepOfRun, "attempts">): { sentAt: number; milliseconds: number }[] {
  return attempts.flatMap((attempt, index) => {
    const milliseconds = waitBefore(attempt, attempts[index - 1]);
    return milliseconds < noticedMs ? [] : [{ sentAt: Date.parse(attempt.sent_at), milliseconds }];
  });
}
