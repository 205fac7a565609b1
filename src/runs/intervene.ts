import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { stepProblem } from "../systems/problems.ts";
import { listOpenRecords, type StepRecord, saveRecord } from "./journal/journal.ts";
import { resumeRun } from "./queue/queue.ts";
import type { Run } from "./run-record.ts";
import { didNotHappen } from "./runs.ts";

/** What people do to runs that wait for them, inside the transaction of the change. */

export interface Decider {
  userId: string;
  now: Date;
}

/** The open approval, and the role that it requires. */
export async function requireOpenApproval(db: Db, run: Run): Promise<{ record: StepRecord; role: "editor" | "admin" }> {
  const records = await listOpenRecords(db, run.id);
  const record = records.find(({ stepId, finishedAt }) => stepId === "approve" && finishedAt === null);
  if (run.status !== "waiting" || !record) throw new Problem("run_not_waiting");
  return { record, role: (record.input as { role?: "editor" | "admin" }).role ?? "editor" };
}

export async function approve(db: Db, record: StepRecord, approved: boolean, { userId, now }: Decider): Promise<void> {
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

/** "it happened / it did not / try again", for the open step, or the one that is named. */
export async function resolveOpenStep(
  db: Db,
  run: Run,
  said: { step: string | undefined; outcome: "happened" | "did_not" | "retry"; output: unknown },
  { now }: Decider,
): Promise<void> {
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
