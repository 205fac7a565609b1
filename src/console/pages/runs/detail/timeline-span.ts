import { type RunRecord, type StepOfRun, toolWords } from "../describe-status.ts";
import { noticedWaits } from "./request-waits.ts";

/** A part of the run's time, in percent. */
interface Part {
  left: number;
  width: number;
}

/** Where a step stands within the time of its run, and when it waited. */
export interface Span extends Part {
  milliseconds: number;
  waits: Part[];
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
  const placed = (start: number, stop: number): Part => {
    const width = Math.max(widthMin, ((stop - start) / whole) * 100);
    return { left: Math.min(100 - width, ((start - begin) / whole) * 100), width };
  };
  const waits = isWait(step)
    ? [placed(from, to)]
    : longestWaits(step).map(({ sentAt, milliseconds }) => placed(Math.max(begin, sentAt - milliseconds), sentAt));
  return { ...placed(from, to), milliseconds: to - from, waits };
}

/** These do nothing else than wait. */
const isWait = ({ step }: StepOfRun): boolean => step in toolWords;

/** More than these would be one colour. */
const waitsMax = 100;

const longestWaits = (step: StepOfRun) =>
  noticedWaits(step)
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, waitsMax);
