import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { ShownRecord } from "./journal/journal.ts";
import { wholeStepsOf } from "./journal/step-record.ts";
import { readLargeText, wholeRun } from "./record/large-outputs.ts";
import { showRunWithSteps } from "./run-with-steps.ts";
import { type ShownRun, showRun } from "./runs.ts";

/** A handle is the JSON Pointer of the output in the record of the run. */
export const runHandle = "/output";
export const stepHandle = (index: number): string => `/steps/${index}/output`;

/** Returns the output as JSON text, however large. */
export async function readOutput(db: Db, projectId: string, runId: string, handle: string): Promise<string> {
  if (handle === runHandle) {
    const run = await showRun(db, projectId, runId);
    return outputOf(db, run, wholeRun, run);
  }
  const { run, records } = await showRunWithSteps(db, projectId, runId);
  const steps = wholeStepsOf(records);
  const record = steps.find((_, index) => handle === stepHandle(index))?.whole;
  if (!record) throw noSuchOutput(steps.length);
  return outputOf(db, run, record, record);
}

const outputOf = async (
  db: Db,
  { id }: ShownRun,
  at: { position: number; turn: number },
  { output, large }: Pick<ShownRecord, "output" | "large">,
): Promise<string> => (large ? await readLargeText(db, id, at) : JSON.stringify(output)) ?? "null";

function noSuchOutput(steps: number): Problem {
  const others = steps === 0 ? "." : `, and its steps under ${stepHandle(0)} to ${stepHandle(steps - 1)}.`;
  const detail = `What the run gave stands under ${runHandle}${others}`;
  const errors = [{ pointer: "#/handle", code: "unknown_handle", detail }];
  return new Problem("validation_failed", "The run has no such output.", { errors });
}
