import type { StepEnd } from "../../steps/run-step.ts";
import { StepFailed } from "../../systems/work.ts";
import type { WaitingFor } from "../record/run-record.ts";
import { isRefusedByOwnLimits, notYet, type Probed, unsettled } from "./probe-system.ts";

/*
 * A single step whose caller no longer waits and whose outcome is unknown: the server probes the system in the
 * background, as for a step of a tool. It sends nothing again. A person may settle the run at any time.
 */

/** When to probe next, and why. */
export interface NextProbe {
  at: string;
  why: string;
  kind: "retry" | "limit";
}

const pauseSecondsMin = 5;
/** How long probes that fail are repeated, with growing pauses. */
const probeMilliseconds = 15 * 60_000;

/**
 * The next probe after one that did not settle the outcome, or the reason why there is none. All times are those of our
 * own clock.
 */
export function nextProbe(probed: Probed, askedAt: Date, settledAt: number, now: number): NextProbe | string {
  switch (probed.kind) {
    case "happened":
      throw new Error("A write that happened needs no next probe.");
    case "cannot tell":
      return probed.why;
    case "did not":
      if (settledAt === Number.POSITIVE_INFINITY) return unsettled;
      return { at: isoOf(Math.max(now, settledAt)), why: notYet[probed.kind], kind: "retry" };
    case "in part":
      if (now >= settledAt || settledAt === Number.POSITIVE_INFINITY) return "Not all of it is there.";
      return { at: isoOf(settledAt), why: notYet[probed.kind], kind: "retry" };
    case "probe failed": {
      const { detail, waitSeconds = 0 } = probed.failure;
      const pause = Math.max(pauseSecondsMin, waitSeconds) * 1000;
      if (isRefusedByOwnLimits(probed)) return { at: isoOf(now + pause), why: detail, kind: "limit" };
      const passed = now - askedAt.getTime();
      if (passed >= probeMilliseconds) return `The check failed for ${Math.round(passed / 60_000)} minutes: ${detail}`;
      return { at: isoOf(now + Math.max(pause, passed / 2)), why: detail, kind: "retry" };
    }
  }
}

const asksAgain = " Signalbox checks the system again, and the run shows the result.";

/** Tells the reader whether to wait or to decide. */
export const openDetail = (said: string, next: NextProbe | string): string => {
  const before = said.endsWith(asksAgain) ? said.slice(0, -asksAgain.length) : said;
  return typeof next === "string" ? `${before} ${next} A person must decide.` : before + asksAgain;
};

export function withNextProbe(
  open: Extract<StepEnd, { failed: StepFailed }>,
  next: NextProbe | string,
): Extract<StepEnd, { failed: StepFailed }> & { later?: NextProbe } {
  const { failure, answer, output } = open.failed;
  const failed = new StepFailed({ ...failure, detail: openDetail(failure.detail, next) }, answer, output);
  return { ...open, failed, ...(typeof next === "string" ? {} : { later: next }) };
}

export const waitingForProbe = ({ at, why, kind }: NextProbe, step: string): WaitingFor => ({
  kind,
  step,
  detail: `The response to a write was lost. Signalbox checks the system again. ${why}`,
  until: at,
});

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
