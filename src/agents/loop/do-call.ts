import { callStep } from "../../runs/engine/call-step.ts";
import { templateProblem } from "../../runs/engine/template-problem.ts";
import type { StepRecord } from "../../runs/journal/journal.ts";
import { newRecord } from "../../runs/journal/new-record.ts";
import type { RunContext } from "../../runs/outcome/ports.ts";
import { finished, type StepDone } from "../../runs/outcome/step-result.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import type { ModelCall } from "../models/model.ts";
import { askApproval, toolStepOf } from "./ask-approval.ts";
import { findRecord, toolStep } from "./journal-positions.ts";
import { type Chosen, choose, needsApproval } from "./model-tools.ts";
import type { Ability, AgentPlan } from "./plan.ts";
import { type Leaving, runTool } from "./tool-run.ts";

/**
 * One call that the model asked for. It is checked, approved if needed, and then made like the step of a tool, with the
 * same journal. The model learns about every failure and decides what to do.
 */
export async function doCall(
  context: RunContext,
  plan: AgentPlan,
  position: number,
  name: string,
  call: ModelCall,
): Promise<StepDone & Leaving> {
  const before = findRecord(context, position + 1);
  const on = { compute: context.ports.compute, organizationId: context.run.organizationId };
  const chosen = await choose(plan, call, on).catch(withoutTime);
  if ("refused" in chosen) {
    const record = newRecord(context, position + 1, { name, stepId: call.name.slice(0, 100) });
    return { kind: "done", record: finished(context, record, { status: "failed", problem: chosen.refused }) };
  }
  const { ability, input } = chosen;
  const record = before ?? recordOf(context, position + 1, name, ability, input);
  if (before || !needsApproval(plan.approval, chosen.effect)) return make(context, ability, name, record);
  const asked = findRecord(context, position);
  if (!asked?.finishedAt) return askApproval(context, position, name, ability, input);
  // The preview and the call share one start time, so both compute the same dates.
  const approved = { ...record, startedAt: asked.startedAt };
  return asked.status === "succeeded" ? make(context, ability, name, approved) : notApproved(context, approved);
}

/** The model may ask again a little later. */
function withoutTime(error: unknown): Chosen {
  const problem = templateProblem(error, "arguments");
  if (!problem) throw error;
  return { refused: problem };
}

const make = (context: RunContext, ability: Ability, name: string, record: StepRecord): Promise<StepDone & Leaving> =>
  ability.kind === "step" ? callStep(context, toolStepOf(name, ability), record) : runTool(context, ability, record);

function recordOf(context: RunContext, position: number, name: string, ability: Ability, input: unknown): StepRecord {
  const what =
    ability.kind === "step"
      ? { name, stepId: ability.step, connectionId: ability.connectionId, input }
      : { name, stepId: toolStep, input };
  return newRecord(context, position, what);
}

function notApproved(context: RunContext, record: StepRecord): StepDone {
  const problem = stepProblem("not_approved", "A person refused this call. Nothing was sent.");
  return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
}
