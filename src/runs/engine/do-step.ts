import { fillIn, isTrue, itemsOf } from "../../expressions/fill-in.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import { type StepProblem, stepProblem } from "../../systems/problems.ts";
import { isToolWord } from "../../tools/built-in-steps.ts";
import { foreachItemsMax, type ToolStep } from "../../tools/definition.ts";
import type { StepRecord } from "../journal/journal.ts";
import { rememberText, weightOf } from "../journal/large-outputs.ts";
import { newRecord, onlyTurn } from "../journal/new-record.ts";
import { isOpen } from "../reconcile/open-write.ts";
import { callStep } from "./call-step.ts";
import { doWord } from "./do-built-in.ts";
import { keepsTooMuch } from "./keeps-too-much.ts";
import type { RunHand, RunValues } from "./ports.ts";
import { finished, type StepDone } from "./step-done.ts";
import { whyStop } from "./stop-run.ts";
import { whyNotFilledIn } from "./unfilled-problem.ts";

/** One step of a tool, with its condition and its rounds. One that was finished before is not done again. */
export async function doStep(hand: RunHand, position: number, step: ToolStep): Promise<StepDone> {
  const before = hand.journal.find(position, onlyTurn);
  if (before?.finishedAt) return { kind: "done", record: before, isKept: true };
  try {
    const record = before ?? newRecord(hand, position, whatOf(step));
    if (!before && step.if !== undefined && !(await isTrue(step.if, hand.values, hand.evaluator))) {
      return { kind: "done", record: finished(hand, record, { status: "skipped" }) };
    }
    if (step.foreach !== undefined) return await doRounds(hand, position, step, record);
    return await doOnce(hand, step, record, hand.values);
  } catch (error) {
    const problem = whyNotFilledIn(error, step.name);
    if (!problem) throw error;
    const record = newRecord(hand, position, whatOf(step));
    return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
  }
}

const whatOf = ({ name, step, connection_id }: ToolStep) => ({
  name,
  stepId: step,
  connectionId: connection_id ?? null,
});

/** "The output of a foreach is an array." One round after the other, each with a record of its own. */
async function doRounds(hand: RunHand, position: number, step: ToolStep, whole: StepRecord): Promise<StepDone> {
  const items = whole.input ?? (await itemsOf(step.foreach, hand.values, hand.evaluator));
  if (!Array.isArray(items) || items.length > foreachItemsMax) {
    const detail = `${step.name}/foreach: it must give a list of at most ${foreachItemsMax} items.`;
    const problem = stepProblem("expression_failed", detail);
    return { kind: "done", record: finished(hand, whole, { status: "failed", problem }) };
  }
  const begun = { ...whole, input: items };
  if (whole.input === null) hand.journal.keepSoon(begun);
  const outputs: unknown[] = [];
  for (const [turn, item] of items.entries()) {
    const before = hand.journal.find(position, turn);
    const room = before ? null : hand.part.room();
    if (room) await room;
    const stop = before || turn === 0 ? null : await whyStop(hand);
    if (stop) return { kind: "stops", stop };
    const record = before ?? newRecord(hand, position, { ...whatOf(step), turn });
    const values: RunValues = { ...hand.values, foreach: { item, index: turn } };
    const done: StepDone = before?.finishedAt
      ? { kind: "done", record: before, isKept: true }
      : await doOnce(hand, step, record, values);
    if (done.kind !== "done") return done;
    if (!done.isKept) hand.journal.keepSoon(done.record);
    const { status, problem, output } = done.record;
    if (status === "outcome_unknown") return { kind: "done", record: { ...begun, status, problem } };
    if (status === "failed" && step.continue_on_error !== true) {
      return { kind: "done", record: finished(hand, begun, { status: "failed", problem }) };
    }
    outputs.push(output);
  }
  await writeWhole(outputs);
  return { kind: "done", record: finished(hand, begun, { status: "succeeded", output: outputs }) };
}

/** What many rounds gave is far more than anything that is written at once. */
async function writeWhole(outputs: unknown[]): Promise<void> {
  if (!isLarge(outputs)) return;
  const weight = outputs.reduce((sum: number, output) => sum + weightOf(output), 0);
  rememberText(outputs, await writeInSlices(outputs), weight);
}

async function doOnce(hand: RunHand, step: ToolStep, record: StepRecord, values: RunValues): Promise<StepDone> {
  const tooMuch = whyNotBegun(hand, step, record);
  if (tooMuch) return { kind: "done", record: finished(hand, record, { status: "failed", problem: tooMuch }) };
  // What was filled in once stays: a step that is taken up again asks for the very same thing.
  const input = record.input ?? (await fillIn(step.input, values, hand.evaluator));
  const filled = { ...record, input };
  if (isOverdue(hand, step, filled)) return timedOut(hand, step, filled);
  const done = await (isToolWord(step.step) ? doWord(hand, step, step.step, filled) : callStep(hand, step, filled));
  return inTime(step, done);
}

/** A step that asks nothing of a system adds next to nothing, and one that was begun comes to its end. */
const whyNotBegun = (hand: RunHand, { step }: ToolStep, { position, turn }: StepRecord): StepProblem | null =>
  hand.part.isFull() && !isToolWord(step) && !hand.journal.find(position, turn) ? keepsTooMuch(hand) : null;

const deadlineOf = ({ timeout }: ToolStep, { startedAt }: StepRecord): Date | null =>
  timeout === undefined ? null : new Date(Date.parse(startedAt) + timeout * 1000);

/** A step comes back from its waits until its time is over. What may have been written is looked for all the same. */
function isOverdue({ ports }: RunHand, step: ToolStep, record: StepRecord): boolean {
  const deadline = deadlineOf(step, record);
  const cameBack = isToolWord(step.step) || record.tries > 0;
  return deadline !== null && cameBack && !isOpen(record) && ports.now() >= deadline;
}

function timedOut(hand: RunHand, step: ToolStep, record: StepRecord): StepDone {
  const problem = stepProblem(
    "timed_out",
    `The step ${step.name} may take ${step.timeout} seconds, and has taken more.`,
  );
  return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
}

/** Nothing is waited for beyond the end of the step's time. */
function inTime(step: ToolStep, done: StepDone): StepDone {
  if (done.kind !== "waits" || isOpen(done.record)) return done;
  const deadline = deadlineOf(step, done.record);
  return deadline === null || (done.runAt !== null && done.runAt <= deadline) ? done : { ...done, runAt: deadline };
}
