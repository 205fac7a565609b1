import type { StepRecord } from "../../runs/journal/journal.ts";
import { newRecord } from "../../runs/journal/new-record.ts";
import type { RunContext } from "../../runs/outcome/ports.ts";
import { finished, type StepDone } from "../../runs/outcome/step-result.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { AgentMessage, ModelAnswer, Models } from "../models/model.ts";
import type { ModelFailure } from "../models/model-failure.ts";
import { findRecord, modelStep } from "./journal-positions.ts";
import { instructionsOf } from "./messages.ts";
import { toolsOf } from "./model-tools.ts";
import type { AgentPlan } from "./plan.ts";

const triesMax = 6;
const firstPauseSeconds = 2;
const pauseSecondsMax = 300;
/** Turns of other runs end all the time. */
const roomSeconds = 2;

export interface Turn {
  plan: AgentPlan;
  models: Models;
  /** Its position in the journal. */
  position: number;
  /** Begins with 1. */
  turn: number;
}

/** One turn of the model. A turn with an answer in the journal is not asked again. */
export async function doTurn(
  context: RunContext,
  { plan, models, position, turn }: Turn,
  messages: readonly AgentMessage[],
): Promise<StepDone> {
  const before = findRecord(context, position);
  if (before?.finishedAt) return { kind: "done", record: before, isSaved: true };
  const record = before ?? newRecord(context, position, { name: `turn_${turn}`, stepId: modelStep });
  const { ports, run } = context;
  const chosen = models.find(plan.model);
  if ("missing" in chosen) return failed(context, record, stepProblem("model_not_configured", chosen.missing));
  const asked = { instructions: instructionsOf(plan, run), messages, tools: await toolsOf(context, plan) };
  const { organizationId } = run;
  if (models.isBusy(organizationId))
    return retryLater(
      context,
      record,
      "limit",
      roomSeconds,
      "This server makes as many model calls as it may at the moment.",
    );
  const outcome = await models.ask(organizationId, chosen, asked, ports.now);
  const tried = { ...record, attempts: [...record.attempts, ...outcome.attempts] };
  if ("failure" in outcome) return afterFailure(context, tried, outcome.failure);
  const isWithheld = outcome.answer.finish_reason === "content-filter" && outcome.answer.tool_calls.length === 0;
  if (isWithheld) {
    const problem = stepProblem("model_refused", "The model's server withheld the response because of its own filter.");
    return failed(context, { ...tried, output: outcome.answer }, problem);
  }
  return { kind: "done", record: finished(context, tried, { status: "succeeded", output: outcome.answer }) };
}

/** The model's answer in a turn that succeeded. */
export const answerIn = ({ output }: StepRecord): ModelAnswer => output as ModelAnswer;

/** An unavailable server is asked again with a backoff, a limited number of times; no worker is held meanwhile. */
function afterFailure(context: RunContext, record: StepRecord, failure: ModelFailure): StepDone {
  const problem = stepProblem(failure.code, failure.detail);
  if (failure.code !== "model_unavailable" || record.tries >= triesMax - 1) return failed(context, record, problem);
  const pause = firstPauseSeconds * 2 ** record.tries;
  const tried = { ...record, tries: record.tries + 1 };
  return retryLater(context, tried, "retry", failure.waitSeconds ?? pause, failure.detail);
}

/** Jitter spreads the retries of runs that failed together. */
function retryLater(
  context: RunContext,
  record: StepRecord,
  kind: "limit" | "retry",
  seconds: number,
  detail: string,
): StepDone {
  const pause = Math.min(pauseSecondsMax, seconds) * (1 + context.ports.random() / 2);
  const at = new Date(context.ports.now().getTime() + pause * 1000);
  return {
    kind: "waits",
    record: { ...record, status: "waiting" },
    waitingFor: { kind, step: record.name, detail, until: at.toISOString() },
    runAt: at,
  };
}

const failed = (context: RunContext, record: StepRecord, problem: StepProblem): StepDone => ({
  kind: "done",
  record: finished(context, record, { status: "failed", problem }),
});
