import type { Attempt, StepCall } from "../../steps/ports.ts";
import { toProblem } from "../../steps/to-problem.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { StepRecord } from "../journal/journal.ts";
import { firstProbeOf, lastWriteOf, sentAt, sentTimesOf } from "../journal/open-write.ts";
import type { RunContext } from "../outcome/ports.ts";
import { retryAt } from "../outcome/retry-step.ts";
import { finished, type StepDone, succeeded } from "../outcome/step-result.ts";
import {
  changedSince,
  earlyProbeSeconds,
  isRefusedByOwnLimits,
  mayHaveChangedSince,
  notYet,
  type Probed,
  reconcile,
  settleSecondsOf,
  unsettled,
} from "./probe-system.ts";
import { sentAgainWarning } from "./read-repeat.ts";

/** How many probes may fail by themselves: five of them fall within about three minutes after the first. */
const probesMax = 6;
const firstPauseSeconds = 5;
/** How many workers may die during the writes of one step, whatever a person decides meanwhile. */
const deathsMax = 20;

/**
 * Settles a write whose answer was lost: probes the system first, then asks a person. While the system cannot be asked,
 * the run waits and holds no worker.
 */
export async function reconcileWrite(context: RunContext, call: StepCall, record: StepRecord): Promise<StepDone> {
  const sentTimes = sentTimesOf(record) ?? sentAt(new Date(record.startedAt));
  const probedFrom = context.ports.now();
  const probed = await reconcile(call, sentTimes, context.ports);
  const probes = record.probes + (isRefusedByOwnLimits(probed) ? 0 : 1);
  const seen: StepRecord = { ...record, attempts: [...record.attempts, ...probed.attempts], probes };
  const settleSeconds = settleSecondsOf(call, context.ports);
  const firstProbe = firstProbeOf(record, probedFrom, context.ports) ?? probedFrom;
  const afterFirst = (seconds: number) => new Date(firstProbe.getTime() + seconds * 1000);
  switch (probed.kind) {
    case "happened":
      return succeeded(context, seen, probed.done, call);
    case "did not":
    case "in part":
      if (mayHaveChangedSince(call, record.startedAt, context.ports)) return askPerson(context, seen, changedSince);
      for (const seconds of [Math.min(earlyProbeSeconds, settleSeconds ?? earlyProbeSeconds), settleSeconds ?? 0]) {
        if (probedFrom < afterFirst(seconds))
          return probeLater(context, seen, afterFirst(seconds), notYet[probed.kind]);
      }
      return settleSeconds === null ? askPerson(context, seen, unsettled) : sendAgain(context, seen);
    case "cannot tell":
      return askPerson(context, seen, probed.why);
    case "probe failed":
      if (isRefusedByOwnLimits(probed))
        return probeLater(context, seen, nextProbeAt(context, seen, probed), probed.failure.detail, "limit");
      return seen.probes >= probesMax
        ? askPerson(context, seen, `Looking for it failed ${probesMax} times: ${probed.failure.detail}`)
        : probeLater(context, seen, nextProbeAt(context, seen, probed), probed.failure.detail);
  }
}

function nextProbeAt(
  { ports }: RunContext,
  { probes }: StepRecord,
  { failure }: Extract<Probed, { failure: object }>,
): Date {
  const seconds = Math.max(failure.waitSeconds ?? 0, firstPauseSeconds * 2 ** Math.max(0, probes - 1));
  return new Date(ports.now().getTime() + seconds * 1000);
}

const probeLater = (
  context: RunContext,
  record: StepRecord,
  at: Date,
  why: string,
  kind: "retry" | "limit" = "retry",
): StepDone => ({
  kind: "waits",
  record: { ...record, status: "waiting", problem: unknownProblem(context, record, why) },
  waitingFor: {
    kind,
    step: record.name,
    detail: `The response to a write was lost. Signalbox checks the system again. ${why}`,
    until: at.toISOString(),
  },
  runAt: at,
});

export const askPerson = (context: RunContext, record: StepRecord, why: string): StepDone => ({
  kind: "done",
  record: { ...record, status: "outcome_unknown", problem: unknownProblem(context, record, why) },
});

/** The write surely did not happen, so it is sent again, a limited number of times. */
function sendAgain(context: RunContext, record: StepRecord): StepDone {
  const problem = stepProblem("system_unavailable", "The response was lost, and the write did not happen.");
  const { at, tries } = nextTry(record, problem, context.ports.now());
  const settled: StepRecord = { ...withSentAgain(record), output: null, probes: 0 };
  if (at === null) return { kind: "done", record: finished(context, settled, { status: "failed", problem }) };
  return {
    kind: "waits",
    record: { ...settled, status: "waiting", problem: null, tries },
    waitingFor: { kind: "retry", step: record.name, detail: problem.detail, until: at.toISOString() },
    runAt: at,
  };
}

/** A step that was never sent has lost no response. */
const withSentAgain = (record: StepRecord): StepRecord =>
  !lastWriteOf(record) || record.warnings.includes(sentAgainWarning)
    ? record
    : { ...record, warnings: [...record.warnings, sentAgainWarning] };

/**
 * Waits before the retry if the system cut the request off. If the worker died, neither the system nor the run is to
 * blame.
 */
function nextTry(record: StepRecord, problem: StepProblem, now: Date): { at: Date | null; tries: number } {
  const last = lastWriteOf(record);
  if (!last || !diedWith(last)) {
    return { at: retryAt(problem, { ...record, isRepeatable: true, refusals: 0 }, now), tries: record.tries + 1 };
  }
  const deaths = record.attempts.filter((attempt) => attempt.effect !== "read" && diedWith(attempt)).length;
  // The retry counts, so the step's timeout applies.
  return { at: deaths < deathsMax ? now : null, tries: Math.max(1, record.tries) };
}

/** The worker died before it could record why there is no answer. */
const diedWith = ({ response, problem }: Attempt): boolean => response === undefined && problem === undefined;

/** Includes what the system said before the connection broke. */
function unknownProblem({ run, ports }: RunContext, { problem }: StepRecord, why: string): StepProblem {
  const said =
    problem?.code === "outcome_unknown" ? problem.detail : "The request was sent, and its response was lost.";
  const detail = said.endsWith(why) ? said : `${said} ${why}`;
  return toProblem({ code: "outcome_unknown", detail, cure: "give up", done: "maybe" }, run.id, ports.now());
}
