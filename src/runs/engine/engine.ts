import { evaluatorFor } from "../../expressions/evaluate.ts";
import { fillIn } from "../../expressions/fill-in.ts";
import { mark } from "../../kernel/loop-watch.ts";
import type { Fence } from "../../steps/fence.ts";
import type { Db } from "../../store/db.ts";
import { stepProblem } from "../../systems/problems.ts";
import type { ToolDefinition } from "../../tools/definition.ts";
import { redactForStorage } from "../../transport/redact-in-slices.ts";
import { openJournal, type RunLeft, type StepRecord } from "../journal/journal.ts";
import { rememberText } from "../journal/large-outputs.ts";
import { onlyTurn } from "../journal/new-record.ts";
import { type Claim, makeParentDue, type RunEnd } from "../queue/queue.ts";
import type { PlannedRun } from "../run.ts";
import { doStep } from "./do-step.ts";
import type { RunHand, RunValues, Stopped, WorkPorts } from "./ports.ts";
import type { RunPart } from "./run-memory.ts";
import type { StepDone } from "./step-done.ts";
import { ended, givenUp, stopped, unknown, waiting, whyStop } from "./stop-run.ts";
import { whyNotFilledIn } from "./unfilled-problem.ts";

/** So often working on a run may fail by our own fault before one more step of it is done. */
const failuresMax = 10;
/**
 * So often its worker may be gone without a word. Far more, because that is seldom a run's fault: whoever ends a process
 * ends the claims of all runs in it.
 */
const claimsMax = 100;

/**
 * Works on a run until it ends or waits: finished steps are skipped, the next one is done, and so on. Whatever it does, the
 * journal has it before it could happen twice. Throws LeaseLost where the run is another worker's by now.
 */
export async function workOn(
  run: PlannedRun,
  claim: Claim,
  ports: WorkPorts,
  isFresh: boolean,
  fence: Fence,
): Promise<RunLeft> {
  const part = ports.memory.enter(run.organizationId);
  try {
    return await workWithin(part, run, claim, ports, isFresh, fence);
  } finally {
    part.leave();
  }
}

async function workWithin(
  part: RunPart,
  run: PlannedRun,
  claim: Claim,
  ports: WorkPorts,
  isFresh: boolean,
  fence: Fence,
): Promise<RunLeft> {
  const journal = await openJournal(ports, claim, isFresh, part);
  markRun(run);
  const values: RunValues = { params: run.params, steps: {} };
  if (run.source.kind === "event") values.event = (run.params as { event?: unknown } | null)?.event;
  const evaluator = evaluatorFor({ compute: ports.compute, organizationId: run.organizationId });
  const hand: RunHand = { run, journal, values, ports, evaluator, fence, part };
  const tries = triesInVain(run, journal.progressFence);
  const { end, last, inside } = tries === null ? await doWork(hand, isFresh) : givenUp(hand, tries);
  await journal.leave(end, last, async (db: Db) => {
    await inside?.(db);
    await makeParentDue(db, run, end);
    return (await ports.onLeft?.(db, run, end)) ?? (() => {});
  });
  return { end, records: journal.records, weight: journal.weight };
}

const markRun = ({ id, organizationId, projectId }: PlannedRun): void =>
  mark("a run", { operation: "run", organizationId, projectId, runId: id });

/** Not for ever: how often a run was tried that is not tried any more, or null. */
function triesInVain({ fence, failures, claimsWithoutProgress }: PlannedRun, progressFence: number): number | null {
  if (failures >= failuresMax) return failures;
  const claims = Math.min(claimsWithoutProgress, fence - progressFence) - 1;
  return claims >= claimsMax ? claims : null;
}

function doWork(hand: RunHand, isFresh: boolean): Promise<Stopped> {
  const { work } = hand.run;
  return work.kind === "agent" ? workAsAgent(hand, work.plan) : doSteps(hand, work.definition, isFresh);
}

async function workAsAgent(hand: RunHand, plan: unknown): Promise<Stopped> {
  const { agents, now } = hand.ports;
  if (agents) return agents.work(hand, plan);
  const problem = stepProblem("model_not_configured", "This server has no models.");
  return { end: { ...ended("failed", now()), problem }, last: null };
}

async function doSteps(hand: RunHand, definition: ToolDefinition, isFresh: boolean): Promise<Stopped> {
  const { run, journal, values, ports } = hand;
  let last: StepRecord | null = null;
  for (const [position, step] of definition.steps.entries()) {
    if (last) journal.keepSoon(last);
    markRun(run);
    // Whoever started it was looked at in the transaction that did; what is done is done, whoever may do what by now.
    const isDone = (journal.find(position, onlyTurn)?.finishedAt ?? null) !== null;
    const room = isDone ? null : hand.part.room();
    if (room) await room;
    const stop = isDone || (isFresh && position === 0) ? null : await whyStop(hand);
    if (stop) return stopped(hand, stop);
    const done: StepDone = await doStep(hand, position, step);
    if (done.kind === "stops") return stopped(hand, done.stop);
    if (done.kind === "waits") return { end: waiting(done), last: done.record };
    last = done.isKept ? null : done.record;
    const { output, status, problem } = done.record;
    values.steps[step.name] = { output, status, ...(problem === null ? {} : { problem }) };
    if (done.record.status === "outcome_unknown") return { end: unknown(done.record), last };
    if (done.record.status === "failed" && step.continue_on_error !== true) {
      return { end: { ...ended("failed", ports.now()), problem: done.record.problem }, last };
    }
  }
  return { end: await succeed(hand, definition), last };
}

/** Without secrets, as everything that is kept. */
async function outputOf(given: unknown): Promise<unknown> {
  const kept = redactForStorage(given, undefined);
  if (!(kept instanceof Promise)) return kept.value;
  const { value, text } = await kept;
  rememberText(value, text);
  return value;
}

/** The output is what the tool says, or else what its last step gave. */
async function succeed({ values, ports, evaluator }: RunHand, definition: ToolDefinition): Promise<RunEnd> {
  const lastName = definition.steps.at(-1)?.name ?? "";
  try {
    const output =
      definition.output === undefined
        ? values.steps[lastName]?.output
        : await outputOf(await fillIn(definition.output, values, evaluator));
    return { ...ended("succeeded", ports.now()), output: output ?? null };
  } catch (error) {
    const problem = whyNotFilledIn(error, "output");
    if (!problem) throw error;
    return { ...ended("failed", ports.now()), problem };
  }
}
