import type { Failure, StepRequest } from "../systems/work.ts";
import type { SendFailed } from "../transport/outbound.ts";

/** What has been tried for one request so far. */
export interface Tried {
  /** Attempts that ended in trouble of the network or the system. */
  troubles: number;
  /** Times that a limit was met in spite of ours. */
  waits: number;
  freshToken: boolean;
  /** It was sent and no answer came: it may have happened, whatever later tries say. */
  lost: boolean;
}

export type Decision =
  | { verdict: "again"; afterMilliseconds: number; counts: "trouble" | "wait" | "token" }
  | { verdict: "fail"; failure: Failure };

const troublesMax = 3;
const waitsMax = 5;
const firstPauseMilliseconds = 400;

/**
 * "Retries only where safe: by effect, idempotency and what is known of the failure." A write that
 * may have happened and would happen twice is never sent again: its outcome is unknown.
 */
export function decide(
  request: Pick<StepRequest, "effect" | "idempotent">,
  failure: Failure,
  tried: Tried,
  time: { millisecondsLeft: number; random: number },
): Decision {
  const isRead = request.effect === "read";
  const repeatable = failure.done === "no" || isRead || request.idempotent;
  if (!repeatable) return { verdict: "fail", failure: unknown(failure) };
  const fail: Decision = { verdict: "fail", failure: isRead ? failure : ofWrite(failure, tried) };
  switch (failure.cure) {
    case "fresh token":
      return tried.freshToken ? fail : { verdict: "again", afterMilliseconds: 0, counts: "token" };
    case "wait": {
      const afterMilliseconds = (failure.waitSeconds ?? 2 ** tried.waits) * 1000 + time.random * 250;
      const fits = tried.waits < waitsMax && afterMilliseconds <= time.millisecondsLeft;
      return fits ? { verdict: "again", afterMilliseconds, counts: "wait" } : fail;
    }
    case "try again": {
      if (tried.troubles + 1 >= troublesMax) return fail;
      const afterMilliseconds = firstPauseMilliseconds * 2 ** tried.troubles * (0.5 + time.random);
      return { verdict: "again", afterMilliseconds, counts: "trouble" };
    }
    case "give up":
      return fail;
  }
}

/**
 * How a repeatable write ends that never succeeded. A refusal of the last try holds for all tries, unless the first may have caused
 * it: the thing is approved or gone already. Any other failure says nothing about the try whose answer was lost.
 */
function ofWrite(failure: Failure, { lost }: Tried): Failure {
  const isOfState = failure.code === "conflict_there" || failure.code === "not_found_there";
  const isRefusal =
    failure.done === "no" && (failure.cure === "give up" || failure.cure === "fresh token") && !isOfState;
  if (lost && !isRefusal) return unknown(failure);
  if (failure.done === "no" || failure.remedy !== undefined) return failure;
  return { ...failure, remedy: "It may have been done all the same. Call again later: doing it twice does no harm." };
}

function unknown(failure: Failure): Failure {
  return {
    code: "outcome_unknown",
    detail: `The request was sent, and its outcome is not known: ${failure.detail}`,
    cure: "give up",
    done: "maybe",
    ...(failure.systemCode === undefined ? {} : { systemCode: failure.systemCode }),
  };
}

/** The failure that a request without an answer amounts to. */
export function failureOfSending(error: SendFailed, request: Pick<StepRequest, "effect">): Failure {
  const writes = request.effect !== "read";
  switch (error.reason) {
    case "blocked":
      return {
        code: "policy_denied",
        detail: `The address may not be called: ${error.message}`,
        remedy:
          "Addresses in private networks are called only where the operator lists them in SIGNALBOX_PRIVATE_HOSTS or SIGNALBOX_PRIVATE_HOSTS_STEPS.",
        cure: "give up",
        done: "no",
      };
    case "redirected":
      return {
        code: "invalid_there",
        detail: `The system sent the call elsewhere, and credentials do not follow: ${error.message}`,
        remedy: "Check the address of the account and the path of the call.",
        cure: "give up",
        done: writes ? "maybe" : "no",
      };
    case "too large":
      return { code: "response_too_large", detail: error.message, cure: "give up", done: error.sent };
    case "timed out":
      return { code: "timed_out", detail: error.message, cure: "try again", done: error.sent };
    case "unreadable":
      return { code: "system_unavailable", detail: error.message, cure: "give up", done: error.sent };
    default:
      return { code: "system_unavailable", detail: error.message, cure: "try again", done: error.sent };
  }
}
