import { parseWithin } from "../../kernel/parse-within.ts";
import type { StepCall } from "../../steps/ports.ts";
import { fingerprintOf } from "../../steps/preview.ts";
import { runStep, type StepEnd } from "../../steps/run-step.ts";
import { stepCall } from "../../steps/step-call.ts";
import type { Step } from "../../systems/define.ts";
import { findStep } from "../../systems/index.ts";
import { type StepProblem, stepProblem } from "../../systems/problems.ts";
import type { StepFailed } from "../../systems/work.ts";
import type { ToolStep } from "../../tools/definition.ts";
import { holdsSecretMark, secretMark } from "../../transport/redact.ts";
import type { StepRecord } from "../journal/journal.ts";
import { onlyTurn } from "../journal/new-record.ts";
import { afterRestore, inDoubtAfterRestore, reconcileAfterRestore } from "../reconcile/after-restore.ts";
import { isOpen } from "../reconcile/open-write.ts";
import { probeFor } from "../reconcile/probe.ts";
import { askPerson, reconcileWrite } from "../reconcile/reconcile-step.ts";
import { intentOf } from "../reconcile/write-intents.ts";
import { stepsIn } from "../run.ts";
import { outputOfFailure, toProblem } from "../single-step.ts";
import type { RunHand } from "./ports.ts";
import { retryAt } from "./retry.ts";
import { finished, outputKept, type StepDone, succeeded, withoutHidden } from "./step-done.ts";

/** Longer than this a step does not hold its worker while it waits for a limit: the run comes back when there is room. */
const holdSeconds = 1;
const staySecondsStandard = 900;

/** Calls a system through a step, once; the record says how far an earlier try has come. */
export async function callStep(hand: RunHand, toolStep: ToolStep, record: StepRecord): Promise<StepDone> {
  const step = findStep(toolStep.step);
  const connection = await hand.ports.vault.find(hand.run.projectId, toolStep.connection_id ?? "");
  if (!step || !connection || connection.system !== step.system.id) return missing(hand, toolStep, record, step);
  const parsed = parseWithin(step.input, record.input);
  if (!parsed.success) return unfit(hand, record, parsed.error.issues);
  if (holdsSecretMark(record.input) && !holdsSecretMark(toolStep.input))
    return unfit(hand, record, [{ path: [], message: masked }]);
  const asked = approvalOf(hand, record);
  // The call is as old as the question, so that it asks for the very dates that were shown.
  const place = asked ? { ...record, startedAt: asked.startedAt } : record;
  const call = callOf(hand, toolStep, { step, connection, input: parsed.data }, place);
  if (isOpen(record)) return withoutHidden(afterRestore(hand, await reconcileWrite(hand, call, record)), call);
  const { restoredAt } = hand.ports;
  const inDoubt = restoredAt ? await inDoubtAfterRestore(hand, call, record, restoredAt) : null;
  if (inDoubt) return withoutHidden(await reconcileAfterRestore(hand, call, inDoubt), call);
  if (asked && !isAsApproved(asked, record, call)) {
    const problem = stepProblem("not_approved", `What step ${record.name} would send is not what was approved.`);
    return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
  }
  const end = await runStep(
    { ...call, look: probeFor(call, hand.ports) },
    { ...hand.ports, journal: journalOf(hand, call, record) },
  );
  const done =
    end.status === "outcome_unknown"
      ? await reconcileWrite(hand, call, await cutOff(hand, call, record, end))
      : await doneOf(hand, call, record, end);
  return withoutHidden(done, call);
}

/** Values that are kept nowhere are masked in what later steps see; sent on, the mask would take their place there. */
const masked = `It holds ${secretMark}, which stands for a value that is kept nowhere and cannot be handed on.`;

/** The answer of a write did not come, and this worker lives to look what became of it. */
async function cutOff(
  hand: RunHand,
  call: StepCall,
  record: StepRecord,
  end: Extract<StepEnd, { failed: StepFailed }>,
): Promise<StepRecord> {
  return {
    ...record,
    attempts: [...record.attempts, ...end.attempts],
    written: end.written,
    problem: toProblem(end.failed.failure, hand.run.id, hand.ports.now()),
    ...(await outputKept(outputOfFailure(call.step, end.failed), call)),
  };
}

