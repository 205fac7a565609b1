import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { type AgentPlan, definitionOf, planOf } from "./agent-plan.ts";
import { keepAgentRun } from "./agent-runs.ts";
import { stepProblem } from "./engine-ports.ts";
import { keepRecord, listRecords, type StepRecord } from "./journal.ts";
import { goOn } from "./runs.ts";
import { newToolRun } from "./start-run.ts";
import { insertToolRun, type ToolRun } from "./tool-runs.ts";

/** What people do to runs of tools that wait for them. All of it happens inside the transaction of the change. */

export interface Word {
  userId: string;
  now: Date;
}

/** The role that the tool asks of whoever approves. */
export async function approvalAsked(db: Db, run: ToolRun): Promise<{ record: StepRecord; role: "editor" | "admin" }> {
  const records = await listRecords(db, run.id);
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
  await goOn(db, record.runId, "waiting", now);
}

/** "it happened / it did not / try again", for the step that is open, or the one that is named. */
export async function resolveOpenStep(
  db: Db,
  run: ToolRun,
  said: { step: string | undefined; outcome: "happened" | "did_not" | "retry"; output: unknown },
  { now }: Word,
): Promise<void> {
  const open = (await listRecords(db, run.id)).filter(({ status }) => status === "outcome_unknown");
  const meant = open.filter(({ name }) => said.step === undefined || name === said.step);
  // Of a step that is repeated both the round and the whole are open; the round is the one that was sent.
  const record = meant.toSorted((a, b) => b.turn - a.turn)[0];
  if (run.status !== "outcome_unknown" || !record) throw new Problem("run_not_waiting");
  const finishedAt = now.toISOString();
  const settled: Record<typeof said.outcome, Partial<StepRecord>> = {
    happened: { status: "succeeded", output: said.output ?? null, problem: null, finishedAt },
    did_not: { status: "failed", finishedAt },
    retry: { status: "waiting", attempts: [], problem: null, looks: 0 },
  };
  await keepRecord(db, { ...record, ...settled[said.outcome] });
  await goOn(db, run.id, "outcome_unknown", now);
}

/** The same tool once more, from the start or from a step: what came before that is taken over as it was. */
export async function replay(
  db: Db,
  run: ToolRun,
  wish: { region: Region; fromStep: string | undefined; params: unknown; keyId: string | null },
  { userId, now }: Word,
): Promise<string> {
  const plan = replayedPlan(run, wish.region);
  const again = newToolRun({
    region: wish.region,
    organizationId: run.organizationId,
    projectId: run.projectId,
    tool: { id: run.toolId, version: run.toolVersion, definition: plan ? definitionOf(plan) : run.definition },
    params: wish.params ?? run.params,
    source: { kind: "replay", id: run.id },
    startedBy: userId,
    keyId: wish.keyId,
    now,
  });
  await insertToolRun(db, again, null);
  if (plan) await keepAgentRun(db, again.id, plan);
  const from = wish.fromStep === undefined ? 0 : run.definition.steps.findIndex(({ name }) => name === wish.fromStep);
  if (from < 0) throw noSuchStep(run, wish.fromStep);
  for (const record of await listRecords(db, run.id)) {
    if (record.position < from && record.finishedAt !== null) await keepRecord(db, { ...record, runId: again.id });
  }
  return again.id;
}

/** An agent's run said once more begins a conversation of its own, with the same past. */
function replayedPlan(run: ToolRun, region: Region): AgentPlan | null {
  const plan = planOf(run);
  return plan && { ...plan, conversationId: newId("conversation", region) };
}

function noSuchStep(run: ToolRun, name: string | undefined): Problem {
  const whole = "The run of an agent is replayed as a whole.";
  const names = run.definition.steps.map((step) => step.name).join(", ");
  return new Problem("validation_failed", `The run has no step "${name}".`, {
    errors: [{ pointer: "#/from_step", code: "unknown_step", detail: names ? `It has ${names}.` : whole }],
  });
}
