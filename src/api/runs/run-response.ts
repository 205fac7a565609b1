import * as z from "zod";
import { readTokensUsed, type TokensUsed } from "../../agents/loop/tokens-used.ts";
import type { RunLeft, ShownRecord, StepRecord } from "../../runs/journal/journal.ts";
import { wholeStepsOf } from "../../runs/journal/step-record.ts";
import { runHandle, stepHandle } from "../../runs/read-output.ts";
import { isShownWhole, type RunWithSteps, readWholeRunWithSteps, showRunWithSteps } from "../../runs/run-with-steps.ts";
import type { ListedRun, Run, ShownRun } from "../../runs/runs.ts";
import type { Db } from "../../store/db.ts";
import { waitKinds } from "../../systems/index.ts";
import { redactAnySize } from "../../transport/redact-in-slices.ts";
import { timeField } from "../shared-fields.ts";
import { limitField, problemField, runStatus } from "../steps/step-response.ts";
import { largeOutput, showLarge } from "./large-outputs.ts";

const attemptField = z.object({
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown().optional(),
  }),
  effect: z.string(),
  sent_at: timeField,
  waited_ms: z.number().meta({ description: "How long it waited for a limit" }),
  ms: z.number().optional(),
  response: z
    .object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown().optional() })
    .optional(),
  problem: z.object({ code: z.string(), detail: z.string() }).optional(),
  counted: z
    .record(z.string(), z.number())
    .optional()
    .meta({ description: "What it was counted with, limit by limit; tokens by estimate" }),
  limits: z
    .array(limitField)
    .optional()
    .meta({ description: "What the system reported about its limits, tokens included" }),
});
z.globalRegistry.add(attemptField, { id: "Attempt" });

const waitingField = z
  .object({
    kind: z
      .enum(["limit", "time", ...waitKinds, "approval", "retry", "person", "run"])
      .meta({ description: "For what" }),
    detail: z.string(),
    until: z.string().optional().meta({ description: "Until when, where that is known" }),
    step: z.string().optional(),
    request: z.unknown().optional().meta({
      description:
        "With `approval`: what will be sent. Its `reads_first` names what is read from the system just before, if anything",
    }),
    run_id: z.string().optional().meta({ description: "With `run`: the run of a tool that an agent waits for" }),
  })
  .meta({ id: "RunWaiting", description: "What it waits for, and until when" });

export const runSummary = z.object({
  run_id: z.string(),
  tool_id: z.string().nullable(),
  step_id: z.string().nullable(),
  connection_id: z.string().nullable(),
  agent_id: z.string().nullable().meta({ description: "Of the run of an agent" }),
  conversation_id: z.string().nullable().meta({ description: "Of the run of an agent; send it to continue" }),
  status: runStatus,
  started_by: z.string().meta({ description: "The account that started it" }),
  problem: problemField.optional(),
  waiting_for: waitingField.optional(),
  created_at: timeField,
  finished_at: timeField.nullable(),
});
z.globalRegistry.add(runSummary, { id: "RunSummary" });

const stepField = z.object({
  name: z.string(),
  step: z.string(),
  status: z.string(),
  output: z.unknown(),
  large_output: largeOutput.optional(),
  problem: problemField.optional(),
  warnings: z.array(z.string()).optional(),
  started_at: timeField.optional().meta({ description: "Of a step of a tool or agent" }),
  finished_at: timeField.nullish(),
  attempts: z.array(attemptField),
  attempts_omitted: z.int().optional().meta({
    description: "How many rounds have attempts that are not shown, because the run has too many for one response",
  }),
});
z.globalRegistry.add(stepField, { id: "RunStep" });

export const runRecord = runSummary.extend({
  params: z.unknown(),
  output: z.unknown(),
  large_output: largeOutput.optional(),
  warnings: z.array(z.string()),
  source: z
    .object({
      kind: z
        .enum(["call", "schedule", "event", "agent", "replay"])
        .meta({ description: "A call, a schedule, an event, an agent's run, or a replay" }),
      id: z.string().optional().meta({ description: "With `agent` and `replay`: that run" }),
    })
    .meta({ description: "What started it" }),
  steps: z.array(stepField),
  usage: z
    .object({
      turns: z.int().meta({ description: "How many turns the model took" }),
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
      estimated: z.boolean().meta({ description: "The model's server reported no numbers, so they are estimates" }),
    })
    .optional()
    .meta({ description: "Of the run of an agent: what its model used in all. Each turn shows its own" }),
});
z.globalRegistry.add(runRecord, { id: "Run" });

