import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { stepProblem } from "../systems/problems.ts";
import { keepRecord, listOpenOnes, type StepRecord } from "./journal/journal.ts";
import { resumeRun } from "./queue/queue.ts";
import type { Run } from "./run.ts";
import { didNotHappen } from "./runs.ts";

/** What people do to runs of tools that wait for them. All of it happens inside the transaction of the change. */

export interface Word {
  userId: string;
  now: Date;
}

/** The role that the tool asks of whoever approves. */
export async function approvalAsked(db: Db, run: Run): Promise<{ record: StepRecord; role: "editor" | "admin" }> {
  const records = await listOpenOnes(db, run.id);
  const record = records.find(({ stepId, finishedAt }) => stepId === "approve" && finishedAt === null);
  if (run.status !== "waiting" || !record) throw new Problem("run_not_waiting");
  return { record, role: (record.input as { role?: "editor" | "admin" }).role ?? "editor" };
}

export async function approve(db: Db, record: StepRecord, approved: boolean, { userId, now }: Word): Promise<void> {
  const at = now.toISOString();
  await keepRecord(db, {
    ...record,
    status: approved ? "succeeded" : "failed",
    output: { ...(record.output as object), approved, approved_by: userId, approved_at: at },
    problem: approved ? null : stepProblem("not_approved", "A person did not approve."),
    finishedAt: at,
  });
  await resumeRun(db, record.runId, "waiting", now);
}

/** "it happened / it did not / try again", for the step that is open, or the one that is named. */
export async function resolveOpenStep(
  db: Db,
  run: Run,
  said: { step: string | undefined; outcome: "happened" | "did_not" | "retry"; output: unknown },
  { now }: Word,
): Promise<void> {
  const open = (await listOpenOnes(db, run.id)).filter(({ status }) => status === "outcome_unknown");
  const meant = open.filter(({ name }) => said.step === undefined || name === said.step);
  // Of a step that is repeated both the round and the whole are open; the round is the one that was sent.
  const record = meant.toSorted((a, b) => b.turn - a.turn)[0];
  if (run.status !== "outcome_unknown" || !record) throw new Problem("run_not_waiting");
  const finishedAt = now.toISOString();
  const settled: Record<typeof said.outcome, Partial<StepRecord>> = {
    happened: { status: "succeeded", output: said.output ?? null, problem: null, finishedAt },
    did_not: { status: "failed", problem: didNotHappen, finishedAt },
    // Without the problem it is open no longer, so it is sent instead of looked for.
    retry: { status: "waiting", problem: null, looks: 0, tries: 0 },
  };
  await keepRecord(db, { ...record, ...settled[said.outcome] });
  await resumeRun(db, run.id, "outcome_unknown", now);
}
