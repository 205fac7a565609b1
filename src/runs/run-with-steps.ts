import type { Db } from "../store/db.ts";
import {
  listShownRecords,
  listStepRecords,
  type RunLeft,
  type ShownRecord,
  weighStepOutputs,
} from "./journal/journal.ts";
import { weightOf } from "./record/large-outputs.ts";
import { requireRun, type ShownRun, showRun } from "./runs.ts";

/** A run to show, with its steps. A single step has none. */
export interface RunWithSteps {
  run: ShownRun;
  records: ShownRecord[];
}

/** Of large outputs, it has the beginnings. */
export async function showRunWithSteps(db: Db, projectId: string, runId: string): Promise<RunWithSteps> {
  const run = await showRun(db, projectId, runId);
  return { run, records: run.work.kind === "step" ? [] : await listShownRecords(db, run.id) };
}

/** The largest response with whole outputs. Above it, large outputs are shown by their beginnings. */
const wholeWeightMax = 16 * 1024 * 1024;

/** With its whole outputs, for a caller who waited for them. */
export async function readWholeRunWithSteps(db: Db, projectId: string, runId: string): Promise<RunWithSteps> {
  const shown = await showRun(db, projectId, runId);
  if (shown.outputBytes + (await weighStepOutputs(db, runId)) > wholeWeightMax) {
    return showRunWithSteps(db, projectId, runId);
  }
  const run = await requireRun(db, projectId, runId);
  return { run, records: run.work.kind === "step" ? [] : await listStepRecords(db, run.id) };
}

/** Whether a run that has just ended in this process may be shown with its whole outputs. */
export const isShownWhole = ({ end, weight }: RunLeft): boolean => weight + weightOf(end.output) <= wholeWeightMax;
