import { isDeepStrictEqual } from "node:util";
import { requireAdmin } from "../access/callers/require-role.ts";
import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { stepProblem } from "../systems/problems.ts";
import { listOpenRecords, type StepRecord, saveRecord } from "./journal/journal.ts";
import { resumeRun } from "./queue/queue.ts";
import { isStepRun, type Run, type StepRun } from "./run-record.ts";
import { didNotHappen, requireRun, resolveRun } from "./runs.ts";

/** What people do to runs that wait for them, inside the transaction of the change. */

export interface Decider {
  userId: string;
  now: Date;
}

/** What a person saw of a waiting run, and decides about it. */
export interface ApprovalWish {
  approved: boolean;
  step?: string | undefined;
  request?: unknown;
}

/** Approves or rejects what the run asks for, if the caller has the role that the tool requires. */
export async function approveRun(scope: Scope, id: string, wish: ApprovalWish): Promise<void> {
  const run = await requireRun(scope.db, projectOf(scope), id);
  if (isStepRun(run)) throw new Problem("run_not_waiting", "A run of a single step does not wait for approval.");
  const { record, role } = await requireOpenApproval(scope.db, run);
  if (role === "admin") await requireAdmin(scope);
  requireShown(run, wish);
  await approve(scope.db, record, wish.approved, { userId: scope.actor.userId, now: scope.now() });
}

/** "Bound to the shown request": a person who saw another question than the open one approves nothing. */
function requireShown({ waitingFor }: Run, { step, request }: ApprovalWish): void {
  const isStep = step === undefined || step === waitingFor?.step;
  const isRequest = request === undefined || isDeepStrictEqual(request, waitingFor?.request);
  if (!isStep || !isRequest)
    throw new Problem("run_not_waiting", "The run now waits for something else. Read it again.");
}

/** The open approval, and the role that it requires. */
async function requireOpenApproval(db: Db, run: Run): Promise<{ record: StepRecord; role: "editor" | "admin" }> {
  const records = await listOpenRecords(db, run.id);
  const record = records.find(({ stepId, finishedAt }) => stepId === "approve" && finishedAt === null);
  if (run.status !== "waiting" || !record) throw new Problem("run_not_waiting");
  return { record, role: (record.input as { role?: "editor" | "admin" }).role ?? "editor" };
}

async function approve(db: Db, record: StepRecord, approved: boolean, { userId, now }: Decider): Promise<void> {
  const at = now.toISOString();
  await saveRecord(db, {
    ...record,
    status: approved ? "succeeded" : "failed",
    output: { ...(record.output as object), approved, approved_by: userId, approved_at: at },
    problem: approved ? null : stepProblem("not_approved", "A person did not approve."),
    finishedAt: at,
  });
  await resumeRun(db, record.runId, "waiting", now);
}

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
  if (!isStepRun(run)) return resolveOpenStep(scope.db, run, said, { userId: scope.actor.userId, now: scope.now() });
  if (outcome === "retry" || !isMeant(run, step))
    throw new Problem("run_not_waiting", "No step of this name has an unknown outcome.");
  await resolveRun(scope.db, run, outcome, output, scope.now());
}

/** "it happened / it did not / try again", for the open step, or the one that is named. */
async function resolveOpenStep(db: Db, run: Run, said: OutcomeSaid, { now }: Decider): Promise<void> {
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
    retry: { status: "waiting", problem: null, probes: 0, tries: 0 },
  };
  await saveRecord(db, { ...record, ...settled[said.outcome] });
  await resumeRun(db, run.id, "outcome_unknown", now);
}
