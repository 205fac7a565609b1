import { isDeepStrictEqual } from "node:util";
import { requireAdmin } from "../access/callers/require-role.ts";
import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { stepProblem } from "../systems/step-problems.ts";
import { listOpenRecords, type StepRecord, saveRecord } from "./journal/journal.ts";
import { resumeRun } from "./queue/queue.ts";
import { isStepRun, type Run } from "./record/run-record.ts";
import { requireRun } from "./runs.ts";

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

async function approve(
  db: Db,
  record: StepRecord,
  approved: boolean,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
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
