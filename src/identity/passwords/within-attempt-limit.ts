import type { Email } from "../../access/email.ts";
import { Problem } from "../../kernel/problem.ts";
import type { SignInLimits } from "../count-wrong-codes.ts";
import type { PublicScope } from "../public-scope.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import { beginAttempt, type Comparable, strangerOf } from "./begin-attempt.ts";

/** The rate limits, as far as they count passwords. */
export interface AttemptLimits extends SignInLimits {
  /** Null where limits are off. */
  signInAttempts: AttemptLimiter | null;
  /** Refuses with 429 and the time to wait. */
  refuse(name: "sign_in_failure", secondsLeft: number): never;
  /** The network of an address, under which its calls are counted. */
  networkOf(ip: string): string;
}

/**
 * "Sign-in attempts are limited by region, account and address of the caller together." Each attempt is counted before
 * the password is compared. The count is undone where the password was right, or where nothing was compared.
 */
export async function withinAttemptLimit<T>(
  scope: PublicScope,
  limits: AttemptLimits,
  email: Email,
  work: (comparable: Comparable) => Promise<T>,
): Promise<T> {
  const { signInAttempts: limiter, networkOf } = limits;
  const source = { ...scope, address: networkOf(scope.ip), networkOf };
  if (!limiter) return work({ comparable: null, caller: strangerOf(source) });
  const begun = await beginAttempt(source, limiter, email);
  if (typeof begun === "number") limits.refuse("sign_in_failure", begun);
  try {
    const done = await work(begun);
    for (const each of begun.counted) await each.succeeded();
    return done;
  } catch (error) {
    const isWrong = error instanceof Problem && error.code === "sign_in_failed";
    if (!isWrong) for (const each of begun.counted) await each.undo();
    else await limits.admit(["auth_failure"], scope.ip);
    throw error;
  }
}
