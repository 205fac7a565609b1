import { failed } from "../systems/failed.ts";
import type { SignInFailed } from "../systems/sign-in.ts";
import { type Failure, StepFailed } from "../systems/work.ts";

/** Why there is no token, as the failure of the step that needs one. */

export function needsReconnect(state: string, reason: string | null): Failure {
  const what = state === "removed" ? "The connection was removed." : "The connection needs to be reconnected.";
  return failed("needs_reconnect", "give up", reason ? `${what} ${reason}` : what);
}

export const stopped = (state: string, reason: string | null): StepFailed =>
  new StepFailed(needsReconnect(state, reason), null);

export const unavailable = (detail: string): StepFailed =>
  new StepFailed(failed("system_unavailable", "try again", detail), null);

/** A grant that is gone asks for a person; a wrong client for the operator; the rest passes by itself. */
export function failureOf(error: SignInFailed, wayIn: string): StepFailed {
  const more = error.remedy === null ? {} : { remedy: error.remedy };
  if (error.isGone && wayIn !== "client_credentials")
    return new StepFailed(failed("needs_reconnect", "give up", error.message, more), null);
  if (error.reason === "invalid_credentials" || error.reason === "missing_permissions") {
    return new StepFailed(failed("authentication_failed", "give up", error.message, more), null);
  }
  return unavailable(error.message);
}
