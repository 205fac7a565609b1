import { mark } from "../../kernel/loop-watch.ts";
import type { StepCall } from "../../steps/ports.ts";
import { stepCall } from "../../steps/step-call.ts";
import { toProblem } from "../../steps/to-problem.ts";
import { findStep } from "../../systems/index.ts";
import { stepProblem } from "../../systems/step-problems.ts";
import { StepFailed } from "../../systems/work.ts";
import { holdsSecretMark } from "../../transport/redact.ts";
import { firstProbeOf, sentAt, sentTimesOf } from "../journal/open-write.ts";
import { ambiguousNamesOf } from "../journal/write-intents.ts";
import type { EnginePorts } from "../outcome/ports.ts";
import { nextProbe, withNextProbe } from "../reconcile/next-probe.ts";
import { changedSince, mayHaveChangedSince, reconcile, settleSecondsOf } from "../reconcile/probe-system.ts";
import { readRun, type StepRun } from "../record/run-record.ts";
import { didNot, endOf, type ProbedEnd, probeInTime, type StepHold, settleOwn } from "./single-step.ts";
import { claimAbandoned, updateProbed, updateRunning } from "./step-run.ts";

const batchSize = 20;
/**
 * How long a probe is repeated while the system cannot be asked, beyond the time in which the write may still happen.
 */
const probeSeconds = 60;

/** Holds runs by leases while settling them. If it dies, the next worker takes over. */
export interface Holder {
  name: string;
  hold(runId: string, fence: number): StepHold;
}

/**
 * Settles single steps whose process died. "A write without an outcome is first reconciled by the step's own probe,
 * then, if that cannot tell, becomes outcome_unknown and waits for a person"; nothing is sent again. Steps without a
 * write changed nothing, and fail. Runs with an unknown outcome are probed again when that is due.
 */
export async function settleAbandoned(ports: EnginePorts, holder: Holder): Promise<number> {
  const now = ports.now();
  const leaseUntil = new Date(now.getTime() + ports.leaseSeconds * 1000);
  const abandoned = await ports.store.transaction((db) =>
    claimAbandoned(db, holder.name, { now, leaseUntil }, batchSize),
  );
  const settling = abandoned.map(async (row) => {
    const hold = holder.hold(row.id, row.fence);
    try {
      await settle((await readRun(ports.store, row)) as StepRun, ports);
    } finally {
      hold.release();
    }
  });
  await Promise.all(settling);
  return abandoned.length;
}

async function settle(run: StepRun, ports: EnginePorts): Promise<void> {
  const { organizationId, projectId, id: runId, work } = run;
  const settling = { operation: "reconcile", organizationId, projectId, runId, stepId: work.id };
  mark("an abandoned step", settling);
  const wasUnknown = run.status === "outcome_unknown";
  const ended = wasUnknown || isOpen(run) ? await reconcileRun(run, ports) : cutShort(run, ports.now());
  const announce = await ports.store.transaction(async (db) => {
    mark("the end of an abandoned step", settling);
    const isWritten = wasUnknown ? await updateProbed(db, ended, run) : await updateRunning(db, ended, run);
    // Events were sent when the outcome became unknown.
    if (!isWritten || ended.status === run.status) return undefined;
    await settleOwn(db, ended);
    const { status, problem, output, finishedAt } = ended;
    return ports.onLeft?.(db, run, { status, problem, output, finishedAt, waitingFor: null, runAt: null });
  });
  announce?.();
}

function isOpen({ attempts }: StepRun): boolean {
  const last = attempts.at(-1);
  return last !== undefined && last.effect !== "read" && last.response === undefined;
}

const cutShort = (run: StepRun, now: Date): StepRun => ({
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
    detail: "The server stopped after it had sent the request, and before the response came.",
    cure: "give up",
    done: "maybe",
  },
  null,
);

