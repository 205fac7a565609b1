import { fillIn, isTrue, itemsOf } from "../../expressions/fill-in.ts";
import type { StepCall } from "../../steps/ports.ts";
import { fingerprintOf, previewRequest } from "../../steps/preview.ts";
import { findStep } from "../../systems/index.ts";
import { stepProblem } from "../../systems/problems.ts";
import { foreachItemsMax } from "../../tools/definition.ts";
import type { StepRecord } from "../journal/journal.ts";
import { onlyTurn } from "../journal/new-record.ts";
import { stepsIn } from "../run.ts";
import { callOf } from "./call-step.ts";
import type { RunHand, RunValues } from "./ports.ts";
import { finished, type StepDone } from "./step-done.ts";

/** Asks a person, and shows them the very request that the next step will send, or each of them. */
export async function doApprove(hand: RunHand, record: StepRecord, message: string): Promise<StepDone> {
  const next = await nextRequests(hand, record);
  if (next === "unfit") {
    const problem = stepProblem(
      "invalid_input",
      `The step after ${record.name} cannot be shown: its input does not fit.`,
    );
    return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
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

/** `fingerprints` where the step is repeated, one for each round; where it will be skipped there are none to approve. */
type Shown =
  | { request: unknown; fingerprint: string }
  | { request: unknown; fingerprints: string[] }
  | { fingerprints: [] };

/** Of many requests the first ones are shown, and how many there are; the approval holds for all. */
const requestsShown = 50;

/** Null where what follows sends nothing, or has been done before the question. */
async function nextRequests(hand: RunHand, asked: StepRecord): Promise<Shown | null | "unfit"> {
  const steps = stepsIn(hand.run.work);
  const position = steps.findIndex(({ step }, index) => index > asked.position && step !== "wait");
  const toolStep = steps[position];
  const step = toolStep ? findStep(toolStep.step) : null;
  if (!toolStep || !step || hand.journal.find(position, onlyTurn)?.finishedAt) return null;
  // What is shown is what happens after a yes; who says it, and when, nobody knows yet.
  const yes = { output: { approved: true }, status: "succeeded" as const };
  const values: RunValues = { ...hand.values, steps: { ...hand.values.steps, [asked.name]: yes } };
  if (toolStep.if !== undefined && !(await isTrue(toolStep.if, values, hand.evaluator))) return { fingerprints: [] };
  const connection = await hand.ports.vault.find(hand.run.projectId, toolStep.connection_id ?? "");
  if (!connection) return "unfit";
  const callWith = async (known: RunValues, turn: number): Promise<StepCall | null> => {
    const parsed = step.input.safeParse(await fillIn(toolStep.input, known, hand.evaluator));
    const place = { position, turn, startedAt: asked.startedAt, written: [] };
    return parsed.success ? callOf(hand, toolStep, { step, connection, input: parsed.data }, place) : null;
  };
  if (toolStep.foreach === undefined) {
    const call = await callWith(values, onlyTurn);
    return call ? { request: previewRequest(call), fingerprint: fingerprintOf(call) } : "unfit";
  }
  const items = await itemsOf(toolStep.foreach, values, hand.evaluator);
  if (items === null || items.length > foreachItemsMax) return "unfit";
  const calls: StepCall[] = [];
  for (const [index, item] of items.entries()) {
    const call = await callWith({ ...values, foreach: { item, index } }, index);
    if (!call) return "unfit";
    calls.push(call);
  }
  const requests = calls.slice(0, requestsShown).map(previewRequest);
  return { request: { requests, count: calls.length }, fingerprints: calls.map(fingerprintOf) };
}
