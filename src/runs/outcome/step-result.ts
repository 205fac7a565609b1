import { isoTime } from "../../kernel/times.ts";
import type { StepCall } from "../../steps/ports.ts";
import type { Done } from "../../systems/work.ts";
import { type Charge, redactAnySize, redactUnwritten } from "../../transport/redact-in-slices.ts";
import type { StepRecord } from "../journal/journal.ts";
import { rememberText } from "../record/large-outputs.ts";
import type { WaitingFor } from "../record/run-record.ts";
import type { RunContext } from "./ports.ts";
import type { Stop } from "./stop-run.ts";

/** The outcome of a step: done, waiting for something, or stopped at a boundary between iterations. */
export type StepDone =
  | { kind: "done"; record: StepRecord; isSaved?: true }
  | { kind: "waits"; record: StepRecord; waitingFor: WaitingFor; runAt: Date | null }
  | { kind: "stops"; stop: Stop };

export const finished = ({ ports }: RunContext, record: StepRecord, end: Partial<StepRecord>): StepRecord => ({
  ...record,
  ...end,
  // Answers are needed only until the step ends.
  written: [],
  finishedAt: isoTime(ports.now()),
});

/** Large outputs take time of the event loop, which the run's organization pays for. */
export const chargeFor =
  ({ ports, run }: Pick<RunContext, "ports" | "run">): Charge =>
  (milliseconds) =>
    ports.answerTime?.spend(run.organizationId, milliseconds);

/** Masks secrets and hidden members. Synchronous, unless the output is very large. */
export function outputKept(
  output: unknown,
  { step, input }: Pick<StepCall, "step" | "input">,
  context: RunContext,
): { output: unknown } | Promise<{ output: unknown }> {
  const kept = redactUnwritten(output, step.hides?.(input), chargeFor(context));
  if (!(kept instanceof Promise)) return { output: kept.value };
  return kept.then(async ({ value, text }) => {
    await rememberText(value, text);
    return { output: value };
  });
}

export async function succeeded(
  context: RunContext,
  record: StepRecord,
  { output, warnings = [] }: Done<unknown>,
  call: Pick<StepCall, "step" | "input">,
): Promise<StepDone> {
  const kept = await outputKept(output, call, context);
  return { kind: "done", record: finished(context, record, { status: "succeeded", ...kept, warnings, problem: null }) };
}

/** The hidden members of an input are masked once the step has ended. */
export async function withoutHidden(
  done: StepDone,
  { step, input }: Pick<StepCall, "step" | "input">,
): Promise<StepDone> {
  const names = step.hides?.(input) ?? [];
  if (done.kind !== "done" || done.record.finishedAt === null || names.length === 0) return done;
  return { ...done, record: { ...done.record, input: await redactAnySize(done.record.input, names) } };
}
