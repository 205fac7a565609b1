import { fillIn, isTrue, itemsOf } from "../../expressions/fill-in.ts";
import type { StepCall } from "../../steps/ports.ts";
import { fingerprintOf, previewRequest } from "../../steps/preview.ts";
import { findStep } from "../../systems/index.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import { foreachItemsMax } from "../../tools/definition.ts";
import type { StepRecord } from "../journal/journal.ts";
import { wholeStep } from "../journal/new-record.ts";
import type { RunContext, RunValues } from "../outcome/ports.ts";
import { finished, type StepDone } from "../outcome/step-result.ts";
import { stepsIn } from "../record/run-record.ts";
import { callOf } from "./call-step.ts";

/** Asks a person to approve, and shows the exact requests that the next step will send. */
export async function doApprove(context: RunContext, record: StepRecord, message: string): Promise<StepDone> {
  const next = await nextRequests(context, record);
  if (next === "unfit") {
    const problem = stepProblem(
      "invalid_input",
      `The step after ${record.name} cannot be shown: its input does not fit.`,
    );
    return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
  }
  return {
    kind: "waits",
    record: { ...record, status: "waiting", output: { message, ...next } },
    waitingFor: {
      kind: "approval",
      step: record.name,
      detail: message,
      ...(next && "request" in next ? { request: next.request } : {}),
    },
    runAt: null,
  };
}

/** `fingerprints` has one entry for each iteration of a foreach; it is empty if the step will be skipped. */
type Shown =
  | { request: unknown; fingerprint: string }
  | { request: unknown; fingerprints: string[] }
  | { fingerprints: [] };

/** Only the first requests are shown, with their total count. The approval covers all of them. */
const requestsShown = 50;

/** Null if the next step sends nothing, or was done before the approval. */
async function nextRequests(context: RunContext, approval: StepRecord): Promise<Shown | null | "unfit"> {
  const steps = stepsIn(context.run.work);
  const position = steps.findIndex(({ step }, index) => index > approval.position && step !== "wait");
  const toolStep = steps[position];
  const step = toolStep ? findStep(toolStep.step) : null;
  if (!toolStep || !step || context.journal.find(position, wholeStep)?.finishedAt) return null;
  // The preview assumes a yes. Who approves, and when, is not known yet.
  const yes = { output: { approved: true }, status: "succeeded" as const };
  const values: RunValues = { ...context.values, steps: { ...context.values.steps, [approval.name]: yes } };
  if (toolStep.if !== undefined && !(await isTrue(toolStep.if, values, context.evaluator))) return { fingerprints: [] };
  const connection = await context.ports.vault.find(context.run.projectId, toolStep.connection_id ?? "");
  if (!connection) return "unfit";
  const callWith = async (known: RunValues, turn: number): Promise<StepCall | null> => {
    const parsed = step.input.safeParse(await fillIn(toolStep.input, known, context.evaluator));
    const next = { position, turn, startedAt: approval.startedAt, written: [] };
    return parsed.success ? callOf(context, toolStep, { step, connection, input: parsed.data }, next) : null;
  };
  if (toolStep.foreach === undefined) {
    const call = await callWith(values, wholeStep);
    return call ? { request: shownTo(call), fingerprint: fingerprintOf(call) } : "unfit";
  }
  const items = await itemsOf(toolStep.foreach, values, context.evaluator);
  if (items === null || items.length > foreachItemsMax) return "unfit";
  const calls: StepCall[] = [];
  for (const [index, item] of items.entries()) {
    const call = await callWith({ ...values, foreach: { item, index } }, index);
    if (!call) return "unfit";
    calls.push(call);
  }
  const requests = calls.slice(0, requestsShown).map(shownTo);
  return { request: { requests, count: calls.length }, fingerprints: calls.map(fingerprintOf) };
}

/** Where a part of the request is read from the system first, the approval names it. */
const shownTo = (call: StepCall) => ({
  ...previewRequest(call),
  ...(call.step.readsFirst === undefined ? {} : { reads_first: call.step.readsFirst }),
});
