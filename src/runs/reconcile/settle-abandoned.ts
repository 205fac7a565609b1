import type { StepCall } from "../../steps/ports.ts";
import type { StepEnd } from "../../steps/run-step.ts";
import { StepFailed } from "../../systems/define.ts";
import { findStep } from "../../systems/index.ts";
import { holdsSecretMark } from "../../transport/redact.ts";
import { type EnginePorts, stepProblem } from "../engine/ports.ts";
import { keepRunning, type Run, takeAbandoned } from "../runs.ts";
import { endOf, lookInTime, settleOwn, toProblem } from "../single-step.ts";
import { settleSecondsOf } from "./probe.ts";

const atOnce = 20;
/** How long a system that cannot be asked just now is asked again, beyond the time that it may still be at work. */
const lookSeconds = 60;
/** The looks themselves take their time; whoever dies meanwhile leaves the run to the next. */
const holdSeconds = 420;

/**
 * Runs of single steps whose process died. "A write without an outcome is first reconciled by the step's own probe, then, if
 * that cannot tell, becomes outcome_unknown and waits for a person"; nothing is sent again. The others changed nothing anywhere.
 */
export async function settleAbandoned(ports: EnginePorts): Promise<number> {
  const now = ports.now();
  const until = new Date(now.getTime() + holdSeconds * 1000);
  const abandoned = await ports.store.transaction((db) => takeAbandoned(db, now, until, atOnce));
  await Promise.all(abandoned.map((run) => settle(run, ports)));
  return abandoned.length;
}

async function settle(run: Run, ports: EnginePorts): Promise<void> {
  const ended = isOpen(run) ? await afterLooking(run, ports) : cutShort(run, ports.now());
  const tell = await ports.store.transaction(async (db) => {
    if (!(await keepRunning(db, ended, run))) return undefined;
    await settleOwn(db, ended);
    const { status, problem, output, finishedAt } = ended;
    return ports.onLeft?.(db, run, { status, problem, output, finishedAt, waitingFor: null, runAt: null });
  });
  tell?.();
}

function isOpen({ attempts }: Run): boolean {
  const last = attempts.at(-1);
  return last !== undefined && last.effect !== "read" && last.response === undefined;
}

const cutShort = (run: Run, now: Date): Run => ({
  ...run,
  status: "failed",
  problem: {
    ...stepProblem("system_unavailable", "The server stopped before this run had ended."),
    remedy: "Call again: nothing is left half done.",
  },
  finishedAt: now.toISOString(),
  leaseUntil: null,
});

const lost = new StepFailed(
  {
    code: "outcome_unknown",
    detail: "The server stopped after the request had been handed over, and before its answer came.",
    cure: "give up",
    done: "maybe",
  },
  null,
);

async function afterLooking(run: Run, ports: EnginePorts): Promise<Run> {
  const call = await callOf(run, ports);
  if (!call) {
    const problem = toProblem(lost.failure, run.id, ports.now());
    return { ...run, status: "outcome_unknown", problem, leaseUntil: null };
  }
  const sent = { status: "outcome_unknown" as const, failed: lost, attempts: [...run.attempts], written: [] };
  const end: StepEnd = await lookInTime(call, sent, ports);
  // What is kept of the input holds no secrets. Where one was taken out, that nothing was found proves nothing.
  const isBelieved = end.status !== "failed" || !holdsSecretMark(run.params);
  return (await endOf(run, call, isBelieved ? end : { ...sent, attempts: end.attempts }, ports.now())).run;
}

/** The call as it was made, as far as it was kept; null where that cannot be asked about. */
async function callOf(run: Run, ports: EnginePorts): Promise<StepCall | null> {
  const { vault, now } = ports;
  const step = findStep(run.stepId ?? "");
  const connection = await vault.find(run.projectId, run.connectionId ?? "");
  const parsed = step?.input.safeParse(run.params);
  if (!step || !connection || !parsed?.success || connection.state !== "connected") return null;
  const until = new Date(now().getTime() + (lookSeconds + (settleSecondsOf({ step }, ports) ?? 0)) * 1000);
  return {
    step,
    input: parsed.data,
    connection,
    context: { intentId: run.id, now: new Date(run.createdAt), identity: connection.identity },
    runId: run.id,
    callerId: run.keyId ?? run.id,
    waitUntil: until,
    stayUntil: until,
  };
}
