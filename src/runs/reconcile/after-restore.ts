import type { StepCall } from "../../steps/ports.ts";
import { toProblem } from "../../steps/to-problem.ts";
import type { Effect } from "../../systems/work.ts";
import type { StepRecord } from "../journal/journal.ts";
import { wholeStep } from "../journal/new-record.ts";
import { isOpen } from "../journal/open-write.ts";
import { ambiguousNamesOf } from "../journal/write-intents.ts";
import type { RunContext, WorkPorts } from "../outcome/ports.ts";
import type { StepDone } from "../outcome/step-result.ts";
import { requirePlannedRun } from "../queue/queue.ts";
import { parentOf, type Run, stepsIn } from "../record/run-record.ts";
import { askPerson, reconcileWrite } from "./reconcile-step.ts";

/** Also marks in the record that this restore was considered. */
const warningOf = (restoredAt: string): string =>
  `The store was restored from a backup at ${restoredAt}. Signalbox first checks whether this write was sent before that.`;

const unsent = "The store was restored from a backup. It is not known whether this write was sent afterwards.";
const lost = "The request was sent, and its response was lost.";
const restoredSince = "Since then, the store was restored from a backup.";

/**
 * After the backup was taken, an open run may have continued in the store that was replaced. So a write that it would
 * send now may have been sent already, though the journal has no record of it; one that was open may have been sent again.
 * Returns null if there is no such doubt, or it was settled.
 */
export async function inDoubtAfterRestore(
  { run, ports }: RunContext,
  call: StepCall,
  record: StepRecord,
  restoredAt: string,
): Promise<StepRecord | null> {
  const warning = warningOf(restoredAt);
  if (effectOf(call) === "read" || record.warnings.includes(warning)) return null;
  if ((await beganAt(run, ports)) > restoredAt) return null;
  const detail = isOpen(record) ? `${record.problem?.detail ?? lost} ${restoredSince}` : unsent;
  return {
    ...record,
    warnings: [...record.warnings, warning],
    // No request of the run can be older than this.
    startedAt: record.startedAt <= restoredAt ? record.startedAt : run.createdAt,
    problem: toProblem({ code: "outcome_unknown", detail, cure: "give up", done: "maybe" }, run.id, ports.now()),
  };
}

const effectOf = ({ step, input }: StepCall): Effect => step.effectOf?.(input) ?? step.effect;

/** A run counts as old as its parent, which may have started the same run before the restore. */
async function beganAt(run: Run, { store }: WorkPorts): Promise<string> {
  const parent = parentOf(run);
  return parent === null ? run.createdAt : (await requirePlannedRun(store, run.projectId, parent)).createdAt;
}

/** Asks the step's own probe. An agent's model may choose other calls this time, so no probe can tell. */
export async function reconcileAfterRestore(
  context: RunContext,
  call: StepCall,
  record: StepRecord,
): Promise<StepDone> {
  const { run } = context;
  if (run.work.kind === "agent" || parentOf(run) !== null) {
    return askPerson(context, record, "An agent chose this write, and may choose differently now.");
  }
  // The intents of other runs since the backup are lost.
  if (ambiguousNamesOf(call).length > 0) {
    return askPerson(context, record, "Another run may have written the record with this name.");
  }
  if (effectOf(call) === "create" && mayHaveOtherItems(context, record)) {
    return askPerson(context, record, "The list was read again, and another item may have had this number in it.");
  }
  return afterRestore(context, await reconcileWrite(context, call, record));
}

/** What an expression returns at another time, or by chance. */
const changing = /\$(now|millis|random|shuffle)\b/;

/**
 * What an iteration creates has a mark with its number in the list. A list that is made again after the restore has the same items
 * if nothing was read since.
 */
function mayHaveOtherItems({ run, journal, ports }: RunContext, { position, turn }: StepRecord): boolean {
  if (turn === wholeStep) return false;
  const isSince = (time: string | null | undefined) => (time ?? "") > (ports.restoredAt ?? "");
  if (!isSince(journal.find(position, wholeStep)?.startedAt)) return false;
  const { foreach } = stepsIn(run.work)[position] ?? {};
  const isRead = (before: StepRecord) => before.stepId !== "approve" && before.stepId !== "wait";
  const before = journal.records().filter((each) => each.position < position && isRead(each));
  return before.some(({ finishedAt }) => isSince(finishedAt)) || changing.test(JSON.stringify(foreach));
}

/** The write was surely not sent before the restore, so the step starts now with its full timeout. */
export function afterRestore({ ports }: RunContext, done: StepDone): StepDone {
  const { restoredAt } = ports;
  if (!restoredAt || done.kind !== "waits" || isOpen(done.record)) return done;
  if (!done.record.warnings.includes(warningOf(restoredAt)) || done.record.attempts.some(isWrite)) return done;
  return { ...done, record: { ...done.record, startedAt: ports.now().toISOString(), tries: 0 } };
}

const isWrite = ({ effect }: StepRecord["attempts"][number]): boolean => effect !== "read";
