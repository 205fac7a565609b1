import type { StepCall } from "../../steps/ports.ts";
import { fingerprintOf } from "../../steps/preview.ts";
import { runStep, type StepEnd } from "../../steps/run-step.ts";
import { stepCall } from "../../steps/step-call.ts";
import { outputOfFailure, toProblem } from "../../steps/to-problem.ts";
import type { Step } from "../../systems/define.ts";
import { findStep } from "../../systems/index.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { StepFailed } from "../../systems/work.ts";
import type { ToolStep } from "../../tools/definition.ts";
import { holdsSecretMark, secretMark } from "../../transport/redact.ts";
import type { StepRecord } from "../journal/journal.ts";
import { wholeStep } from "../journal/new-record.ts";
import { isOpen } from "../journal/open-write.ts";
import { intentOf } from "../journal/write-intents.ts";
import type { RunContext } from "../outcome/ports.ts";
import { isLimit, retryAt, triesAfter } from "../outcome/retry-step.ts";
import { finished, outputKept, type StepDone, succeeded, withoutHidden } from "../outcome/step-result.ts";
import { afterRestore, inDoubtAfterRestore, reconcileAfterRestore } from "../reconcile/after-restore.ts";
import { probeFor } from "../reconcile/probe-system.ts";
import { readRepeat, sentAgainWarning } from "../reconcile/read-repeat.ts";
import { askPerson, reconcileWrite } from "../reconcile/reconcile-step.ts";
import { stepsIn } from "../record/run-record.ts";
import { parseInput } from "./parse-input.ts";

/**
 * A step that waits longer than this for a limit frees its worker: the run waits, and resumes when the limit allows.
 */
const holdSeconds = 1;
const staySecondsDefault = 900;

/** Calls a system through a step, once. The record says what an earlier attempt has sent. */
export async function callStep(context: RunContext, toolStep: ToolStep, record: StepRecord): Promise<StepDone> {
  const step = findStep(toolStep.step);
  const connection = await context.ports.vault.find(context.run.projectId, toolStep.connection_id ?? "");
  if (!step || !connection || connection.system !== step.system.id) return missing(context, toolStep, record, step);
  const parsed = parseInput(step, record.input);
  if (!parsed.success) return unfit(context, record, parsed.error.issues);
  const isFilledIn = record.input !== toolStep.input;
  if (isFilledIn && holdsSecretMark(record.input) && !holdsSecretMark(toolStep.input))
    return unfit(context, record, [{ path: [], message: masked }]);
  const approval = approvalOf(context, record);
  // The preview and the call share one start time, so both compute the same dates.
  const timed = approval ? { ...record, startedAt: approval.startedAt } : record;
  const call = callOf(context, toolStep, { step, connection, input: parsed.data }, timed);
  const { restoredAt } = context.ports;
  // Before an open write is probed: the intents that its probe would compare with may be lost.
  const inDoubt = restoredAt ? await inDoubtAfterRestore(context, call, record, restoredAt) : null;
  if (inDoubt) return withoutHidden(await reconcileAfterRestore(context, call, inDoubt), call);
  if (isOpen(record)) return withoutHidden(afterRestore(context, await reconcileWrite(context, call, record)), call);
  if (approval && !isAsApproved(approval, record, call)) {
    const problem = stepProblem("not_approved", `What step ${record.name} would send is not what was approved.`);
    return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
  }
  const sent = await runStep(
    { ...call, probe: probeFor(call, context.ports) },
    { ...context.ports, journal: journalOf(context, call, record) },
  );
  return withoutHidden(await doneWith(sent, context, call, record), call);
}

/** Secrets are masked in stored outputs. A later step would send the mask itself. */
const masked = `It holds ${secretMark}, which stands for a value that is not stored and cannot be passed on.`;

async function doneWith(sent: StepEnd, context: RunContext, call: StepCall, record: StepRecord): Promise<StepDone> {
  if (sent.status === "outcome_unknown")
    return reconcileWrite(context, call, await cutOff(context, call, record, sent));
  const earlier = record.warnings.includes(sentAgainWarning) ? record.attempts : [];
  const end = await readRepeat(call, sent, earlier, context.ports);
  return end.status === "outcome_unknown"
    ? askPerson(context, await cutOff(context, call, record, end), "A person must decide.")
    : doneOf(context, call, record, end);
}

/** The write lost its answer, but this worker is alive and can probe for the outcome at once. */
async function cutOff(
  context: RunContext,
  call: StepCall,
  record: StepRecord,
  end: Extract<StepEnd, { failed: StepFailed }>,
): Promise<StepRecord> {
  return {
    ...record,
    attempts: [...record.attempts, ...end.attempts],
    written: end.written,
    problem: toProblem(end.failed.failure, context.run.id, context.ports.now()),
    ...(await outputKept(outputOfFailure(call.step, end.failed), call, context)),
  };
}

