import { isoTime } from "../kernel/times.ts";
import { isLarge, writeInSlices } from "../kernel/write-in-slices.ts";
import { type Fence, LeaseLost } from "../steps/fence.ts";
import type { Attempt, StepCall, StepPorts } from "../steps/ports.ts";
import { runStep, type StepEnd } from "../steps/run-step.ts";
import type { Db, Store } from "../store/db.ts";
import type { Step } from "../systems/define.ts";
import { type StepProblem, stepProblems } from "../systems/problems.ts";
import { type Failure, StepFailed } from "../systems/work.ts";
import { type Redacted, redactForStorage } from "../transport/redact-in-slices.ts";
import { type NextProbe, nextProbe, waitingForProbe, withNextProbe } from "./reconcile/next-probe.ts";
import { lastWriteOf } from "./reconcile/open-write.ts";
import { type ProbePorts, probeFor, reconcile, settleSecondsOf, soonSeconds } from "./reconcile/probe.ts";
import { intentOf, mayHaveIntents, settleIntents } from "./reconcile/write-intents.ts";
import { insertStepRun, type StepRun, settleUnknown, updateRunning } from "./runs.ts";

export interface StepRunPorts extends Omit<StepPorts, "journal"> {
  store: Store;
  /** Makes the run durable together with its audit row, before its first write leaves; null for one that is durable already. */
  begin: ((run: StepRun, inside?: (db: Db) => Promise<void>) => Promise<void>) | null;
  /** Takes a run into this process's holding, before the statement that says so; its lease is renewed until it is released. */
  hold(runId: string, fence: number): StepHold;
  /** In the transaction that keeps a run which nobody knows the outcome of. */
  onUnknown?(db: Db, run: StepRun): Promise<void>;
}

/** A run of one step in the holding of this process. */
export interface StepHold {
  worker: string;
  fence: number;
  leaseUntil: string;
  /** Whether it is surely still this process's. */
  lease: Fence;
  release(): void;
}

/**
 * A call of one step is a run of one step. One that only reads is kept once, when it ends; one that writes is kept before
 * the write leaves, so that a crash in between leaves a question and not a silence.
 */
export async function runOneStep(
  run: StepRun,
  call: StepCall,
  ports: StepRunPorts,
): Promise<{ run: StepRun; outputText: string }> {
  const holding: Holding = { hold: ports.begin ? null : ports.hold(run.id, run.fence) };
  try {
    return await runHeld(run, call, ports, holding);
  } finally {
    holding.hold?.release();
  }
}

/** Empty until the first write, which is when the run becomes durable. */
interface Holding {
  hold: StepHold | null;
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
      // Somebody took this process for dead and has told the world so: nothing more may leave it.
      if (!(await updateRunning(db, intended, intended))) throw new LeaseLost(run.id);
      await noteIn?.(db);
    };
    if (begin) await begin(intended, noteIn);
    else await ports.store.transaction(keepIn);
    begin = null;
  };
  const isHeld = () => holding.hold?.lease.isHeld() === true;
  const fenced = { ...call, fence: { isHeld }, look: probeFor(call, ports) };
  const sent = await runStep(fenced, { ...ports, journal: { intend } });
  const end = sent.status === "outcome_unknown" ? await probeInTime(call, sent, ports) : sent;
  const attempts = [...run.attempts, ...end.attempts];
  const ending = endOf(run, call, { ...end, attempts }, ports.now());
  const { run: ended, output, keptText } = ending instanceof Promise ? await ending : ending;
  await ports.store.transaction(async (db) => {
    if (begin) await insertStepRun(db, ended, keptText);
    else if (!(await updateRunning(db, ended, holding.hold ?? run, keptText))) await settleUnknown(db, ended);
    if (ended.status === "outcome_unknown") await ports.onUnknown?.(db, ended);
    else await settleOwn(db, ended);
  });
  const outputText = output === ended.output ? keptText : isLarge(output) ? await writeInSlices(output) : null;
  return { run: ended, outputText: outputText ?? JSON.stringify(output) };
}

/** A run of one step, once it has ended. */
export async function settleOwn(db: Db, { id, work, status, attempts, finishedAt }: StepRun): Promise<void> {
  if (finishedAt === null || !attempts.some(({ effect }) => effect === "create") || !mayHaveIntents(work.id)) return;
  await settleIntents(db, id, status, finishedAt);
}

