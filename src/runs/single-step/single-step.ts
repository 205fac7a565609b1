import { isoTime } from "../../kernel/times.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import { type Fence, LeaseLost } from "../../steps/fence.ts";
import type { Attempt, StepCall, StepPorts } from "../../steps/ports.ts";
import { runStep, type StepEnd } from "../../steps/run-step.ts";
import { outputOfFailure, toProblem } from "../../steps/to-problem.ts";
import type { Db, Store } from "../../store/db.ts";
import { StepFailed } from "../../systems/work.ts";
import { type Redacted, redactForStorage } from "../../transport/redact-in-slices.ts";
import { sentAt, sentTimesOf } from "../journal/open-write.ts";
import { intentOf, mayHaveIntents, settleIntents } from "../journal/write-intents.ts";
import { type RunMemory, shareOfStep } from "../queue/run-memory.ts";
import { type NextProbe, nextProbe, waitingForProbe, withNextProbe } from "../reconcile/next-probe.ts";
import { earlyProbeSeconds, type ProbePorts, probeFor, reconcile, settleSecondsOf } from "../reconcile/probe-system.ts";
import { readRepeat } from "../reconcile/read-repeat.ts";
import type { StepRun } from "../record/run-record.ts";
import { insertStepRun, settleUnknown, updateRunning } from "./single-step.store.ts";

export interface StepRunPorts extends Omit<StepPorts, "journal"> {
  store: Store;
  /** Makes the run and its audit row durable before its first write is sent; null for a run that is durable already. */
  begin: ((run: StepRun, inside?: (db: Db) => Promise<void>) => Promise<void>) | null;
  /**
   * Makes this process the holder of the run, just before the store says so. The lease is renewed until it is released.
   */
  hold(runId: string, fence: number): StepHold;
  /** Counts the large answers of steps and runs. */
  memory?: RunMemory;
  /** Called in the transaction that inserts a run which has ended without sending a write. */
  onEndedUnsent?(db: Db): Promise<void>;
  /** Called in the transaction that saves a run with an unknown outcome. */
  onUnknown?(db: Db, run: StepRun): Promise<void>;
}

/** A single step that this process holds. */
export interface StepHold {
  worker: string;
  fence: number;
  leaseUntil: string;
  /** Whether this process surely still holds the run. */
  lease: Fence;
  release(): void;
}

/**
 * Runs a single step. A read is inserted once, when it ends. A write is inserted before it is sent, so that a crash
 * leaves a run with an unknown outcome, not a lost write.
 */
export async function runOneStep(
  run: StepRun,
  call: StepCall,
  ports: StepRunPorts,
): Promise<{ run: StepRun; outputText: string }> {
  const memory = ports.memory && shareOfStep(ports.memory, run.organizationId);
  const holding: Holding = { hold: ports.begin ? null : ports.hold(run.id, run.fence), memory };
  try {
    return await runHeld(run, call, ports, holding);
  } finally {
    holding.memory?.release();
    holding.hold?.release();
  }
}

interface Holding {
  /** Null until the first write, which makes the run durable. */
  hold: StepHold | null;
  memory: ReturnType<typeof shareOfStep> | undefined;
}

async function runHeld(
  run: StepRun,
  call: StepCall,
  ports: StepRunPorts,
  holding: Holding,
): Promise<{ run: StepRun; outputText: string }> {
  let { begin } = ports;
  const intend = async (attempts: readonly Attempt[]) => {
    holding.hold ??= ports.hold(run.id, run.fence);
    const { worker, fence, leaseUntil } = holding.hold;
    const intended: StepRun = { ...run, attempts: [...run.attempts, ...attempts], worker, fence, leaseUntil };
    const noteIn = intentOf(call, ports.now()) ?? undefined;
    const keepIn = async (db: Db) => {
      // Another worker has declared this process dead and settled the run: nothing more may be sent.
      if (!(await updateRunning(db, intended, intended))) throw new LeaseLost(run.id);
      await noteIn?.(db);
    };
    if (begin) await begin(intended, noteIn);
    else await ports.store.transaction(keepIn);
    begin = null;
  };
  const isHeld = () => holding.hold?.lease.isHeld() === true;
  const { memory } = holding;
  const fenced = { ...call, fence: { isHeld }, probe: probeFor(call, ports), ...(memory && { memory }) };
  const sent = await runStep(fenced, { ...ports, journal: { intend } });
  // A person had it sent again: the attempts of before are those whose outcome was unknown.
  const end =
    sent.status === "outcome_unknown"
      ? await probeInTime(call, sent, ports)
      : await readRepeat(call, sent, run.attempts, ports);
  const attempts = [...run.attempts, ...end.attempts];
  const ending = endOf(run, call, { ...end, attempts }, ports);
  const { run: ended, output, keptText } = ending instanceof Promise ? await ending : ending;
  await ports.store.transaction(async (db) => {
    if (begin) {
      await insertStepRun(db, ended, keptText);
      await ports.onEndedUnsent?.(db);
    } else if (!(await updateRunning(db, ended, holding.hold ?? run, keptText))) await settleUnknown(db, ended);
    if (ended.status === "outcome_unknown") await ports.onUnknown?.(db, ended);
    else await settleOwn(db, ended);
  });
  if (ended.finishedAt !== null) ports.meter?.runEnded("step", ended.status);
  const outputText = output === ended.output ? keptText : isLarge(output) ? await writeInSlices(output) : null;
  return { run: ended, outputText: outputText ?? JSON.stringify(output) };
}

