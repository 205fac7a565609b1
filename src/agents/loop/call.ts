import { callStep } from "../../runs/engine/call-step.ts";
import type { RunHand } from "../../runs/engine/ports.ts";
import { finished, type StepDone } from "../../runs/engine/step-done.ts";
import { whyNotFilledIn } from "../../runs/engine/unfilled-problem.ts";
import type { StepRecord } from "../../runs/journal/journal.ts";
import { newRecord } from "../../runs/journal/new-record.ts";
import { stepProblem } from "../../systems/problems.ts";
import type { ModelCall } from "../models/model.ts";
import { askApproval, toolStepOf } from "./ask-approval.ts";
import type { Ability, AgentPlan } from "./plan.ts";
import { find, toolStep } from "./records.ts";
import { type Leaving, runTool } from "./tool-run.ts";
import { type Chosen, choose, needsApproval } from "./tools.ts";

/**
 * One call that the model asked for: known, fitting, approved where that is asked, and then made like the step of a tool,
 * with the same journal. Whatever goes wrong is told to the model, which decides what to do about it.
 */
export async function doCall(
  hand: RunHand,
  plan: AgentPlan,
  position: number,
  name: string,
  call: ModelCall,
): Promise<StepDone & Leaving> {
  const before = find(hand, position + 1);
  const on = { compute: hand.ports.compute, organizationId: hand.run.organizationId };
  const chosen = await choose(plan, call, on).catch(withoutTime);
  if ("refused" in chosen) {
    const record = newRecord(hand, position + 1, { name, stepId: call.name.slice(0, 100) });
    return { kind: "done", record: finished(hand, record, { status: "failed", problem: chosen.refused }) };
  }
  const { ability, input } = chosen;
  const record = before ?? recordOf(hand, position + 1, name, ability, input);
  if (before || !needsApproval(plan.approval, chosen.effect)) return make(hand, ability, name, record);
  const asked = find(hand, position);
  if (!asked?.finishedAt) return askApproval(hand, position, name, ability, input);
  // The call is as old as the question, so that it asks for the very dates that were shown.
  const approved = { ...record, startedAt: asked.startedAt };
  return asked.status === "succeeded" ? make(hand, ability, name, approved) : notApproved(hand, approved);
}

/** The model may ask again a little later. */
function withoutTime(error: unknown): Chosen {
  const problem = whyNotFilledIn(error, "arguments");
  if (!problem) throw error;
  return { refused: problem };
}

const make = (hand: RunHand, ability: Ability, name: string, record: StepRecord): Promise<StepDone & Leaving> =>
  ability.kind === "step" ? callStep(hand, toolStepOf(name, ability), record) : runTool(hand, ability, record);

function recordOf(hand: RunHand, position: number, name: string, ability: Ability, input: unknown): StepRecord {
  const what =
    ability.kind === "step"
      ? { name, stepId: ability.step, connectionId: ability.connectionId, input }
      : { name, stepId: toolStep, input };
  return newRecord(hand, position, what);
}

function notApproved(hand: RunHand, record: StepRecord): StepDone {
  const problem = stepProblem("not_approved", "A person refused this call. Nothing was sent.");
  return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
}
