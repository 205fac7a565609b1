import type { RunRecord, StepOfRun } from "../status.ts";

/** Where a step stands within the time of its run, in percent. */
export interface Span {
  left: number;
  width: number;
  milliseconds: number;
}

const widthMin = 0.6;

export function spanOf(run: RunRecord, step: StepOfRun, now: number): Span | null {
  const isOnly = step.started_at === undefined;
  const startedAt = isOnly ? run.created_at : step.started_at;
  const finishedAt = isOnly ? run.finished_at : step.finished_at;
  if (!startedAt || step.status === "skipped") return null;
  const [begin, end] = [Date.parse(run.created_at), run.finished_at === null ? now : Date.parse(run.finished_at)];
  const from = Date.parse(startedAt);
  const to = finishedAt ? Date.parse(finishedAt) : Math.max(now, from);
  const whole = Math.max(1, end - begin, to - begin);
  const width = Math.max(widthMin, ((to - from) / whole) * 100);
  return { left: Math.min(100 - width, ((from - begin) / whole) * 100), width, milliseconds: to - from };
}
