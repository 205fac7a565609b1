import type { StepCall } from "../../steps/ports.ts";
import type { RunHand, WorkPorts } from "../engine/ports.ts";
import type { StepDone } from "../engine/step-done.ts";
import type { StepRecord } from "../journal/journal.ts";
import { parentOf, type Run } from "../run.ts";
import { requireRun } from "../runs.ts";
import { toProblem } from "../single-step.ts";
import { isOpen } from "./open-write.ts";
import { askPerson, reconcileWrite } from "./reconcile-step.ts";

/** In the record, it also says that the doubt of this very restore has been raised. */
const warningOf = (restoredAt: string): string =>
  `The store was restored from a backup at ${restoredAt}; whether this write was sent before that is looked for first.`;

const detail = "The store was restored from a backup; whether this write was sent afterwards is not known.";

/**
 * A run that was open when the backup was taken went on in the store that is gone: whatever it would write now may have been
 * written already, though the journal knows nothing of it. Null where there is no such doubt, or no more.
 */
export async function inDoubtAfterRestore(
  { run, ports }: RunHand,
  { step, input }: StepCall,
  record: StepRecord,
  restoredAt: string,
): Promise<StepRecord | null> {
  const warning = warningOf(restoredAt);
  if ((step.effectOf?.(input) ?? step.effect) === "read" || record.warnings.includes(warning)) return null;
  if ((await beganAt(run, ports)) > restoredAt) return null;
  return {
    ...record,
    warnings: [...record.warnings, warning],
    // No request of it can be older than this.
    startedAt: record.startedAt <= restoredAt ? record.startedAt : run.createdAt,
    problem: toProblem({ code: "outcome_unknown", detail, cure: "give up", done: "maybe" }, run.id, ports.now()),
  };
}

/** A run is as old as the run that started it, which may have started the same before the restore. */
async function beganAt(run: Run, { store }: WorkPorts): Promise<string> {
  const parent = parentOf(run);
  return parent === null ? run.createdAt : (await requireRun(store, run.projectId, parent)).createdAt;
}

/** The step's own probe is asked. What a model chose may come in another order this time, so that no probe can tell. */
export async function reconcileAfterRestore(hand: RunHand, call: StepCall, record: StepRecord): Promise<StepDone> {
  const { run } = hand;
  if (run.work.kind === "agent" || parentOf(run) !== null) {
    return askPerson(hand, record, "An agent chose it, and may choose otherwise now.");
  }
  // Who else has asked for the name since the backup is not known any more.
  if ((call.step.mistakable?.(call.input) ?? []).length > 0) {
    return askPerson(hand, record, "What is found by its name may have been made by another run.");
  }
  return afterRestore(hand, await reconcileWrite(hand, call, record));
}

/** Surely not sent before: it begins now, with all of its time. */
export function afterRestore({ ports }: RunHand, done: StepDone): StepDone {
  const { restoredAt } = ports;
  if (!restoredAt || done.kind !== "waits" || isOpen(done.record)) return done;
  if (!done.record.warnings.includes(warningOf(restoredAt)) || done.record.attempts.some(isWrite)) return done;
  return { ...done, record: { ...done.record, startedAt: ports.now().toISOString(), tries: 0 } };
}

const isWrite = ({ effect }: StepRecord["attempts"][number]): boolean => effect !== "read";