/** The approval that guards this step: the step before it, with at most `wait` steps in between. */
function approvalOf({ run, journal }: RunContext, { position }: StepRecord): StepRecord | undefined {
  let before = position - 1;
  const steps = stepsIn(run.work);
  while (steps[before]?.step === "wait") before--;
  const record = journal.find(before, wholeStep);
  return record?.stepId === "approve" ? record : undefined;
}

/** "Bound to the exact request that will be sent": one approved fingerprint, or one for each iteration. */
function isAsApproved(approval: StepRecord, { turn }: StepRecord, call: StepCall): boolean {
  const { fingerprint, fingerprints } = (approval.output ?? {}) as { fingerprint?: string; fingerprints?: string[] };
  const approved = fingerprints ? (fingerprints[turn] ?? "") : fingerprint;
  return approved === undefined || approved === fingerprintOf(call);
}

export function callOf(
  { run, ports, fence, memory }: RunContext,
  { timeout: staySeconds = staySecondsDefault }: ToolStep,
  called: Pick<StepCall, "step" | "connection" | "input">,
  record: Pick<StepRecord, "position" | "turn" | "startedAt" | "written">,
): StepCall {
  const given = {
    ...called,
    fence,
    memory,
    runId: run.id,
    willRetry: true as const,
    callerId: run.keyId ?? run.id,
    async findAccessLoss() {
      const why = await ports.findStop(run);
      // A cancelled run finishes this step and stops at its next boundary.
      return why === "cancelled" ? null : why;
    },
    written: record.written,
  };
  const startedAt = new Date(record.startedAt);
  const times = { now: ports.now(), startedAt, waitSeconds: Math.min(holdSeconds, staySeconds), staySeconds };
  return stepCall(given, times, `${run.id}.${record.position}.${record.turn}`);
}

const journalOf = ({ journal, ports }: RunContext, call: StepCall, record: StepRecord) => ({
  intend: (attempts: StepRecord["attempts"]) =>
    journal.save(
      { ...record, attempts: [...record.attempts, ...attempts], status: "running" },
      intentOf(call, ports.now()),
    ),
  progress: (written: StepRecord["written"], attempts: StepRecord["attempts"]) =>
    journal.save({ ...record, attempts: [...record.attempts, ...attempts], written, status: "running" }),
});

async function doneOf(context: RunContext, call: StepCall, record: StepRecord, end: StepEnd): Promise<StepDone> {
  const attempts = [...record.attempts, ...end.attempts];
  const tried: StepRecord = { ...record, attempts, written: end.written };
  if (end.status === "succeeded") return succeeded(context, tried, end, call);
  const now = context.ports.now();
  const problem = toProblem(end.failed.failure, context.run.id, now, call.connection.id);
  const { output } = await outputKept(outputOfFailure(call.step, end.failed), call, context);
  const isRepeatable = call.step.effect === "read" || end.failed.failure.done === "no";
  const refusals = attempts.filter((attempt) => attempt.problem && isLimit(attempt.problem)).length;
  const at = retryAt(problem, { ...record, isRepeatable, refusals }, now);
  if (at === null) return { kind: "done", record: finished(context, tried, { status: "failed", problem, output }) };
  return {
    kind: "waits",
    record: { ...tried, status: "waiting", tries: triesAfter(problem, record.tries) },
    waitingFor: {
      kind: isLimit(problem) ? "limit" : "retry",
      step: record.name,
      detail: problem.detail,
      until: at.toISOString(),
    },
    runAt: at,
  };
}

/** The step cannot be called at all. An earlier write without an outcome stays with a person. */
function uncallable(context: RunContext, record: StepRecord, problem: StepProblem): StepDone {
  if (isOpen(record)) return askPerson(context, record, `The system cannot be asked about it: ${problem.detail}`);
  return { kind: "done", record: finished(context, record, { status: "failed", problem }) };
}

function missing(context: RunContext, toolStep: ToolStep, record: StepRecord, step: Step | null): StepDone {
  const problem = step
    ? stepProblem("needs_reconnect", `The connection ${toolStep.connection_id} of step ${toolStep.name} is not there.`)
    : stepProblem("invalid_input", `There is no step ${toolStep.step}.`);
  return uncallable(context, record, problem);
}

function unfit(context: RunContext, record: StepRecord, issues: { path: PropertyKey[]; message: string }[]): StepDone {
  const said = issues.map(({ path, message }) => `${record.name}/input/${path.map(String).join("/")}: ${message}`);
  return uncallable(context, record, stepProblem("invalid_input", said.join(" ")));
}
