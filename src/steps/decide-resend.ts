import type { Failure, StepRequest } from "../systems/work.ts";
import type { SendFailed } from "../transport/outbound.ts";

/** The attempts at one request so far. */
export interface RetryState {
  /** Attempts that failed in the network or at the system. */
  failures: number;
  /** How often the system reported a limit that ours had not. */
  waits: number;
  freshToken: boolean;
}

export type Decision = { afterMilliseconds: number; counts: "failure" | "wait" | "token" } | "give up";

const failuresMax = 3;
const waitsMax = 5;
const firstPauseMilliseconds = 400;

/**
 * "Retries only where safe: by effect, idempotency and what is known of the failure." A write that may have happened
 * and would happen twice is never sent again.
 */
export function decide(
  { effect, idempotent }: Pick<StepRequest, "effect" | "idempotent">,
  failure: Failure,
  tried: RetryState,
  time: { millisecondsLeft: number; random: number },
): Decision {
  if (failure.done === "maybe" && effect !== "read" && !idempotent) return "give up";
  switch (failure.cure) {
    case "fresh token":
      return tried.freshToken ? "give up" : { afterMilliseconds: 0, counts: "token" };
    case "wait": {
      const afterMilliseconds = (failure.waitSeconds ?? 2 ** tried.waits) * 1000 + time.random * 250;
      const fits = tried.waits < waitsMax && afterMilliseconds <= time.millisecondsLeft;
      return fits ? { afterMilliseconds, counts: "wait" } : "give up";
    }
    case "try again": {
      if (tried.failures + 1 >= failuresMax) return "give up";
      const afterMilliseconds = firstPauseMilliseconds * 2 ** tried.failures * (0.5 + time.random);
      return { afterMilliseconds, counts: "failure" };
    }
    case "give up":
      return "give up";
  }
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
