import type { RunHand } from "./engine-ports.ts";
import type { StepRecord } from "./journal.ts";
import type { WaitingFor } from "./tool-runs.ts";

/** How far a step has come: to its end, or to something that it waits for. */
export type StepDone =
  | { kind: "done"; record: StepRecord; isKept?: true }
  | { kind: "waits"; record: StepRecord; waitingFor: WaitingFor; runAt: Date | null; isKept?: true };

export const finished = ({ ports }: RunHand, record: StepRecord, end: Partial<StepRecord>): StepRecord => ({
  ...record,
  ...end,
  finishedAt: ports.now().toISOString(),
});
