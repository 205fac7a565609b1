import type { Email } from "../../access/email.ts";
import type { Rooms } from "../../calls/define-operation.ts";
import { subjectOf } from "../../calls/rate-limits/counted-subject.ts";
import { beginAttempt, type Comparable, strangerOf } from "../../identity/passwords/begin-attempt.ts";
import type { PublicScope } from "../../identity/public-scope.ts";
import { Problem } from "../../kernel/problem.ts";

/**
 * "Sign-in attempts are limited by region, account and address of the caller together." Each attempt is counted before
 * the password is compared. The count is undone where the password was right, or where nothing was compared.
 */
export async function withinAttemptLimit<T>(
  scope: PublicScope,
  rooms: Rooms,
  email: Email,
  work: (comparable: Comparable) => Promise<T>,
): Promise<T> {
  const { signInAttempts: limiter } = rooms.limits;
  const source = { ...scope, address: subjectOf(scope.ip), networkOf: subjectOf };
  if (!limiter) return work({ comparable: null, caller: strangerOf(source) });
  const begun = await beginAttempt(source, limiter, email);
  if (typeof begun === "number") rooms.limits.refuse("sign_in_failure", begun);
  try {
    const done = await work(begun);
    for (const each of begun.counted) await each.succeeded();
    return done;
  } catch (error) {
    const isWrong = error instanceof Problem && error.code === "sign_in_failed";
    if (!isWrong) for (const each of begun.counted) await each.undo();
    else await rooms.limits.admit(["auth_failure"], scope.ip);
    throw error;
  }
}
