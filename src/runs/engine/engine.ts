import { evaluatorFor } from "../../expressions/evaluate.ts";
import { fillIn } from "../../expressions/fill-in.ts";
import { mark } from "../../kernel/loop-watch.ts";
import { type Fence, LeaseLost } from "../../steps/fence.ts";
import { type Db, StoreUnavailable } from "../../store/db.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import type { ToolDefinition } from "../../tools/definition.ts";
import { redactUnwritten } from "../../transport/redact-in-slices.ts";
import { type FirstCommit, openJournal, type RunJournal, type RunLeft, type StepRecord } from "../journal/journal.ts";
import { wholeStep } from "../journal/new-record.ts";
import { isOpen, isSettled } from "../journal/open-write.ts";
import type { RunContext, RunValues, Stopped, WorkPorts } from "../outcome/ports.ts";
import { chargeFor, type StepDone } from "../outcome/step-result.ts";
import { ended, findStop, givenUp, stopped, unknownOutcome, waiting } from "../outcome/stop-run.ts";
import { type Claim, makeParentDue, type RunEnd } from "../queue/queue.ts";
import type { MemoryShare } from "../queue/run-memory.ts";
import { rememberText } from "../record/large-outputs.ts";
import type { PlannedRun } from "../record/run-record.ts";
import { doStep } from "./do-step.ts";
import { templateProblem } from "./template-problem.ts";

/** How many failures of our own a run may have without finishing another step. */
const failuresMax = 10;
/**
 * How many of its workers may die without finishing another step. This is far more than `failuresMax`, because the
 * death of a process ends the claims of all its runs, and is seldom the fault of one.
 */
const claimsMax = 100;

/** A run that a worker has claimed. */
export interface ClaimedRun {
  run: PlannedRun;
  claim: Claim;
  /** Whether this worker has just inserted the run, so that its journal is empty. */
  isFresh: boolean;
  fence: Fence;
  /** For a run that is not stored yet, or that this worker has not begun. */
  unsaved?: UnsavedRun | undefined;
}

/** A run that becomes durable, or is begun, with its first write, its first wait or its end. */
export interface UnsavedRun {
  firstCommit: FirstCommit;
  /** Receives the journal, whose `begin` does so at any time. */
  onOpened(journal: RunJournal): void;
  /** Waits for a commit that is under way. */
  isStored(): Promise<boolean>;
}

/**
 * Works on a run until it ends or waits. It skips finished steps and does the next one. The journal records each action
 * before it could happen twice. Throws LeaseLost if another worker holds the run by now.
 */
export async function workOn(claimed: ClaimedRun, ports: WorkPorts): Promise<RunLeft> {
  const memory = ports.memory.open(claimed.run.organizationId);
  try {
    return await workWithin(memory, claimed, ports);
  } finally {
    memory.release();
  }
}

async function workWithin(memory: MemoryShare, claimed: ClaimedRun, ports: WorkPorts): Promise<RunLeft> {
  const { run, claim, isFresh, fence, unsaved } = claimed;
  let journal: RunJournal;
  let isJournalLost = false;
  try {
    journal = await openJournal(ports, claim, isFresh, memory, unsaved?.firstCommit);
  } catch (error) {
    // It ends without its journal, which cannot be read.
    if (run.failures < failuresMax || error instanceof StoreUnavailable) throw error;
    journal = await openJournal(ports, claim, true, memory);
    isJournalLost = true;
  }
  unsaved?.onOpened(journal);
  markRun(run);
  const values: RunValues = { params: run.params, steps: {} };
  if (run.source.kind === "event") values.event = (run.params as { event?: unknown } | null)?.event;
  const evaluator = evaluatorFor({ compute: ports.compute, organizationId: run.organizationId });
  const context: RunContext = { run, journal, values, ports, evaluator, fence, memory };
  const tries = triesWhenExhausted(run, journal.progressFence);
  if (tries === null && run.unreadable !== undefined) throw run.unreadable;
  try {
    const { end, last, inside } =
      tries === null ? await doWork(context, isFresh && !unsaved) : givenUp(context, tries, isJournalLost);
    await journal.leave(end, last, async (db: Db) => {
      await inside?.(db);
      await makeParentDue(db, run, end);
      return (await ports.onLeft?.(db, run, end)) ?? (() => {});
    });
    return { end, records: journal.records(), weight: journal.weight() };
  } catch (error) {
    // What it has done is not done again. If this fails, too, the first error tells why.
    if (!(error instanceof LeaseLost)) await journal.flush().catch(() => {});
    throw error;
  }
}