/** The unknown outcome, with the details recorded when it became unknown. */
const openEnd = ({ status, problem, attempts }: StepRun): Extract<ProbedEnd, { failed: StepFailed }> => ({
  status: "outcome_unknown",
  failed:
    status === "outcome_unknown" && problem ? new StepFailed({ ...lost.failure, detail: problem.detail }, null) : lost,
  attempts: [...attempts],
  written: [],
});

async function reconcileRun(run: StepRun, ports: EnginePorts): Promise<StepRun> {
  const call = await callOf(run, ports);
  const open = openEnd(run);
  const why = typeof call === "string" ? call : doubtByName(run, call, ports);
  if (typeof call === "string" || why !== null) {
    const { failed } = withNextProbe(open, why ?? "");
    const problem = toProblem(failed.failure, run.id, ports.now());
    return { ...run, status: "outcome_unknown", problem, leaseUntil: null, waitingFor: null };
  }
  const end = await (run.status === "running" ? probeInTime(call, open, ports) : probeOnce(call, open, ports));
  const doubt = end.status === "failed" ? doubtOf(run, call, ports) : null;
  const believed = doubt === null ? end : withNextProbe({ ...open, attempts: end.attempts }, doubt);
  return (await endOf(run, call, believed, ports)).run;
}

/** Why an empty search proves nothing, or null. Stored inputs hold no secrets, so one that was masked is not found. */
function doubtOf({ params, createdAt }: StepRun, call: StepCall, ports: EnginePorts): string | null {
  if (holdsSecretMark(params)) return secretsGone;
  return mayHaveChangedSince(call, createdAt, ports) ? changedSince : null;
}

const secretsGone =
  "The record was not found, but the request contained a secret, which is not stored: the check may have missed it.";

/** "A probe may take a record for its own only if nothing else could have made it", as for a tool's step. */
function doubtByName({ createdAt }: StepRun, call: StepCall, { restoredAt }: EnginePorts): string | null {
  if (!restoredAt || createdAt > restoredAt || ambiguousNamesOf(call).length === 0) return null;
  return "The store was restored from a backup, and another run may have written the record with this name.";
}

/** No caller waits any more: one probe now, and the time of the next if it settles nothing. */
async function probeOnce(
  call: StepCall,
  open: Extract<ProbedEnd, { failed: StepFailed }>,
  ports: EnginePorts,
): Promise<ProbedEnd> {
  const probedFrom = ports.now().getTime();
  const sentTimes = sentTimesOf(open) ?? sentAt(new Date(probedFrom));
  const firstProbeAt = firstProbeOf(open, new Date(probedFrom), ports)?.getTime() ?? probedFrom;
  const settledAt = firstProbeAt + (settleSecondsOf(call, ports) ?? Number.POSITIVE_INFINITY) * 1000;
  const probed = await reconcile(call, sentTimes, ports);
  const seen = { ...open, attempts: [...open.attempts, ...probed.attempts] };
  if (probed.kind === "happened") return { ...seen, status: "succeeded", warnings: [], ...probed.done };
  if (probed.kind === "did not" && probedFrom >= settledAt) return { ...seen, status: "failed", failed: didNot };
  return withNextProbe(seen, nextProbe(probed, sentTimes.last, settledAt, ports.now().getTime()));
}

/** The call as it was made, from what is stored; a string says why the system cannot be asked about it. */
async function callOf(run: StepRun, ports: EnginePorts): Promise<StepCall | string> {
  const { vault, now } = ports;
  const step = findStep(run.work.id);
  const connection = await vault.find(run.projectId, run.work.connectionId);
  const parsed = step?.input.safeParse(run.params);
  if (connection?.state !== "connected") return "The connection is no longer connected.";
  if (!step || !parsed?.success) return "The request was not stored in full.";
  const seconds = probeSeconds + (settleSecondsOf({ step }, ports) ?? 0);
  const times = { now: now(), startedAt: new Date(run.createdAt), waitSeconds: seconds, staySeconds: seconds };
  return stepCall({ step, input: parsed.data, connection, runId: run.id, callerId: run.keyId ?? run.id }, times);
}
