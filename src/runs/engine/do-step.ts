import { fillIn, isTrue, itemsOf } from "../../expressions/fill-in.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import { isBuiltInStep } from "../../tools/built-in-steps.ts";
import { foreachItemsMax, type ToolStep } from "../../tools/definition.ts";
import type { StepRecord } from "../journal/journal.ts";
import { newRecord, wholeStep } from "../journal/new-record.ts";
import { isOpen } from "../journal/open-write.ts";
import type { RunContext, RunValues } from "../outcome/ports.ts";
import { finished, type StepDone } from "../outcome/step-result.ts";
import { findStop } from "../outcome/stop-run.ts";
import { rememberText, sizeOf } from "../record/large-outputs.ts";
import { callStep } from "./call-step.ts";
import { doBuiltIn } from "./do-built-in.ts";
import { runTooLarge } from "./run-too-large.ts";
import { templateProblem } from "./template-problem.ts";

/** Does one step of a tool, with its condition and iterations. A finished step is not done again. */
export async function doStep(context: RunContext, position: number, step: ToolStep): Promise<StepDone> {
  const before = context.journal.find(position, wholeStep);
  if (before?.finishedAt) return { kind: "done", record: before, isSaved: true };
  try {
    const record = before ?? newRecord(context, position, whatOf(step));
    if (!before && step.if !== undefined && !(await isTrue(step.if, context.values, context.evaluator))) {
      return { kind: "done", record: finished(context, record, { status: "skipped" }) };
    }
    if (step.foreach !== undefined) return await doIterations(context, position, step, record);
    return await doOnce(context, step, record, context.values);
  } catch (error) {
    const problem = templateProblem(error, step.name);
    if (!problem) throw error;
    const record = newRecord(context, position, whatOf(step));
    return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
  }
}

const whatOf = ({ name, step, connection_id }: ToolStep) => ({
  name,
  stepId: step,
  connectionId: connection_id ?? null,
});

/** "The output of a foreach is an array." Iterations run one after the other, each with its own record. */
async function doIterations(
  context: RunContext,
  position: number,
  step: ToolStep,
  whole: StepRecord,
): Promise<StepDone> {
  const items = whole.input ?? (await itemsOf(step.foreach, context.values, context.evaluator));
  if (!Array.isArray(items) || items.length > foreachItemsMax) {
    const detail = `${step.name}/foreach: it must give a list of at most ${foreachItemsMax} items.`;
    const problem = stepProblem("expression_failed", detail);
    return { kind: "done", record: finished(context, whole, { status: "failed", problem }) };
  }
  const begun = { ...whole, input: items };
  if (whole.input === null) context.journal.saveSoon(begun);
  const outputs: unknown[] = [];
  for (const [turn, item] of items.entries()) {
    const before = context.journal.find(position, turn);
    const room = before ? null : context.memory.whenRoom();
    if (room) await room;
    const stop = before || turn === 0 ? null : await findStop(context);
    if (stop) return { kind: "stops", stop };
    const record = before ?? newRecord(context, position, { ...whatOf(step), turn });
    const values: RunValues = { ...context.values, foreach: { item, index: turn } };
    const done: StepDone = before?.finishedAt
      ? { kind: "done", record: before, isSaved: true }
      : await doOnce(context, step, record, values);
    if (done.kind !== "done") return done;
    if (!done.isSaved) context.journal.saveSoon(done.record);
    const { status, problem, output } = done.record;
    if (status === "outcome_unknown") return { kind: "done", record: { ...begun, status, problem } };
    if (status === "failed" && step.continue_on_error !== true) {
      return { kind: "done", record: finished(context, begun, { status: "failed", problem }) };
    }
    outputs.push(output);
  }
  await writeWhole(outputs);
  return { kind: "done", record: finished(context, begun, { status: "succeeded", output: outputs }) };
}

/** The outputs of many iterations are too large to serialize in one slice of the event loop. */
async function writeWhole(outputs: unknown[]): Promise<void> {
  if (!isLarge(outputs)) return;
  const text = await writeInSlices(outputs);
  const sizes = outputs.map(sizeOf);
  const weight = sizes.reduce((sum, size) => sum + size.weight, 0);
  const memory = sizes.reduce((sum, size) => sum + size.memory, text.length);
  await rememberText(outputs, text, { size: { weight, memory } });
}

async function doOnce(context: RunContext, step: ToolStep, record: StepRecord, values: RunValues): Promise<StepDone> {
  const tooMuch = findSizeProblem(context, step, record);
  if (tooMuch) return { kind: "done", record: finished(context, record, { status: "failed", problem: tooMuch }) };
  // The input is filled in once, so a retried step sends the same request.
  const input = record.input ?? (await fillIn(step.input, values, context.evaluator));
  const filled = { ...record, input };
  if (isOverdue(context, step, filled)) return timedOut(context, step, filled);
  const done = await (isBuiltInStep(step.step) ? doBuiltIn(context, step, filled) : callStep(context, step, filled));
  return inTime(step, done);
}

/** Built-in steps add almost nothing, and a step that began may finish. */
const findSizeProblem = (
  context: RunContext,
  { step }: ToolStep,
  { position, turn }: StepRecord,
): StepProblem | null =>
  context.memory.isFull() && !isBuiltInStep(step) && !context.journal.find(position, turn)
    ? runTooLarge(context)
    : null;

const deadlineOf = ({ timeout }: ToolStep, { startedAt }: StepRecord): Date | null =>
  timeout === undefined ? null : new Date(Date.parse(startedAt) + timeout * 1000);

/** A step is retried until its timeout. A write without an outcome is reconciled even after that. */
function isOverdue({ ports }: RunContext, step: ToolStep, record: StepRecord): boolean {
  const deadline = deadlineOf(step, record);
  const isRetried = isBuiltInStep(step.step) || record.tries > 0;
  return deadline !== null && isRetried && !isOpen(record) && ports.now() >= deadline;
}

function timedOut(context: RunContext, step: ToolStep, record: StepRecord): StepDone {
  const problem = stepProblem(
    "timed_out",
    `The step ${step.name} may take ${step.timeout} seconds, and has taken more.`,
  );
  return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
}

/** A wait never extends beyond the step's timeout. */
function inTime(step: ToolStep, done: StepDone): StepDone {
  if (done.kind !== "waits" || isOpen(done.record)) return done;
  const deadline = deadlineOf(step, done.record);
  return deadline === null || (done.runAt !== null && done.runAt <= deadline) ? done : { ...done, runAt: deadline };
}