const markRun = ({ id, organizationId, projectId }: PlannedRun): void =>
  mark("a run", { operation: "run", organizationId, projectId, runId: id });

/** How often the run was tried, if that is too often to try again; null otherwise. */
function triesWhenExhausted(
  { fence, failures, claimsWithoutProgress }: PlannedRun,
  progressFence: number,
): number | null {
  if (failures >= failuresMax) return failures;
  const claims = Math.min(claimsWithoutProgress, fence - progressFence) - 1;
  return claims >= claimsMax ? claims : null;
}

/** The transaction that has just stored a run has checked its owner. */
function doWork(context: RunContext, isChecked: boolean): Promise<Stopped> {
  const { work } = context.run;
  return work.kind === "agent" ? workAsAgent(context, work.plan) : doSteps(context, work.definition, isChecked);
}

async function workAsAgent(context: RunContext, plan: unknown): Promise<Stopped> {
  const { agents, now } = context.ports;
  if (agents) return agents.work(context, plan);
  const problem = stepProblem("model_not_configured", "This server has no models.");
  return { end: { ...ended("failed", now()), problem }, last: null };
}

async function doSteps(context: RunContext, definition: ToolDefinition, isChecked: boolean): Promise<Stopped> {
  const { run, journal, values, ports } = context;
  let last: StepRecord | null = null;
  for (const [position, step] of definition.steps.entries()) {
    if (last) journal.saveSoon(last);
    markRun(run);
    // Finished steps need no check.
    const isDone = isSettled(journal.find(position, wholeStep));
    const room = isDone ? null : context.memory.whenRoom();
    if (room) await room;
    const stop = isDone || (isChecked && position === 0) ? null : await findStop(context);
    const isLookedAt = stop === "cancelled" && hasOpenWrite(journal, position);
    if (stop && !isLookedAt) return stopped(context, stop);
    const done: StepDone = await doStep(context, position, step);
    if (stop && done.kind !== "stops") return stopped(context, stop, done.record);
    if (done.kind === "stops") return stopped(context, done.stop);
    if (done.kind === "waits") return { end: waiting(done), last: done.record };
    last = done.isSaved ? null : done.record;
    const { output, status, problem } = done.record;
    values.steps[step.name] = { output, status, ...(problem === null ? {} : { problem }) };
    if (done.record.status === "outcome_unknown") return { end: unknownOutcome(done.record), last };
    if (done.record.status === "failed" && step.continue_on_error !== true) {
      return { end: { ...ended("failed", ports.now()), problem: done.record.problem }, last };
    }
  }
  return { end: await succeed(context, definition), last };
}

/** An open write is not sent again before the system was asked about it. */
const hasOpenWrite = (journal: RunJournal, position: number): boolean =>
  journal.records().some((record) => record.position === position && isOpen(record));

/** Stored outputs hold no secrets. */
async function outputOf(given: unknown, context: RunContext): Promise<unknown> {
  const kept = redactUnwritten(given, undefined, chargeFor(context));
  if (!(kept instanceof Promise)) return kept.value;
  const { value, text } = await kept;
  await rememberText(value, text);
  return value;
}

/** The output that the tool defines, or the output of its last step. */
async function succeed(context: RunContext, definition: ToolDefinition): Promise<RunEnd> {
  const { values, ports, evaluator } = context;
  const lastName = definition.steps.at(-1)?.name ?? "";
  try {
    const output =
      definition.output === undefined
        ? values.steps[lastName]?.output
        : await outputOf(await fillIn(definition.output, values, evaluator), context);
    return { ...ended("succeeded", ports.now()), output: output ?? null };
  } catch (error) {
    const problem = templateProblem(error, "output");
    if (!problem) throw error;
    return { ...ended("failed", ports.now()), problem };
  }
}
