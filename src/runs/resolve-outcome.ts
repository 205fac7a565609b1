import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { listOpenRecords, type StepRecord, saveRecord } from "./journal/journal.ts";
import { resumeRun } from "./queue/queue.ts";
import { sentAgainWarning } from "./reconcile/read-repeat.ts";
import { isStepRun, type Run, type StepRun } from "./record/run-record.ts";
import { requireRun } from "./runs.ts";
import { didNotHappen, resolveRun } from "./single-step/step-run.ts";

/** What a person says of a write whose answer was lost. */
export interface OutcomeSaid {
  step?: string | undefined;
  outcome: "happened" | "did_not" | "retry";
  output?: unknown;
}

const isMeant = ({ work }: StepRun, step: string | undefined): boolean => step === undefined || step === work.id;

/** The retry of a single step is no change of the store alone: the caller waits until it has ended (`retryUnknown`). */
export const isRetryOfStep = (run: Run, { step, outcome }: OutcomeSaid): run is StepRun =>
  isStepRun(run) && outcome === "retry" && isMeant(run, step);

/** Applies what a person says in one transaction: the run of a tool continues, a run of one step ends. */
export async function resolveOutcome(scope: Scope, id: string, said: OutcomeSaid): Promise<void> {
  const run = await requireRun(scope.db, projectOf(scope), id);
  const { step, outcome, output } = said;
  if (!isStepRun(run)) return resolveOpenStep(scope.db, run, said, scope.now());
  if (outcome === "retry" || !isMeant(run, step))
    throw new Problem("run_not_waiting", "No step of this name has an unknown outcome.");
  await resolveRun(scope.db, run, outcome, output, scope.now());
}

/** "it happened / it did not / try again", for the open step, or the one that is named. */
async function resolveOpenStep(db: Db, run: Run, said: OutcomeSaid, now: Date): Promise<void> {
  const open = (await listOpenRecords(db, run.id)).filter(({ status }) => status === "outcome_unknown");
  const meant = open.filter(({ name }) => said.step === undefined || name === said.step);
  // For a foreach, both the iteration and the whole step are open. The iteration is what was sent.
  const record = meant.toSorted((a, b) => b.turn - a.turn)[0];
  if (run.status !== "outcome_unknown" || !record) throw new Problem("run_not_waiting");
  const finishedAt = now.toISOString();
  const settled: Record<typeof said.outcome, Partial<StepRecord>> = {
    happened: { status: "succeeded", output: said.output ?? null, problem: null, finishedAt },
    did_not: { status: "failed", problem: didNotHappen, finishedAt },
    // Without its problem the step is no longer open, so the engine sends it instead of probing.
    retry: { status: "waiting", problem: null, probes: 0, tries: 0, warnings: [...record.warnings, sentAgainWarning] },
  };
  await saveRecord(db, { ...record, ...settled[said.outcome] });
  await resumeRun(db, run.id, "outcome_unknown", now);
}
