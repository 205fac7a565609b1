import { type Attempt, readsOnly, type StepCall, type StepPorts } from "../../steps/ports.ts";
import { sendAsked } from "../../steps/send-asked.ts";
import type { Store } from "../../store/db.ts";
import { drive, emptyAnswer } from "../../systems/drive.ts";
import { stepProblems } from "../../systems/problems.ts";
import { type Answer, type Done, type Failure, StepFailed } from "../../systems/work.ts";
import { mayBeAnothers } from "./write-intents.ts";

/** What came of looking, and the requests that it took. */
export type Probed = { attempts: Attempt[] } & (
  | { kind: "happened"; done: Done<unknown> }
  | { kind: "did not" }
  | { kind: "cannot tell"; why: string }
  /** The look itself failed, and may do better later. */
  | { kind: "could not look"; failure: Failure }
);

/** "Waiting for a limit is no failed look": our own books had no place for it, and the system was not asked. */
export const isRefusedByUs = (looked: Probed): boolean =>
  looked.kind === "could not look" &&
  (looked.failure.code === "rate_limited" || looked.failure.code === "quota_exhausted") &&
  looked.attempts.at(-1)?.problem === undefined;

/**
 * A request that was cut off may still be at work at the system: "did not" is no answer before a look that begins so much
 * later than the first, by when it was cut off. Null where nobody knows how long that may be.
 */
export const settleSecondsOf = (
  { step }: Pick<StepCall, "step">,
  ports: Pick<StepPorts, "settleSeconds">,
): number | null => ports.settleSeconds ?? step.system.settlesWithinSeconds;

/** Most that happens late at all does so within seconds. */
export const soonSeconds = 10;

export const unsettled = "It is not there, and nobody knows how long the system may still be at work on it.";

const lookSeconds = 60;

export type ProbePorts = Omit<StepPorts, "journal"> & { store: Store };

const anothers = "There is one of that name, and another run has asked for the same at about the same time.";

/** Asks the system, by the step's own probe, whether a write whose answer was lost has happened. */
export async function reconcile(call: StepCall, askedAt: Date, ports: ProbePorts): Promise<Probed> {
  const gathered = { attempts: [] as Attempt[], written: [] };
  const { attempts } = gathered;
  let aheadMilliseconds = 0;
  const context = {
    ...call.context,
    get askedAt() {
      return new Date(askedAt.getTime() + aheadMilliseconds);
    },
  };
  const work = call.step.reconcile?.(call.input, context);
  if (!work) return { kind: "cannot tell", why: "This step has no way to look.", attempts };
  try {
    // A failed request ends the look. Thrown into the work, it might be taken for "not there", from half of the pages.
    const found = await drive(work, async (asked) => {
      if ("pauseSeconds" in asked) {
        await ports.sleep(asked.pauseSeconds * 1000);
        return emptyAnswer;
      }
      // The look goes on where the step's own time is over, and where its owner may no longer start anything.
      const { whyNoLonger, ...rest } = call;
      const looking = { ...rest, stayUntil: new Date(ports.now().getTime() + lookSeconds * 1000) };
      const answer = await sendAsked(asked, looking, { ...ports, journal: readsOnly }, gathered);
      aheadMilliseconds = aheadOf(answer, ports.now()) ?? aheadMilliseconds;
      return answer;
    });
    if (found === "did not") return { kind: found, attempts };
    if (found === "cannot tell") return { kind: found, why: "The system does not tell either.", attempts };
    if (await mayBeAnothers(call, askedAt, ports.store)) return { kind: "cannot tell", why: anothers, attempts };
    return { kind: "happened", done: withWarning(found), attempts };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    if (stepProblems[error.failure.code].retry !== "later")
      return { kind: "cannot tell", why: error.message, attempts };
    return { kind: "could not look", failure: error.failure, attempts };
  }
}

/** "Learn each system's clock from its `Date` header": how far it is ahead of ours. It tells whole seconds. */
function aheadOf({ headers }: Answer, now: Date): number | null {
  const told = Date.parse(headers.date ?? "");
  return Number.isNaN(told) ? null : told + 500 - now.getTime();
}

/** The same for `StepCall.look`. */
export const probeFor =
  (call: StepCall, ports: ProbePorts): NonNullable<StepCall["look"]> =>
  async (askedAt) => {
    const { attempts, ...looked } = await reconcile(call, askedAt, ports);
    return { done: looked.kind === "happened" ? looked.done : null, attempts };
  };

const withWarning = ({ output, warnings = [] }: Done<unknown>): Done<unknown> => ({
  output,
  warnings: [...warnings, "The answer was lost; the system was asked, and it has happened."],
});
