import type { StepCall } from "./ports.ts";

type Given = Pick<StepCall, "step" | "input" | "connection" | "runId" | "callerId"> &
  Partial<Pick<StepCall, "fence" | "findAccessLoss" | "memory" | "written" | "willRetry">>;

interface CallTimes {
  now: Date;
  /** The time by which the step computes dates; a retried step keeps its first. */
  startedAt?: Date;
  /** How long it may wait for a limit. */
  waitSeconds: number;
  /** How long it may wait for slow work, such as a build. */
  staySeconds: number;
}

/**
 * One step to run. `intentId` is the mark that it leaves in what it creates: the run's own id, unless the run has
 * several steps.
 */
export const stepCall = (given: Given, times: CallTimes, intentId: string = given.runId): StepCall => ({
  ...given,
  context: { intentId, now: times.startedAt ?? times.now, identity: given.connection.identity },
  waitUntil: later(times.now, times.waitSeconds),
  stayUntil: later(times.now, times.staySeconds),
});

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);
