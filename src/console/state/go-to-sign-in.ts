import { SignalboxProblem } from "../../client/problem.ts";
import { paths } from "../paths.ts";

/** Codes that mean "sign in first". */
const signedOut = new Set([
  "credentials_missing",
  "credentials_invalid",
  "session_ended",
  "account_deactivated",
  "owner_deactivated",
]);

export const isSignedOut = (error: unknown): boolean => error instanceof SignalboxProblem && signedOut.has(error.code);

/** Leads to the sign-in page and back to where the person was. Drafts stay in the browser. */
export function goToSignIn(): void {
  const { pathname, search, hash } = window.location;
  window.location.assign(paths.signIn(`${pathname}${search}${hash}`));
}
