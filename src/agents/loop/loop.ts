import type { AgentWorker, RunContext, Stopped } from "../../runs/engine/ports.ts";
import { runTooLarge } from "../../runs/engine/run-too-large.ts";
import type { StepDone } from "../../runs/engine/step-done.ts";
import { ended, stopped, unknown, waiting, whyStop } from "../../runs/engine/stop-run.ts";
import type { StepRecord } from "../../runs/journal/journal.ts";
import type { RunEnd } from "../../runs/queue/queue.ts";
import { requestCancel } from "../../runs/runs.ts";
import type { AgentMessage, CallResult, ModelAnswer, ModelCall, Models } from "../models/model.ts";
import { doCall } from "./call.ts";
import { capReached } from "./caps.ts";
import { type AgentParams, assistantMessage, firstMessages, resultOf } from "./messages.ts";
import { type AgentPlan, readPlan } from "./plan.ts";
import { find, placesOfCall, toolStep } from "./records.ts";
import { answerIn, doTurn } from "./turn.ts";

/** What the engine hands the runs of agents to. */
export const createAgentWorker = (models: Models): AgentWorker => ({
  work: (context, plan) => work(context, readPlan(plan), models),
});

/** More calls than this in one turn are refused: the model is to look at what came of the first ones. */
const callsMax = 50;

/**
 * The model's turns and the calls that it asks for, one after the other, until it asks for none. The conversation is what the
 * journal holds: whoever takes the run up walks through it again, and asks or sends only what has no end there yet.
 */
async function work(context: RunContext, plan: AgentPlan, models: Models): Promise<Stopped> {
  const { run, journal, ports } = context;
  const messages: AgentMessage[] = firstMessages(plan, run.params as AgentParams);
  let position = 0;
  // The cap on turns bounds it.
  for (let turn = 1; ; turn++) {
    const before = await stopBefore(context, plan, position);
    if (before) return before;
    const asked = await doTurn(context, { plan, models, position, turn }, messages);
    const stop = stopAfter(context, asked);
    if (stop) return stop;
    const { record } = asked as Extract<StepDone, { kind: "done" }>;
    const answer = answerIn(record);
    // Paid for once: durable before anything is done about it.
    if (!find(context, position)?.finishedAt) await journal.save(record);
    if (answer.tool_calls.length === 0) return { end: succeeded(answer, ports.now()), last: null };
    const called = await doCalls(context, plan, position + 1, turn, answer);
    if ("end" in called) return called;
    messages.push(assistantMessage(answer), { role: "tool", results: called.results });
    position += 1 + answer.tool_calls.length * placesOfCall;
  }
}

/** Asked before each turn that is not in the journal yet. */
async function stopBefore(context: RunContext, plan: AgentPlan, position: number): Promise<Stopped | null> {
  if (find(context, position)?.finishedAt) return null;
  await context.memory.whenRoom();
  const stop = await whyStop(context);
  if (stop) return stopped(context, stop);
  const now = context.ports.now();
  const tooMuch = context.memory.isFull() ? runTooLarge(context) : null;
  const problem = tooMuch ?? capReached(plan, context.journal.records, context.run.createdAt, now);
  return problem ? { end: { ...ended("failed", now), problem }, last: null } : null;
}

/** A turn that has no answer lets the run wait, or ends it. */
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
    const position = from + index * placesOfCall;
    const wanted = index < callsMax ? plan : { ...plan, abilities: [] };
    const done = await doOne(context, wanted, position, `turn_${turn}_call_${index + 1}`, call);
    if ("end" in done) return done;
    results.push(resultOf(call, done));
  }
  return { results };
}

/** A call at its end, kept; or what the run stops at. */
async function doOne(
  context: RunContext,
  plan: AgentPlan,
  position: number,
  name: string,
  call: ModelCall,
): Promise<StepRecord | Stopped> {
  const before = find(context, position + 1);
  if (before?.finishedAt) return before;
  if (!before) await context.memory.whenRoom();
  const stop = await whyStop(context);
  if (stop) return { ...stopped(context, stop), ...(before ? leavingBehind(context, before) : {}) };
  if (!before && context.memory.isFull()) {
    return { end: { ...ended("failed", context.ports.now()), problem: runTooLarge(context) }, last: null };
  }
  const done = await doCall(context, plan, position, name, call);
  if (done.kind === "stops") return stopped(context, done.stop);
  const { record, inside } = done;
  if (done.kind === "waits") return { end: waiting(done), last: record, ...(inside ? { inside } : {}) };
  if (record.status === "outcome_unknown") return { end: unknown(record), last: record };
  await context.journal.save(record);
  return record;
}

/** The tool that it waits for is told to stop as well: nobody is left to hear how it ends. */
function leavingBehind({ run, ports }: RunContext, { stepId, output }: StepRecord): Pick<Stopped, "inside"> {
  const child = stepId === toolStep ? (output as { run_id?: string } | null)?.run_id : undefined;
  return child === undefined ? {} : { inside: (db) => requestCancel(db, run.projectId, child, ports.now()) };
}

/** What cut the answer short, such as "length", is told beside it. */
const succeeded = ({ text, finish_reason: reason }: ModelAnswer, now: Date): RunEnd => ({
  ...ended("succeeded", now),
  output: { message: text, ...(reason === "stop" ? {} : { finish_reason: reason }) },
});
