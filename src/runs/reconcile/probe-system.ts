import { mark } from "../../kernel/loop-watch.ts";
import { type Attempt, readsOnly, type SentTimes, type StepCall, type StepPorts, workOf } from "../../steps/ports.ts";
import { showBodies } from "../../steps/record-attempts.ts";
import { callMillisecondsMax } from "../../steps/send-once.ts";
import { sendRequest } from "../../steps/send-with-retries.ts";
import type { Store } from "../../store/db.ts";
import { drive, emptyAnswer } from "../../systems/drive.ts";
import { stepProblems } from "../../systems/step-problems.ts";
import { type Answer, type Done, type Failure, StepFailed, type StepRequest } from "../../systems/work.ts";
import { mayBelongToAnother } from "../journal/write-intents.ts";

/** The result of a probe, and the requests that it sent. */
export type Probed = { attempts: Attempt[] } & (
  | { kind: "happened"; done: Done<unknown> }
  | { kind: "did not" }
  /** Some of it happened, and a repeat once the system has settled does no harm. */
  | { kind: "in part" }
  | { kind: "cannot tell"; why: string }
  /** The probe itself failed, and may succeed later. */
  | { kind: "probe failed"; failure: Failure }
);

/** "Waiting for a limit is no failed look": our own limits refused the probe, and the system was not asked. */
export const isRefusedByOwnLimits = (probed: Probed): boolean =>
  probed.kind === "probe failed" &&
  (probed.failure.code === "rate_limited" || probed.failure.code === "quota_exhausted") &&
  probed.attempts.at(-1)?.problem === undefined;

/**
 * A request that was cut off may still be in progress at the system. "Did not" counts only if the probe begins this
 * long after the first one, by when the request was cut off. Null if no such time is known.
 */
export const settleSecondsOf = (
  { step }: Pick<StepCall, "step">,
  ports: Pick<StepPorts, "settleSeconds">,
): number | null => ports.settleSeconds ?? step.system.settlesWithinSeconds;

/** When the write must have happened, if it did. A system without a known time ends its calls at least by itself. */
function latestOf(call: Pick<StepCall, "step">, { last }: SentTimes, ports: Pick<StepPorts, "settleSeconds">): number {
  const settleSeconds = settleSecondsOf(call, ports) ?? call.step.system.worksSecondsMax;
  return last.getTime() + callMillisecondsMax + settleSeconds * 1000;
}

/** Most late writes happen within this time, so a second probe then settles most cases. */
export const earlyProbeSeconds = 10;

export const unsettled =
  "The record is not there, and nobody knows how long the system may keep working on the request.";

/** Said while the system may still be at work on the write. */
export const notYet = { "did not": "It is not there yet.", "in part": "Not all of it is there yet." } as const;

export const changedSince = "The record differs from what this write sets, but others may have changed it since.";

/**
 * After a restore from a backup, an update of before may have been sent long ago, and others may have changed the
 * record since: other values do not show that it did not happen, and to send it again would undo what they did.
 */
export const mayHaveChangedSince = (
  { step, input }: Pick<StepCall, "step" | "input">,
  startedAt: string,
  { restoredAt }: { restoredAt?: string | null },
): boolean => Boolean(restoredAt && startedAt <= restoredAt) && (step.effectOf?.(input) ?? step.effect) === "update";

const probeSeconds = 60;

export interface ProbePorts extends Omit<StepPorts, "journal"> {
  store: Store;
  /** When the store was last restored from a backup. */
  restoredAt?: string | null;
}

/** The same sentence whether the other run is of this project or of another tenant: it states no fact about any other run. */
const fromAnotherRun =
  "A record with this name exists, but another run or another user of the account may have written it.";

/** Asks the system, by the step's own probe, whether a write whose answer was lost has happened. */
export async function reconcile(call: StepCall, sent: SentTimes, ports: ProbePorts): Promise<Probed> {
  const gathered = { attempts: [] as Attempt[], written: [] };
  const { attempts } = gathered;
  let aheadMilliseconds = 0;
  const context = {
    ...call.context,
    get askedAt() {
      return new Date(sent.first.getTime() + aheadMilliseconds);
    },
    get latestAt() {
      return new Date(latestOf(call, sent, ports) + aheadMilliseconds);
    },
  };
  const marked = workOf({ ...call, isProbe: true });
  mark("a probe", marked);
  const work = call.step.reconcile?.(call.input, context);
  if (!work) return { kind: "cannot tell", why: "This step has no check.", attempts };
  try {
    // A failed request ends the probe. Thrown into the step's generator, it might be taken for "not there" after half
    // of the pages.
    const found = await drive(work, async (asked) => {
      if ("pauseSeconds" in asked) {
        await ports.sleep(asked.pauseSeconds * 1000);
        return emptyAnswer;
      }
      // A probe may run after the step's own timeout, and after its owner lost the permission to start anything.
      const { findAccessLoss, ...rest } = call;
      const stayUntil = new Date(ports.now().getTime() + probeSeconds * 1000);
      const probing = { ...rest, stayUntil, isProbe: true as const };
      const answer = await sendRequest(asked, probing, { ...ports, journal: readsOnly }, gathered).catch((error) =>
        requireAbsence(asked, error),
      );
      mark("a probe", marked);
      aheadMilliseconds = aheadOf(answer, ports.now()) ?? aheadMilliseconds;
      return answer;
    });
    mark("a probe", marked);
    if (found === "did not" || found === "in part") return { kind: found, attempts };
    if (found === "cannot tell") return { kind: found, why: "The system cannot tell either.", attempts };
    if (await mayBelongToAnother(call, found.names, sent.first, ports))
      return { kind: "cannot tell", why: fromAnotherRun, attempts };
    return { kind: "happened", done: withWarning(found), attempts };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    if (stepProblems[error.failure.code].retry !== "later")
      return { kind: "cannot tell", why: error.message, attempts };
    return { kind: "probe failed", failure: error.failure, attempts };
  } finally {
    // "What the probe saw": a person who has to decide reads it.
    showBodies(attempts);
  }
}

/** The answer of a system that does not have the record, if the probe asks whether it is gone. */
function requireAbsence({ mayBeAbsent }: StepRequest, error: unknown): Answer {
  const isAbsent = error instanceof StepFailed && error.failure.recordIsAbsent === true;
  if (!mayBeAbsent || !isAbsent || error.answer === null) throw error;
  return error.answer;
}

/** "Learn each system's clock from its `Date` header": how far it is ahead of ours. The header has whole seconds. */
function aheadOf({ headers }: Answer, now: Date): number | null {
  const systemTime = Date.parse(headers.date ?? "");
  return Number.isNaN(systemTime) ? null : systemTime + 500 - now.getTime();
}

/** The probe as `StepCall` needs it. */
export const probeFor =
  (call: StepCall, ports: ProbePorts): NonNullable<StepCall["probe"]> =>
  async (sent) => {
    const { attempts, ...probed } = await reconcile(call, sent, ports);
    if (probed.kind === "happened") return { found: probed.done, attempts };
    return { found: probed.kind === "did not" ? "did not" : "cannot tell", attempts };
  };

const withWarning = ({ output, warnings = [] }: Done<unknown>): Done<unknown> => ({
  output,
  warnings: [...warnings, "The response was lost. Signalbox checked the system: the write has happened."],
});
