import { regionOfId } from "../../kernel/ids.ts";
import { listBareRecords, type StepRecord } from "../../runs/journal/journal.ts";
import type { RunContext, Stopped } from "../../runs/outcome/ports.ts";
import { finished, type StepDone } from "../../runs/outcome/step-result.ts";
import { insertPlannedRun, resumeIfWaiting } from "../../runs/queue/queue.ts";
import { newRun } from "../../runs/queue/start-run.ts";
import { hasRunEnded, type Run, requireRun } from "../../runs/runs.ts";
import type { Db } from "../../store/db.ts";
import type { Ability } from "./plan.ts";
import { waitedForPeople } from "./run-caps.ts";

/** What is written in the transaction in which the agent's run begins to wait. */
export type Leaving = Pick<Stopped, "inside">;

/** The end of the tool's run makes the agent's run due. This is for a run that a person ended from outside. */
const pollSeconds = 30;

/**
 * A tool that an agent uses is a run of its own, with its own journal, waits and approvals. It is queued in the
 * transaction in which the agent's run begins to wait, so that neither exists without the other.
 */
export async function runTool(
  context: RunContext,
  { tool }: Extract<Ability, { kind: "tool" }>,
  record: StepRecord,
): Promise<StepDone & Leaving> {
  const begun = record.output as { run_id: string } | null;
  if (begun)
    return afterRun(context, record, await requireRun(context.ports.store, context.run.projectId, begun.run_id));
  const { run, ports } = context;
  const child = newRun({
    region: regionOfId(run.id) ?? "us",
    organizationId: run.organizationId,
    projectId: run.projectId,
    work: { kind: "tool", ...tool },
    params: record.input,
    source: { kind: "agent", id: run.id },
    startedBy: run.startedBy,
    keyId: run.keyId,
    now: ports.now(),
  });
  const output = { run_id: child.id, status: child.status, output: null };
  return {
    ...waitFor(context, { ...record, output }, child.id, "Waits for the tool that the agent started."),
    inside: (db) => insertPlannedRun(db, child),
  };
}

async function afterRun(context: RunContext, record: StepRecord, child: Run): Promise<StepDone & Leaving> {
  const output = { run_id: child.id, status: child.status, output: child.output };
  if (child.finishedAt === null) {
    return {
      ...waitFor(context, { ...record, output }, child.id, `The tool's run ${child.id} is ${child.status}.`),
      inside: (db) => resumeIfEnded(db, context, child.id),
    };
  }
  const status = child.status === "succeeded" ? "succeeded" : "failed";
  const people = waitedForPeople(await listBareRecords(context.ports.store, child.id));
  const finalOutput = people > 0 ? { ...output, waited_for_people_ms: people } : output;
  return { kind: "done", record: finished(context, record, { status, output: finalOutput, problem: child.problem }) };
}

/**
 * The tool's run may have ended since it was read, and made nothing due, because the agent's run was not waiting yet.
 */
async function resumeIfEnded(db: Db, { run, ports }: RunContext, childId: string): Promise<void> {
  if (await hasRunEnded(db, run.projectId, childId)) await resumeIfWaiting(db, run.id, ports.now());
}

function waitFor(context: RunContext, record: StepRecord, runId: string, detail: string): StepDone {
  return {
    kind: "waits",
    record: { ...record, status: "waiting" },
    waitingFor: { kind: "run", step: record.name, detail, run_id: runId },
    runAt: new Date(context.ports.now().getTime() + pollSeconds * 1000),
  };
}
