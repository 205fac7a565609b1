import type { Done } from "../systems/define.ts";
import { redact } from "../transport/redact.ts";
import type { RunHand } from "./engine-ports.ts";
import type { StepRecord } from "./journal.ts";
import type { Stop } from "./stop-run.ts";
import type { WaitingFor } from "./tool-runs.ts";

/** How far a step has come: to its end, to something that it waits for, or to a round that nobody wants any longer. */
export type StepDone =
  | { kind: "done"; record: StepRecord; isKept?: true }
  | { kind: "waits"; record: StepRecord; waitingFor: WaitingFor; runAt: Date | null; isKept?: true }
  | { kind: "stops"; stop: Stop };

export const finished = ({ ports }: RunHand, record: StepRecord, end: Partial<StepRecord>): StepRecord => ({
  ...record,
  ...end,
  finishedAt: ports.now().toISOString(),
});

/** What is kept of the output holds no secret. */
export const succeeded = (hand: RunHand, record: StepRecord, { output, warnings = [] }: Done<unknown>): StepDone => ({
  kind: "done",
  record: finished(hand, record, { status: "succeeded", output: redact(output, []), warnings, problem: null }),
});
