import type { StepCall } from "../../steps/ports.ts";
import type { Done } from "../../systems/work.ts";
import { redact } from "../../transport/redact.ts";
import { redactForStorage } from "../../transport/redact-in-slices.ts";
import type { StepRecord } from "../journal/journal.ts";
import { rememberText } from "../journal/large-outputs.ts";
import type { WaitingFor } from "../run.ts";
import type { RunHand } from "./ports.ts";
import type { Stop } from "./stop-run.ts";

/** How far a step has come: to its end, to something that it waits for, or to a round that nobody wants any longer. */
export type StepDone =
  | { kind: "done"; record: StepRecord; isKept?: true }
  | { kind: "waits"; record: StepRecord; waitingFor: WaitingFor; runAt: Date | null }
  | { kind: "stops"; stop: Stop };

export const finished = ({ ports }: RunHand, record: StepRecord, end: Partial<StepRecord>): StepRecord => ({
  ...record,
  ...end,
  // Answers are kept whole for as long as the step may have to go on from them.
  written: [],
  finishedAt: ports.now().toISOString(),
});

/** What is kept of an output holds no secret, and nothing that the step hides. At once, unless it is very large. */
export function outputKept(
  output: unknown,
  { step, input }: Pick<StepCall, "step" | "input">,
): { output: unknown } | Promise<{ output: unknown }> {
  const kept = redactForStorage(output, step.hides?.(input));
  if (!(kept instanceof Promise)) return { output: kept.value };
  return kept.then(({ value, text }) => {
    rememberText(value, text);
    return { output: value };
  });
}

export async function succeeded(
  hand: RunHand,
  record: StepRecord,
  { output, warnings = [] }: Done<unknown>,
  call: Pick<StepCall, "step" | "input">,
): Promise<StepDone> {
  const kept = await outputKept(output, call);
  return { kind: "done", record: finished(hand, record, { status: "succeeded", ...kept, warnings, problem: null }) };
}

/** What a step hides is needed until it has ended, and kept no longer. */
export function withoutHidden(done: StepDone, { step, input }: Pick<StepCall, "step" | "input">): StepDone {
  const names = step.hides?.(input) ?? [];
  if (done.kind !== "done" || done.record.finishedAt === null || names.length === 0) return done;
  return { ...done, record: { ...done.record, input: redact(done.record.input, [], names) } };
}
