import type { Failure, StepRequest } from "../systems/work.ts";
import type { SendFailed } from "../transport/outbound.ts";

/** The attempts at one request so far. */
export interface RetryState {
  /** Attempts that failed in the network or at the system. */
  failures: number;
  /** How often the system reported a limit that ours had not. */
  waits: number;
  freshToken: boolean;
  /** An attempt was sent and got no answer: it may have happened, whatever later attempts return. */
  lost: boolean;
}

export type Decision =
  | { verdict: "again"; afterMilliseconds: number; counts: "failure" | "wait" | "token" }
  | { verdict: "fail"; failure: Failure };

const failuresMax = 3;
const waitsMax = 5;
const firstPauseMilliseconds = 400;

/**
 * "Retries only where safe: by effect, idempotency and what is known of the failure." A write that may have happened
 * and would happen twice is never sent again: its outcome is unknown.
 */
export function decide(
  request: Pick<StepRequest, "effect" | "idempotent">,
  failure: Failure,
  tried: RetryState,
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
      if (tried.failures + 1 >= failuresMax) return fail;
      const afterMilliseconds = firstPauseMilliseconds * 2 ** tried.failures * (0.5 + time.random);
      return { verdict: "again", afterMilliseconds, counts: "failure" };
    }
    case "give up":
      return fail;
  }
}

/**
 * The failure of a repeatable write that never succeeded. A refusal of the last attempt holds for all of them, unless
 * an earlier one may have caused it: the record is approved or deleted already. Any other failure says nothing about
 * the attempt whose answer was lost.
 */
function ofWrite(failure: Failure, { lost }: RetryState): Failure {
  const isOfState = failure.code === "conflict_there" || failure.code === "not_found_there";
  const isRefusal =
    failure.done === "no" && (failure.cure === "give up" || failure.cure === "fresh token") && !isOfState;
  if (lost && !isRefusal) return unknown(failure);
  if (failure.done === "no" || failure.remedy !== undefined) return failure;
  return { ...failure, remedy: "The request may have taken effect. Call again later: a repeat does no harm." };
}

function unknown(failure: Failure): Failure {
  return {
    code: "outcome_unknown",
    detail: `The request was sent, and its outcome is not known. ${failure.detail}`,
    cure: "give up",
    done: "maybe",
    ...(failure.systemCode === undefined ? {} : { systemCode: failure.systemCode }),
  };
}

/** The failure of a request that got no answer. */
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
