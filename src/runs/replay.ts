import { type AgentPlan, definitionOf, planOf } from "../agents/loop/plan.ts";
import { keepAgentRun } from "../agents/runs.ts";
import { newId } from "../kernel/ids.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { ToolStep } from "../tools/definition.ts";
import { readParams } from "../tools/params.ts";
import { redact } from "../transport/redact.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { Word } from "./intervene.ts";
import { keepRecord, listRecords, type StepRecord } from "./journal/journal.ts";
import { onlyTurn } from "./journal/new-record.ts";
import { insertToolRun, type ToolRun } from "./queue/queue.ts";
import { newToolRun } from "./start-run.ts";

export interface ReplayWish {
  region: Region;
  fromStep: string | undefined;
  /** As `paramsToReplay` gave them. */
  params: unknown;
  keyId: string | null;
}

/** The same tool once more, from the start or from a step: what came before that is taken over as it was. */
export async function replay(db: Db, run: ToolRun, wish: ReplayWish, { userId, now }: Word): Promise<string> {
  const plan = replayedPlan(run, wish.region);
  const from = wish.fromStep === undefined ? 0 : run.definition.steps.findIndex(({ name }) => name === wish.fromStep);
  if (from < 0) throw noSuchStep(namesIn(run), wish.fromStep);
  const records = await listRecords(db, run.id);
  requireEnded(run.definition.steps.slice(0, from), records);
  const again = newToolRun({
    region: wish.region,
    organizationId: run.organizationId,
    projectId: run.projectId,
    tool: { id: run.toolId, version: run.toolVersion, definition: plan ? definitionOf(plan) : run.definition },
    params: wish.params,
    source: { kind: "replay", id: run.id },
    startedBy: userId,
    keyId: wish.keyId,
    now,
  });
  await insertToolRun(db, again, null);
  if (plan) await keepAgentRun(db, again.id, plan);
  for (const record of takenOver(records, from)) await keepRecord(db, { ...record, runId: again.id });
  return again.id;
}

/** An agent's run said once more begins a conversation of its own, with the same past. */
function replayedPlan(run: ToolRun, region: Region): AgentPlan | null {
  const plan = planOf(run);
  return plan && { ...plan, conversationId: newId("conversation", region) };
}

/** The same params, or others, which are checked like those of any start. Before the transaction that starts the run. */
export async function paramsToReplay(
  run: ToolRun,
  wanted: Record<string, unknown> | undefined,
  compute: Compute,
): Promise<unknown> {
  if (wanted === undefined) return run.params;
  if (planOf(run)) return agentParams(wanted);
  const read = await readParams(run.definition, wanted, { compute, organizationId: run.organizationId });
  if ("params" in read) return read.params;
  throw unfit(read.errors.map((error) => ({ ...error, pointer: `#/params${error.pointer}` })));
}

const messageMax = 100_000;

function agentParams(wanted: Record<string, unknown>): unknown {
  const [name, ...others] = Object.keys(wanted);
  const { message, event } = wanted;
  const isAlone = others.length === 0;
  if (isAlone && name === "message" && typeof message === "string" && message !== "" && message.length <= messageMax) {
    return { message: redact(message, []) };
  }
  if (isAlone && name === "event" && typeof event === "object" && event !== null) return { event: redact(event, []) };
  const detail = `An agent is started with {"message": "…"}, of at most ${messageMax} characters, or with {"event": {…}}.`;
  throw unfit([{ pointer: "#/params", code: "invalid_value", detail }]);
}

const unfit = (errors: FieldError[]): Problem =>
  new Problem("validation_failed", "The params do not fit the run.", { errors });

/** What has not come to its end there would be done by this run: a write nobody knows the outcome of, sent once more. */
function requireEnded(steps: readonly ToolStep[], records: readonly StepRecord[]): void {
  const open = steps.find((step, position) => {
    const record = records.find((each) => each.position === position && each.turn === onlyTurn);
    return !record?.finishedAt || (record.status === "failed" && step.continue_on_error !== true);
  });
  if (!open) return;
  const detail = `The step ${open.name} did not come to a good end in that run: begin with it, or with one before it.`;
  const errors = [{ pointer: "#/from_step", code: "unfinished_step", detail }];
  throw new Problem("validation_failed", "The run cannot begin with this step.", { errors });
}

/**
 * All that came before, but the last word of a person: what they approved was that run, and whoever replays it may be
 * somebody who could not have approved it. So the run asks again.
 */
function takenOver(records: readonly StepRecord[], from: number): StepRecord[] {
  const before = records.filter(({ position }) => position < from);
  const asked = Math.max(-1, ...before.filter(({ stepId }) => stepId === "approve").map(({ position }) => position));
  return before.filter(({ position }) => position !== asked);
}

const namesIn = (run: ToolRun): string[] => run.definition.steps.map(({ name }) => name);

export function noSuchStep(known: readonly string[], wanted: string | undefined): Problem {
  const whole = "The run of an agent is replayed as a whole.";
  const detail = known.length > 0 ? `It has ${known.join(", ")}.` : whole;
  return new Problem("validation_failed", `The run has no step "${wanted}".`, {
    errors: [{ pointer: "#/from_step", code: "unknown_step", detail }],
  });
}
