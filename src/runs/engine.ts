import type { StepProblem } from "../systems/problems.ts";
import { doStep } from "./do-step.ts";
import { type EnginePorts, type RunHand, type RunValues, stepProblem } from "./engine-ports.ts";
import { ExpressionFailed, fillIn } from "./expressions.ts";
import { openJournal, type StepRecord } from "./journal.ts";
import type { StepDone } from "./step-done.ts";
import type { Claim, RunEnd, ToolRun } from "./tool-runs.ts";

/**
 * Works on a run until it ends or waits: finished steps are skipped, the next one is done, and so on. Whatever it does, the
 * journal has it before it could happen twice. Throws LeaseLost where the run is another worker's by now.
 */
export async function workOn(run: ToolRun, claim: Claim, ports: EnginePorts, isFresh: boolean): Promise<RunEnd> {
  const leaseUntil = () => new Date(ports.now().getTime() + ports.leaseSeconds * 1000).toISOString();
  const journal = await openJournal(ports.store, claim, leaseUntil, isFresh);
  const values: RunValues = { params: run.params, steps: {} };
  if (run.source.kind === "event") values.event = (run.params as { event?: unknown } | null)?.event;
  const hand: RunHand = { run, journal, values, ports };
  const { end, last } = await walk(hand, run.cancelAsked);
  const { onLeft } = ports;
  await journal.leave(end, last, onLeft && ((db) => onLeft(db, run, end)));
  return end;
}

interface Walked {
  end: RunEnd;
  /** The last step, where it is not kept yet. */
  last: StepRecord | null;
}

async function walk(hand: RunHand, cancelAsked: boolean): Promise<Walked> {
  const { run, journal, values, ports } = hand;
  const { steps } = run.definition;
  let last: StepRecord | null = null;
  for (const [position, step] of steps.entries()) {
    if (cancelAsked || journal.isCancelled()) return { end: ended("cancelled", ports.now()), last };
    if (last) journal.keepSoon(last);
    const done: StepDone = await doStep(hand, position, step);
    last = done.isKept ? null : done.record;
    if (done.kind === "waits") return { end: waiting(done), last };
    const { output, status, problem } = done.record;
    values.steps[step.name] = { output, status, ...(problem === null ? {} : { problem }) };
    if (done.record.status === "outcome_unknown") return { end: unknown(done.record), last };
    if (done.record.status === "failed" && step.continue_on_error !== true) {
      return { end: { ...ended("failed", ports.now()), problem: done.record.problem }, last };
    }
  }
  return { end: await succeed(hand), last };
}

/** The output is what the tool says, or else what its last step gave. */
async function succeed({ run, values, ports }: RunHand): Promise<RunEnd> {
  const { definition } = run;
  const lastName = definition.steps.at(-1)?.name ?? "";
  try {
    const output =
      definition.output === undefined ? values.steps[lastName]?.output : await fillIn(definition.output, values);
    return { ...ended("succeeded", ports.now()), output: output ?? null };
  } catch (error) {
    if (!(error instanceof ExpressionFailed)) throw error;
    const problem: StepProblem = stepProblem("expression_failed", `output${error.pointer}: ${error.detail}`);
    return { ...ended("failed", ports.now()), problem };
  }
}

const ended = (status: RunEnd["status"], now: Date): RunEnd => ({
  status,
  output: null,
  problem: null,
  waitingFor: null,
  runAt: null,
  finishedAt: now.toISOString(),
});

const waiting = ({ waitingFor, runAt }: Extract<StepDone, { kind: "waits" }>): RunEnd => ({
  status: "waiting",
  output: null,
  problem: null,
  waitingFor,
  runAt: runAt?.toISOString() ?? null,
  finishedAt: null,
});

const unknown = (record: StepRecord): RunEnd => ({
  status: "outcome_unknown",
  output: null,
  problem: record.problem,
  waitingFor: {
    kind: "person",
    step: record.name,
    detail: "A write was sent and its answer never came. Look at the system, then say what happened.",
  },
  runAt: null,
  finishedAt: null,
});
