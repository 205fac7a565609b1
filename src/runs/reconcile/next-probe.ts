import type { StepEnd } from "../../steps/run-step.ts";
import { StepFailed } from "../../systems/work.ts";
import type { WaitingFor } from "../run.ts";
import { isRefusedByUs, type Probed, unsettled } from "./probe.ts";

/*
 * A run of one step whose caller waits no longer, and whose outcome nobody knows yet: the system is asked again in the background, as it
 * is for a step of a tool. Nothing is sent again. Meanwhile a person may settle it at any time.
 */

/** When the system is asked next, and why it has to be. */
export interface NextProbe {
  at: string;
  why: string;
  kind: "retry" | "limit";
}

const pauseSecondsMin = 5;
/** So long a system that cannot be asked is asked again and again, each pause longer than the one before. */
const lookMilliseconds = 15 * 60_000;

/** After a look that did not end the question: the next one, or why there is none. Times are those of our own clock. */
export function nextProbe(looked: Probed, askedAt: Date, settledAt: number, now: number): NextProbe | string {
  switch (looked.kind) {
    case "happened":
      throw new Error("What has happened is looked for no more.");
    case "cannot tell":
      return looked.why;
    case "did not":
      if (settledAt === Number.POSITIVE_INFINITY) return unsettled;
      return { at: isoOf(Math.max(now, settledAt)), why: "It is not there yet.", kind: "retry" };
    case "could not look": {
      const { detail, waitSeconds = 0 } = looked.failure;
      const pause = Math.max(pauseSecondsMin, waitSeconds) * 1000;
      if (isRefusedByUs(looked)) return { at: isoOf(now + pause), why: detail, kind: "limit" };
      const passed = now - askedAt.getTime();
      if (passed >= lookMilliseconds)
        return `Looking for it failed for ${Math.round(passed / 60_000)} minutes: ${detail}`;
      return { at: isoOf(now + Math.max(pause, passed / 2)), why: detail, kind: "retry" };
    }
  }
}

const asksAgain = " The system is asked again, and the run says what came of it.";

/** Whoever reads it learns whether to wait, or to decide. */
export const openDetail = (said: string, next: NextProbe | string): string => {
  const before = said.endsWith(asksAgain) ? said.slice(0, -asksAgain.length) : said;
  return typeof next === "string" ? `${before} ${next} A person decides.` : before + asksAgain;
};

export function withNextProbe(
  open: Extract<StepEnd, { failed: StepFailed }>,
  next: NextProbe | string,
): Extract<StepEnd, { failed: StepFailed }> & { later?: NextProbe } {
  const { failure, answer } = open.failed;
  const failed = new StepFailed({ ...failure, detail: openDetail(failure.detail, next) }, answer);
  return { ...open, failed, ...(typeof next === "string" ? {} : { later: next }) };
}

export const waitingForProbe = ({ at, why, kind }: NextProbe, step: string): WaitingFor => ({
  kind,
  step,
  detail: `The answer of a write was lost, and the system is asked again whether it has happened. ${why}`,
  until: at,
});

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
