import { isoTime } from "../../kernel/times.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { StepRecord } from "../journal/journal.ts";
import { isOpen } from "../journal/open-write.ts";

/**
 * A write was sent, and neither the system nor a person has said what became of it. One whose record has ended so is counted again:
 * a worker may die between that and the end of the run.
 */
const isUnsettled = (record: StepRecord): boolean => record.status === "outcome_unknown" || isOpen(record);

/** The steps of a run that is cancelled, as far as they are not settled. */
export interface CancelledWrites {
  /** Writes whose outcome stays unknown, as their records end: nothing looks for them any more. */
  records: StepRecord[];
  /** Names these writes; null if there are none. */
  problem: StepProblem | null;
  /** The other ones: nothing of them was carried out, and their intents are void. */
  unsent: StepRecord[];
}

export function cancelledWrites(records: readonly StepRecord[], now: Date): CancelledWrites {
  const unsettled = records.filter(isUnsettled);
  const unsent = records.filter((record) => record.finishedAt === null && !isUnsettled(record));
  if (unsettled.length === 0) return { records: [], problem: null, unsent };
  const names = [...new Set(unsettled.map(({ name }) => name))];
  // The iteration of a foreach was sent; the record of the whole step only repeats its problem.
  const seen = unsettled.toSorted((a, b) => b.turn - a.turn)[0]?.problem ?? null;
  const said = unsettled.find((record) => record.finishedAt !== null)?.problem;
  const problem = said ?? cancelledProblem(names, seen);
  const finishedAt = isoTime(now);
  const settled = unsettled.map((record) => ({ ...record, status: "outcome_unknown" as const, problem, finishedAt }));
  return { records: settled.map((record) => ({ ...record, written: [] })), problem, unsent };
}

/** The problem of a cancelled run. `seen` is what was known of the write. */
export function cancelledProblem(names: readonly string[], seen: StepProblem | null): StepProblem {
  const which = names.length === 1 ? `The write of the step ${names[0]}` : `Writes of the steps ${names.join(", ")}`;
  const known = seen?.code === "outcome_unknown" ? ` ${seen.detail}` : "";
  return {
    ...stepProblem("outcome_unknown", `The run was cancelled. ${which} may have been carried out.${known}`),
    remedy: "Check the system: the run has ended, and Signalbox does not look for the write any more.",
  };
}
