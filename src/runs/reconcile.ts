import type { StepCall } from "../steps/ports.ts";
import { sendAsked } from "../steps/send-asked.ts";
import { type Done, StepFailed } from "../systems/define.ts";
import type { RunHand } from "./engine-ports.ts";
import type { StepRecord } from "./journal.ts";

/**
 * Asks the system, by the step's own probe, whether a write whose answer was lost has happened. Answers the step's output
 * where it has, "send" where it surely has not, and the failure to be shown to a person where nobody can tell.
 */
export async function reconcile(
  hand: RunHand,
  call: StepCall,
  record: StepRecord,
): Promise<Done<unknown> | "send" | StepFailed> {
  const askedAt = new Date(record.attempts.at(-1)?.sent_at ?? record.startedAt);
  const work = call.step.reconcile?.(call.input, { ...call.context, askedAt });
  if (!work) return unknown("This step has no way to look.");
  const readsOnly = {
    intend: () => {
      throw new Error("Looking whether something has happened changes nothing.");
    },
  };
  const gathered = { attempts: [], told: [], written: [] };
  try {
    let next = work.next();
    while (!next.done) {
      if ("pauseSeconds" in next.value) {
        await hand.ports.sleep(next.value.pauseSeconds * 1000);
        next = work.next({ status: 0, headers: {}, body: null, bytes: 0 });
      } else {
        next = work.next(await sendAsked(next.value, call, { ...hand.ports, journal: readsOnly }, gathered));
      }
    }
    if (next.value === "did not") return "send";
    return next.value === "cannot tell" ? unknown("The system does not tell either.") : next.value;
  } catch (error) {
    if (error instanceof StepFailed) return unknown(error.message);
    throw error;
  }
}

const unknown = (why: string): StepFailed =>
  new StepFailed(
    {
      code: "outcome_unknown",
      detail: `The request was handed over, and its answer never came. ${why}`,
      cure: "give up",
      done: "maybe",
    },
    null,
  );
