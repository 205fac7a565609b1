import { failed } from "../systems/fail-step.ts";
import type { SignInFailed } from "../systems/sign-in.ts";
import { type Failure, StepFailed } from "../systems/work.ts";

export function needsReconnect(state: string, reason: string | null): Failure {
  const what = state === "removed" ? "The connection was removed." : "The connection needs to be reconnected.";
  return failed("needs_reconnect", "give up", reason ? `${what} ${reason}` : what);
}

export const notConnected = (state: string, reason: string | null): StepFailed =>
  new StepFailed(needsReconnect(state, reason), null);

export const unavailable = (detail: string): StepFailed =>
  new StepFailed(failed("system_unavailable", "try again", detail), null);

/** A lost grant needs the user; a wrong client needs the operator; everything else passes by itself. */
export function failureOf(error: SignInFailed, signInMethod: string): StepFailed {
  const more = error.remedy === null ? {} : { remedy: error.remedy };
  if (error.isGrantLost && signInMethod !== "client_credentials")
    return new StepFailed(failed("needs_reconnect", "give up", error.message, more), null);
  if (error.reason === "invalid_credentials" || error.reason === "missing_permissions") {
    return new StepFailed(failed("authentication_failed", "give up", error.message, more), null);
  }
  return unavailable(error.message);
}
