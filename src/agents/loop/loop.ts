import { runTooLarge } from "../../runs/engine/run-too-large.ts";
import type { StepRecord } from "../../runs/journal/journal.ts";
import { isSettled } from "../../runs/journal/open-write.ts";
import type { AgentWorker, RunContext, Stopped } from "../../runs/outcome/ports.ts";
import type { StepDone } from "../../runs/outcome/step-result.ts";
import { ended, findStop, stopped, unknownOutcome, waiting } from "../../runs/outcome/stop-run.ts";
import type { RunEnd } from "../../runs/queue/queue.ts";
import { requestCancel } from "../../runs/runs.ts";
import type { AgentMessage, CallResult, ModelAnswer, ModelCall, Models } from "../models/model.ts";
import { doCall } from "./do-call.ts";
import { answerIn, doTurn } from "./do-turn.ts";
import { findRecord, positionsPerCall, toolStep } from "./journal-positions.ts";
import { type AgentParams, assistantMessage, firstMessages, resultOf } from "./messages.ts";
import { type AgentPlan, readPlan } from "./plan.ts";
import { capReached } from "./run-caps.ts";

/** Works on the runs of agents for the engine. */
export const createAgentWorker = (models: Models): AgentWorker => ({
  work: (context, plan) => work(context, readPlan(plan), models),
});

/** Further calls in one turn are refused, so that the model reads the results of the first ones. */
const callsMax = 50;

/**
 * Repeats the model's turns and the calls that it asks for, until it asks for none. The journal holds the conversation:
 * a worker that takes the run over replays it, and only does what has no result there yet.
 */
async function work(context: RunContext, plan: AgentPlan, models: Models): Promise<Stopped> {
  const { run, journal, ports } = context;
  const messages: AgentMessage[] = await firstMessages(plan, run.params as AgentParams);
  let position = 0;
  // The cap on turns bounds the loop.
  for (let turn = 1; ; turn++) {
    const before = await stopBefore(context, plan, position);
    if (before) return before;
    const asked = await doTurn(context, { plan, models, position, turn }, messages);
    const stop = stopAfter(context, asked);
    if (stop) return stop;
    const { record } = asked as Extract<StepDone, { kind: "done" }>;
    const answer = answerIn(record);
    // The answer was paid for, so it is durable before anything is done about it.
    if (!findRecord(context, position)?.finishedAt) await journal.save(record);
    if (answer.tool_calls.length === 0) return { end: succeeded(answer, ports.now()), last: null };
    const called = await doCalls(context, plan, position + 1, turn, answer);
    if ("end" in called) return called;
    messages.push(assistantMessage(answer), { role: "tool", results: called.results });
    position += 1 + answer.tool_calls.length * positionsPerCall;
  }
}

/** Checked before each turn that is not in the journal yet. */
async function stopBefore(context: RunContext, plan: AgentPlan, position: number): Promise<Stopped | null> {
  if (findRecord(context, position)?.finishedAt) return null;
  await context.memory.whenRoom();
  const stop = await findStop(context);
  if (stop) return stopped(context, stop);
  const now = context.ports.now();
  const tooMuch = context.memory.isFull() ? runTooLarge(context) : null;
  const problem = tooMuch ?? capReached(plan, context.journal.records(), context.run.createdAt, now);
  return problem ? { end: { ...ended("failed", now), problem }, last: null } : null;
}

/** A turn without an answer makes the run wait, or ends it. */
function stopAfter(context: RunContext, asked: StepDone): Stopped | null {
  if (asked.kind === "stops") return stopped(context, asked.stop);
  const { record } = asked;
  if (asked.kind === "waits") return { end: waiting(asked), last: record };
  if (record.status !== "failed") return null;
  return {
    end: { ...ended("failed", context.ports.now()), problem: record.problem },
    last: asked.isSaved ? null : record,
  };
}

async function doCalls(
  context: RunContext,
  plan: AgentPlan,
  from: number,
  turn: number,
  { tool_calls: calls }: ModelAnswer,
): Promise<{ results: CallResult[] } | Stopped> {
  const results: CallResult[] = [];
  for (const [index, call] of calls.entries()) {
    const position = from + index * positionsPerCall;
    const wanted = index < callsMax ? plan : { ...plan, abilities: [] };
    const done = await doOne(context, wanted, position, `turn_${turn}_call_${index + 1}`, call);
    if ("end" in done) return done;
    results.push(resultOf(call, done));
  }
  return { results };
}

/** Returns the saved record of a finished call, or why the run stops. */
async function doOne(
  context: RunContext,
  plan: AgentPlan,
  position: number,
  name: string,
  call: ModelCall,
): Promise<StepRecord | Stopped> {
  const before = findRecord(context, position + 1);
  if (before && isSettled(before)) return before;
  if (!before) await context.memory.whenRoom();
  const stop = await findStop(context);
  if (stop) return cancelChild(context, before, stopped(context, stop));
  if (!before && context.memory.isFull()) {
    return { end: { ...ended("failed", context.ports.now()), problem: runTooLarge(context) }, last: null };
  }
  const done = await doCall(context, plan, position, name, call);
  if (done.kind === "stops") return stopped(context, done.stop);
  const { record, inside } = done;
  if (done.kind === "waits") return { end: waiting(done), last: record, ...(inside ? { inside } : {}) };
  if (record.status === "outcome_unknown") return { end: unknownOutcome(record), last: record };
  await context.journal.save(record);
  return record;
}

/** Also cancels the tool run that this run waits for: no run is left to receive its result. */
function cancelChild({ run, ports }: RunContext, before: StepRecord | undefined, left: Stopped): Stopped {
  const child = before?.stepId === toolStep ? (before.output as { run_id?: string } | null)?.run_id : undefined;
  if (child === undefined) return left;
  return {
    ...left,
    async inside(db) {
      await left.inside?.(db);
      await requestCancel(db, run.projectId, child, ports.now());
    },
  };
}

/** Reports why the answer was cut short, such as "length". */
const succeeded = ({ text, finish_reason: reason }: ModelAnswer, now: Date): RunEnd => ({
  ...ended("succeeded", now),
  output: { message: text, ...(reason === "stop" ? {} : { finish_reason: reason }) },
});