/** Settles the write intents of a single step that has ended. */
export async function settleOwn(db: Db, { id, work, status, attempts, finishedAt }: StepRun): Promise<void> {
  if (finishedAt === null || !attempts.some(({ effect }) => effect !== "read") || !mayHaveIntents(work.id)) return;
  await settleIntents(db, id, status, finishedAt);
}

const probeEverySeconds = 3;

/** With an unknown outcome, `later` is the next probe; without it a person decides. */
export type ProbedEnd = StepEnd & { later?: NextProbe };

/**
 * Probes for a write whose answer was cut off, as long as the call may wait. What is still unknown then is probed
 * later, or left to a person.
 */
export async function probeInTime(
  call: StepCall,
  sent: Extract<StepEnd, { failed: StepFailed }>,
  ports: ProbePorts,
): Promise<ProbedEnd> {
  const sentTimes = sentTimesOf(sent) ?? sentAt(ports.now());
  const settledAt = ports.now().getTime() + (settleSecondsOf(call, ports) ?? Number.POSITIVE_INFINITY) * 1000;
  const attempts = [...sent.attempts];
  for (;;) {
    const probedFrom = ports.now().getTime();
    const probed = await reconcile(call, sentTimes, ports);
    attempts.push(...probed.attempts);
    if (probed.kind === "happened") return { ...sent, status: "succeeded", warnings: [], ...probed.done, attempts };
    const now = ports.now().getTime();
    const open = (): ProbedEnd =>
      withNextProbe({ ...sent, attempts }, nextProbe(probed, sentTimes.last, settledAt, now));
    if (probed.kind === "cannot tell") return open();
    if (probed.kind === "did not" && probedFrom >= settledAt)
      return { ...sent, attempts, status: "failed", failed: didNot };
    if (probed.kind === "in part" && probedFrom >= settledAt) return open();
    const pause =
      probed.kind === "did not" || probed.kind === "in part"
        ? Math.min(Math.max(0, settledAt - now), earlyProbeSeconds * 1000)
        : probeEverySeconds * 1000;
    if (now + pause > call.waitUntil.getTime()) return open();
    await ports.sleep(pause);
  }
}

export const didNot = new StepFailed(
  {
    code: "system_unavailable",
    detail: "The response was lost, and the system shows that the write did not happen.",
    cure: "give up",
    done: "no",
  },
  null,
);

/** A run that has ended, its output, and the JSON of what is stored of that. */
interface Ended {
  run: StepRun;
  output: unknown;
  keptText: string;
}

/** The caller gets the whole output; the stored one has no secrets. Synchronous, unless the output is very large. */
export function endOf(
  run: StepRun,
  { step, input }: Pick<StepCall, "step" | "input">,
  end: ProbedEnd,
  { now, answerTime }: Pick<StepPorts, "now" | "answerTime">,
): Ended | Promise<Ended> {
  const output = (end.status === "succeeded" ? end.output : outputOfFailure(step, end.failed)) ?? null;
  const endedAt = now();
  const ended = ({ value, text }: Redacted): Ended => ({
    run: endedWith(run, end, value, endedAt),
    output,
    keptText: text,
  });
  const charge = (milliseconds: number) => answerTime?.spend(run.organizationId, milliseconds);
  const kept = redactForStorage(output, step.hides?.(input), charge);
  return kept instanceof Promise ? kept.then(ended) : ended(kept);
}

function endedWith(run: StepRun, end: ProbedEnd, output: unknown, now: Date): StepRun {
  return {
    ...run,
    status: end.status,
    attempts: end.attempts,
    output,
    warnings: end.status === "succeeded" ? end.warnings : [],
    problem: end.status === "succeeded" ? null : toProblem(end.failed.failure, run.id, now, run.work.connectionId),
    limits: end.attempts.findLast(({ limits }) => limits)?.limits ?? [],
    // A run with an unknown outcome has not ended.
    finishedAt: end.status === "outcome_unknown" ? null : isoTime(now),
    leaseUntil: end.later?.at ?? null,
    worker: null,
    waitingFor: end.later ? waitingForProbe(end.later, run.work.id) : null,
  };
}
