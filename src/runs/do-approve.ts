import { fingerprintOf, previewRequest } from "../steps/preview.ts";
import { findStep } from "../systems/index.ts";
import { callOf } from "./call-step.ts";
import { type RunHand, stepProblem } from "./engine-ports.ts";
import { fillIn } from "./expressions.ts";
import type { StepRecord } from "./journal.ts";
import { finished, type StepDone } from "./step-done.ts";

/** Asks a person, and shows them the very request that the next step will send. */
export async function doApprove(hand: RunHand, record: StepRecord, message: string): Promise<StepDone> {
  const next = await nextRequest(hand, record.position + 1);
  if (next === "unfit") {
    const problem = stepProblem(
      "invalid_input",
      `The step after ${record.name} cannot be shown: its input does not fit.`,
    );
    return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
  }
  const output = { message, ...(next ?? {}) };
  return {
    kind: "waits",
    record: { ...record, status: "waiting", output },
    waitingFor: {
      kind: "approval",
      step: record.name,
      detail: message,
      ...(next ? { request: next.request } : {}),
    },
    runAt: null,
  };
}

/** Null where what follows sends nothing, has been done before the question, or is repeated for a list that only it knows. */
async function nextRequest(
  hand: RunHand,
  position: number,
): Promise<{ request: unknown; fingerprint: string } | null | "unfit"> {
  const toolStep = hand.run.definition.steps[position];
  const step = toolStep ? findStep(toolStep.step) : null;
  if (!toolStep || !step || toolStep.foreach !== undefined) return null;
  if (hand.journal.find(position, -1)?.finishedAt) return null;
  const connection = await hand.ports.vault.find(hand.run.projectId, toolStep.connection_id ?? "");
  if (!connection) return "unfit";
  const input = await fillIn(toolStep.input, hand.values);
  const parsed = step.input.safeParse(input);
  if (!parsed.success) return "unfit";
  const startedAt = hand.ports.now().toISOString();
  const call = callOf(hand, toolStep, step, connection, parsed.data, { position, turn: -1, startedAt, written: [] });
  return { request: previewRequest(call), fingerprint: fingerprintOf(call) };
}