const probeEverySeconds = 3;

/** Where nobody knows the outcome yet: when the system is asked again; without that a person decides. */
export type ProbedEnd = StepEnd & { later?: NextProbe };

/**
 * An answer that was cut off: the system is asked what came of it, again and again for as long as the call may wait. What is
 * still open then is looked for later, or a person's to settle.
 */
export async function probeInTime(
  call: StepCall,
  sent: Extract<StepEnd, { failed: StepFailed }>,
  ports: ProbePorts,
): Promise<ProbedEnd> {
  const askedAt = new Date(lastWriteOf(sent)?.sent_at ?? ports.now());
  const settledAt = ports.now().getTime() + (settleSecondsOf(call, ports) ?? Number.POSITIVE_INFINITY) * 1000;
  const attempts = [...sent.attempts];
  for (;;) {
    const lookedFrom = ports.now().getTime();
    const looked = await reconcile(call, askedAt, ports);
    attempts.push(...looked.attempts);
    if (looked.kind === "happened") return { ...sent, status: "succeeded", warnings: [], ...looked.done, attempts };
    const now = ports.now().getTime();
    const open = (): ProbedEnd => withNextProbe({ ...sent, attempts }, nextProbe(looked, askedAt, settledAt, now));
    if (looked.kind === "cannot tell") return open();
    if (looked.kind === "did not" && lookedFrom >= settledAt)
      return { ...sent, attempts, status: "failed", failed: didNot };
    const pause =
      looked.kind === "did not" ? Math.min(Math.max(0, settledAt - now), soonSeconds * 1000) : probeEverySeconds * 1000;
    if (now + pause > call.waitUntil.getTime()) return open();
    await ports.sleep(pause);
  }
}

export const didNot = new StepFailed(
  {
    code: "system_unavailable",
    detail: "The answer was cut off, and the system says that nothing has happened.",
    cure: "give up",
    done: "no",
  },
  null,
);

/** A run that has ended, what it gave, and the JSON of what is kept of that. */
interface Ended {
  run: StepRun;
  output: unknown;
  keptText: string;
}

/** The output is answered whole; what is kept of it holds no secret. At once, unless it is very large. */
export function endOf(
  run: StepRun,
  { step, input }: Pick<StepCall, "step" | "input">,
  end: ProbedEnd,
  now: Date,
): Ended | Promise<Ended> {
  const output = (end.status === "succeeded" ? end.output : outputOfFailure(step, end.failed)) ?? null;
  const ended = ({ value, text }: Redacted): Ended => ({
    run: endedWith(run, end, value, now),
    output,
    keptText: text,
  });
  const kept = redactForStorage(output, step.hides?.(input));
  return kept instanceof Promise ? kept.then(ended) : ended(kept);
}

function endedWith(run: StepRun, end: ProbedEnd, output: unknown, now: Date): StepRun {
  return {
    ...run,
    status: end.status,
    attempts: end.attempts,
    output,
    warnings: end.status === "succeeded" ? end.warnings : [],
    problem: end.status === "succeeded" ? null : toProblem(end.failed.failure, run.id, now),
    limits: end.attempts.findLast(({ limits }) => limits)?.limits ?? [],
    // A question that is open has not ended.
    finishedAt: end.status === "outcome_unknown" ? null : isoTime(now),
    leaseUntil: end.later?.at ?? null,
    worker: null,
    waitingFor: end.later ? waitingForProbe(end.later, run.work.id) : null,
  };
}

/** "The system's own answer stays in `output`." */
export const outputOfFailure = ({ refusedOutput }: Step, { answer }: StepFailed): unknown =>
  answer === null ? null : (refusedOutput?.(answer) ?? { status: answer.status, body: answer.body });

export function toProblem(failure: Failure, runId: string, now: Date): StepProblem {
  const { fault, remedy, ...usual } = stepProblems[failure.code];
  const retry = failure.retry ?? usual.retry;
  const waits = failure.waitSeconds !== undefined && retry === "later";
  return {
    code: failure.code,
    detail: failure.detail,
    remedy: (failure.remedy ?? remedy).replace("{run_id}", runId),
    fault,
    retry,
    ...(waits ? { retry_at: new Date(now.getTime() + (failure.waitSeconds ?? 0) * 1000).toISOString() } : {}),
    ...(failure.systemCode === undefined ? {} : { system_code: failure.systemCode }),
  };
}
