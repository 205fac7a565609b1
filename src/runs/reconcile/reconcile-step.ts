import type { Attempt, StepCall } from "../../steps/ports.ts";
import { type StepProblem, stepProblem } from "../../systems/problems.ts";
import type { RunHand } from "../engine/ports.ts";
import { retryAt } from "../engine/retry.ts";
import { finished, type StepDone, succeeded } from "../engine/step-done.ts";
import type { StepRecord } from "../journal/journal.ts";
import { toProblem } from "../single-step.ts";
import { firstProbeOf, lastWriteOf } from "./open-write.ts";
import { isRefusedByUs, type Probed, reconcile, settleSecondsOf, soonSeconds, unsettled } from "./probe.ts";

/** Looks that failed by themselves: five of them lie between the first second and some three minutes after it. */
const looksMax = 6;
const firstPauseSeconds = 5;
/** So many workers may die in the middle of one step's writes, whatever a person says meanwhile. */
const deathsMax = 20;

/**
 * A write was handed over and its answer is lost: what came of it is asked before a person is. A run whose system cannot be
 * asked just now waits for a while, and holds no worker meanwhile.
 */
export async function reconcileWrite(hand: RunHand, call: StepCall, record: StepRecord): Promise<StepDone> {
  const askedAt = new Date(lastWriteOf(record)?.sent_at ?? record.startedAt);
  const lookedFrom = hand.ports.now();
  const looked = await reconcile(call, askedAt, hand.ports);
  const looks = record.looks + (isRefusedByUs(looked) ? 0 : 1);
  const seen: StepRecord = { ...record, attempts: [...record.attempts, ...looked.attempts], looks };
  const settleSeconds = settleSecondsOf(call, hand.ports);
  const afterFirst = (seconds: number) => new Date((firstProbeOf(record) ?? lookedFrom).getTime() + seconds * 1000);
  switch (looked.kind) {
    case "happened":
      return succeeded(hand, seen, looked.done, call);
    case "did not":
      for (const seconds of [Math.min(soonSeconds, settleSeconds ?? soonSeconds), settleSeconds ?? 0]) {
        if (lookedFrom < afterFirst(seconds)) return lookLater(hand, seen, afterFirst(seconds), "It is not there yet.");
      }
      return settleSeconds === null ? askPerson(hand, seen, unsettled) : sendAgain(hand, seen);
    case "cannot tell":
      return askPerson(hand, seen, looked.why);
    case "could not look":
      if (isRefusedByUs(looked))
        return lookLater(hand, seen, nextLook(hand, seen, looked), looked.failure.detail, "limit");
      return seen.looks >= looksMax
        ? askPerson(hand, seen, `Looking for it failed ${looksMax} times: ${looked.failure.detail}`)
        : lookLater(hand, seen, nextLook(hand, seen, looked), looked.failure.detail);
  }
}

function nextLook({ ports }: RunHand, { looks }: StepRecord, { failure }: Extract<Probed, { failure: object }>): Date {
  const seconds = Math.max(failure.waitSeconds ?? 0, firstPauseSeconds * 2 ** Math.max(0, looks - 1));
  return new Date(ports.now().getTime() + seconds * 1000);
}

const lookLater = (
  hand: RunHand,
  record: StepRecord,
  at: Date,
  why: string,
  kind: "retry" | "limit" = "retry",
): StepDone => ({
  kind: "waits",
  record: { ...record, status: "waiting", problem: unknownProblem(hand, record, why) },
  waitingFor: {
    kind,
    step: record.name,
    detail: `The answer of a write was lost, and the system is asked again whether it has happened. ${why}`,
    until: at.toISOString(),
  },
  runAt: at,
});

export const askPerson = (hand: RunHand, record: StepRecord, why: string): StepDone => ({
  kind: "done",
  record: { ...record, status: "outcome_unknown", problem: unknownProblem(hand, record, why) },
});

/** It surely has not happened, so it may be sent once more, and not without end. */
function sendAgain(hand: RunHand, record: StepRecord): StepDone {
  const problem = stepProblem("system_unavailable", "The answer was cut off, and nothing has happened there.");
  const { at, tries } = nextTry(record, problem, hand.ports.now());
  const settled: StepRecord = { ...record, output: null, looks: 0 };
  if (at === null) return { kind: "done", record: finished(hand, settled, { status: "failed", problem }) };
  return {
    kind: "waits",
    record: { ...settled, status: "waiting", problem: null, tries },
    waitingFor: { kind: "retry", step: record.name, detail: problem.detail, until: at.toISOString() },
    runAt: at,
  };
}

/** After a pause where the system cut it off. A worker that died with it is no fault of the system, and seldom one of the run. */
function nextTry(record: StepRecord, problem: StepProblem, now: Date): { at: Date | null; tries: number } {
  const last = lastWriteOf(record);
  if (!last || !diedWith(last)) return { at: retryAt(problem, true, record.tries, now), tries: record.tries + 1 };
  const deaths = record.attempts.filter((attempt) => attempt.effect !== "read" && diedWith(attempt)).length;
  // It comes back all the same, and within the time of the step only.
  return { at: deaths < deathsMax ? now : null, tries: Math.max(1, record.tries) };
}

/** Nobody was left to write down why there is no answer. */
const diedWith = ({ response, problem }: Attempt): boolean => response === undefined && problem === undefined;

/** With the system's own words, where it said any before they broke off. */
function unknownProblem({ run, ports }: RunHand, { problem }: StepRecord, why: string): StepProblem {
  const said =
    problem?.code === "outcome_unknown" ? problem.detail : "The request was handed over, and its answer never came.";
  const detail = said.endsWith(why) ? said : `${said} ${why}`;
  return toProblem({ code: "outcome_unknown", detail, cure: "give up", done: "maybe" }, run.id, ports.now());
}