/** The question that stands before this step: just before it, or with nothing but a wait between them. */
function approvalOf({ run, journal }: RunHand, { position }: StepRecord): StepRecord | undefined {
  let before = position - 1;
  const steps = stepsIn(run.work);
  while (steps[before]?.step === "wait") before--;
  const record = journal.find(before, onlyTurn);
  return record?.stepId === "approve" ? record : undefined;
}

/** "Bound to the exact request that will be sent": an approval holds for that one, or for each of those, and no other. */
function isAsApproved(asked: StepRecord, { turn }: StepRecord, call: StepCall): boolean {
  const { fingerprint, fingerprints } = (asked.output ?? {}) as { fingerprint?: string; fingerprints?: string[] };
  const approved = fingerprints ? (fingerprints[turn] ?? "") : fingerprint;
  return approved === undefined || approved === fingerprintOf(call);
}

/** The call of one step of a run. */
export function callOf(
  { run, ports, fence }: RunHand,
  { timeout: staySeconds = staySecondsStandard }: ToolStep,
  called: Pick<StepCall, "step" | "connection" | "input">,
  record: Pick<StepRecord, "position" | "turn" | "startedAt" | "written">,
): StepCall {
  const given = {
    ...called,
    fence,
    runId: run.id,
    callerId: run.keyId ?? run.id,
    async whyNoLonger() {
      const why = await ports.whyStop(run);
      // A run that somebody has cancelled stops at its next boundary.
      return why === "cancelled" ? null : why;
    },
    written: record.written,
  };
  const startedAt = new Date(record.startedAt);
  const times = { now: ports.now(), startedAt, waitSeconds: Math.min(holdSeconds, staySeconds), staySeconds };
  return stepCall(given, times, `${run.id}.${record.position}.${record.turn}`);
}

const journalOf = ({ journal, ports }: RunHand, call: StepCall, record: StepRecord) => ({
  intend: (attempts: StepRecord["attempts"]) =>
    journal.keep(
      { ...record, attempts: [...record.attempts, ...attempts], status: "running" },
      intentOf(call, ports.now()),
    ),
  progress: (written: StepRecord["written"], attempts: StepRecord["attempts"]) =>
    journal.keep({ ...record, attempts: [...record.attempts, ...attempts], written, status: "running" }),
});

async function doneOf(hand: RunHand, call: StepCall, record: StepRecord, end: StepEnd): Promise<StepDone> {
  const attempts = [...record.attempts, ...end.attempts];
  const tried: StepRecord = { ...record, attempts, written: end.written };
  if (end.status === "succeeded") return succeeded(hand, tried, end, call);
  const now = hand.ports.now();
  const problem = toProblem(end.failed.failure, hand.run.id, now);
  const { output } = await outputKept(outputOfFailure(call.step, end.failed), call);
  const isRepeatable = call.step.effect === "read" || end.failed.failure.done === "no";
  const at = retryAt(problem, isRepeatable, record.tries, now);
  if (at === null) return { kind: "done", record: finished(hand, tried, { status: "failed", problem, output }) };
  const isLimit = problem.code === "rate_limited" || problem.code === "quota_exhausted";
  return {
    kind: "waits",
    record: { ...tried, status: "waiting", tries: record.tries + 1 },
    waitingFor: {
      kind: isLimit ? "limit" : "retry",
      step: record.name,
      detail: problem.detail,
      until: at.toISOString(),
    },
    runAt: at,
  };
}

/** What keeps it from being called at all. A write that was sent before that stays a question to a person. */
function uncallable(hand: RunHand, record: StepRecord, problem: StepProblem): StepDone {
  if (isOpen(record)) return askPerson(hand, record, `Nobody can look for it: ${problem.detail}`);
  return { kind: "done", record: finished(hand, record, { status: "failed", problem }) };
}

function missing(hand: RunHand, toolStep: ToolStep, record: StepRecord, step: Step | null): StepDone {
  const problem = step
    ? stepProblem("needs_reconnect", `The connection ${toolStep.connection_id} of step ${toolStep.name} is not there.`)
    : stepProblem("invalid_input", `There is no step ${toolStep.step}.`);
  return uncallable(hand, record, problem);
}

function unfit(hand: RunHand, record: StepRecord, issues: { path: PropertyKey[]; message: string }[]): StepDone {
  const said = issues.map(({ path, message }) => `${record.name}/input/${path.map(String).join("/")}: ${message}`);
  return uncallable(hand, record, stepProblem("invalid_input", said.join(" ")));
}