export const toSummary = (run: ListedRun): z.input<typeof runSummary> => ({
  run_id: run.id,
  ...workFields(run),
  status: run.status,
  started_by: run.startedBy,
  ...(run.problem === null ? {} : { problem: run.problem }),
  ...(run.waitingFor === null ? {} : { waiting_for: run.waitingFor as z.input<typeof waitingField> }),
  created_at: run.createdAt,
  finished_at: run.finishedAt,
});

const workFields = ({ work }: Pick<ListedRun, "work">) => ({
  tool_id: work.kind === "tool" ? work.id : null,
  step_id: work.kind === "step" ? work.id : null,
  connection_id: work.kind === "step" ? work.connectionId : null,
  agent_id: work.kind === "agent" ? work.id : null,
  conversation_id: work.kind === "agent" ? work.conversationId : null,
});

type RunFields = z.input<typeof runRecord>;

/** A run with its steps; of large outputs, the beginnings. */
export const readRun = async (db: Db, projectId: string, runId: string): Promise<RunFields> =>
  toRecord(db, await showRunWithSteps(db, projectId, runId));

/** A run with its whole outputs, for a caller who waited for them. */
export const readWholeRun = async (db: Db, projectId: string, runId: string): Promise<RunFields> =>
  toRecord(db, await readWholeRunWithSteps(db, projectId, runId));

const toRecord = async (db: Db, { run, records }: RunWithSteps): Promise<RunFields> => ({
  ...toSummary(run),
  params: await redactAnySize(run.params),
  output: run.output,
  ...(run.large && { large_output: showLarge(runHandle, run.large) }),
  warnings: run.warnings,
  source: run.source,
  steps: run.work.kind === "step" ? [onlyStep(run)] : stepsOf(records),
  ...(run.work.kind !== "agent" ? {} : { usage: usageOf(await readTokensUsed(db, records)) }),
});

/** The record of a tool's run that has just ended in this process, without reading it from the store again. */
export async function recordOf(db: Db, run: Run, left: RunLeft): Promise<RunFields> {
  if (!isShownWhole(left)) return readRun(db, run.projectId, run.id);
  const { end, records } = left;
  return {
    run_id: run.id,
    ...workFields(run),
    status: end.status,
    started_by: run.startedBy,
    ...(end.problem === null ? {} : { problem: end.problem }),
    ...(end.waitingFor === null ? {} : { waiting_for: end.waitingFor }),
    created_at: run.createdAt,
    finished_at: end.finishedAt,
    params: await redactAnySize(run.params),
    output: end.output ?? null,
    warnings: [],
    source: run.source,
    steps: stepsOf(records.toSorted((a, b) => a.position - b.position || a.turn - b.turn)),
  };
}

function usageOf(tokens: TokensUsed): z.input<typeof runRecord>["usage"] {
  const { estimated = false, ...used } = tokens;
  return { ...used, total_tokens: used.input_tokens + used.output_tokens, estimated };
}

type StepField = z.input<typeof stepField>;

const onlyStep = (run: ShownRun): StepField => ({
  name: run.work.id ?? "",
  step: run.work.id ?? "",
  status: run.status,
  output: run.output,
  ...(run.large && { large_output: showLarge(runHandle, run.large) }),
  ...(run.problem === null ? {} : { problem: run.problem }),
  attempts: [...run.attempts] as StepField["attempts"],
});

/** A repeated step shows the attempts of all its rounds. */
const stepsOf = (records: ShownRecord[]): StepField[] =>
  wholeStepsOf(records).map(({ whole, rounds }, index) => ({
    name: whole.name,
    step: whole.stepId,
    status: whole.status,
    output: whole.output ?? null,
    ...(whole.large && { large_output: showLarge(stepHandle(index), whole.large) }),
    ...(whole.problem === null ? {} : { problem: whole.problem }),
    ...warningsOf(rounds),
    started_at: whole.startedAt,
    finished_at: whole.finishedAt,
    attempts: rounds.flatMap(({ attempts }) => attempts) as StepField["attempts"],
    ...omittedOf(rounds),
  }));

const omittedOf = (rounds: ShownRecord[]): Pick<StepField, "attempts_omitted"> => {
  const omitted = rounds.filter(({ hasMoreAttempts }) => hasMoreAttempts).length;
  return omitted > 0 ? { attempts_omitted: omitted } : {};
};

const warningsOf = (records: StepRecord[]): Pick<StepField, "warnings"> => {
  const warnings = records.flatMap((record) => record.warnings);
  return warnings.length > 0 ? { warnings } : {};
};
