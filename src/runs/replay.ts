import { type FieldError, Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { ToolStep } from "../tools/definition.ts";
import { readParams } from "../tools/params.ts";
import type { Compute } from "../untrusted/compute.ts";
import { copyStepRecords, listBareRecords, type StepRecord } from "./journal/journal.ts";
import { wholeStep } from "./journal/new-record.ts";
import { insertPlannedRun } from "./queue/queue.ts";
import { newRun, type RunStart } from "./queue/start-run.ts";
import type { PlannedWork, Run, ToolRun } from "./record/run-record.ts";

/** Who replays a run, and when. */
export interface Decider {
  userId: string;
  now: Date;
}

export interface ReplayWish {
  region: Region;
  fromStep: string | undefined;
  /** As `toolParamsToReplay` or `agentParamsToReplay` returned them. */
  params: unknown;
  keyId: string | null;
}

/** Runs the same tool again, from the start or from a step. The records of earlier steps are copied. */
export async function replayTool(db: Db, run: ToolRun, wish: ReplayWish, decider: Decider): Promise<string> {
  const { steps } = run.work.definition;
  const from = wish.fromStep === undefined ? 0 : steps.findIndex(({ name }) => name === wish.fromStep);
  if (from < 0)
    throw noSuchStep(
      steps.map(({ name }) => name),
      wish.fromStep,
    );
  const records = await listBareRecords(db, run.id);
  requireEnded(steps.slice(0, from), records);
  const again = newRun(replayStart(run, run.work, wish, decider));
  await insertPlannedRun(db, again);
  await copyStepRecords(db, run.id, again.id, { before: from, but: lastApproval(records, from) });
  return again.id;
}

/** The start of a run that repeats another, on behalf of the person who asks for it. */
export const replayStart = (
  { id, organizationId, projectId }: Run,
  work: PlannedWork,
  { region, params, keyId }: ReplayWish,
  { userId, now }: Decider,
): RunStart => ({
  region,
  organizationId,
  projectId,
  work,
  params,
  source: { kind: "replay", id },
  startedBy: userId,
  keyId,
  now,
});

/** The same params, or others, validated like those of any start. Called before the transaction that starts the run. */
export async function toolParamsToReplay(
  run: ToolRun,
  wanted: Record<string, unknown> | undefined,
  compute: Compute,
): Promise<unknown> {
  if (wanted === undefined) return run.params;
  const read = await readParams(run.work.definition, wanted, { compute, organizationId: run.organizationId });
  if ("params" in read) return read.params;
  throw unfit(read.errors.map((error) => ({ ...error, pointer: `#/params${error.pointer}` })));
}

export const unfit = (errors: FieldError[]): Problem =>
  new Problem("validation_failed", "The params do not fit the run.", { errors });

/** An unfinished step would be done by the new run: a write with an unknown outcome would be sent again. */
function requireEnded(steps: readonly ToolStep[], records: readonly StepRecord[]): void {
  const open = steps.find((step, position) => {
    const record = records.find((each) => each.position === position && each.turn === wholeStep);
    if (!record?.finishedAt || record.status === "outcome_unknown") return true;
    return record.status === "failed" && step.continue_on_error !== true;
  });
  if (!open) return;
  const detail = `The step ${open.name} did not succeed in that run: start with it, or with an earlier step.`;
  const errors = [{ pointer: "#/from_step", code: "unfinished_step", detail }];
  throw new Problem("validation_failed", "The run cannot begin with this step.", { errors });
}

/**
 * Copies all earlier steps except the last approval: it was given for that run, and the person who replays it may not
 * have been allowed to approve. So the new run asks again.
 */
const lastApproval = (records: readonly StepRecord[], from: number): number =>
  records.findLast(({ stepId, position }) => stepId === "approve" && position < from)?.position ?? -1;

export function noSuchStep(known: readonly string[], wanted: string | undefined): Problem {
  const whole = "The run of an agent is replayed as a whole.";
  const detail = known.length > 0 ? `It has ${known.join(", ")}.` : whole;
  return new Problem("validation_failed", `The run has no step "${wanted}".`, {
    errors: [{ pointer: "#/from_step", code: "unknown_step", detail }],
  });
}
