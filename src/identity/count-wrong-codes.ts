import { Problem } from "../kernel/problem.ts";

/** The rate limits that count wrong sign-ins. */
export interface SignInLimits {
  admit(names: readonly ("sign_in_failure" | "auth_failure")[], subject: string): unknown;
  refund(name: "sign_in_failure", subject: string): void;
}

/**
 * Limits wrong attempts for each account. Each attempt is counted before it is checked, so that concurrent attempts get
 * no more than sequential ones, and refunded if it was right.
 */
export async function withinTries<T>(
  limits: SignInLimits,
  subject: string,
  ip: string | null,
  work: () => Promise<T>,
): Promise<T> {
  await limits.admit(["sign_in_failure"], subject);
  try {
    const done = await work();
    limits.refund("sign_in_failure", subject);
    return done;
  } catch (error) {
    if (error instanceof Problem && isWrong.has(error.code)) {
      if (ip !== null) await limits.admit(["auth_failure"], ip);
    } else {
      limits.refund("sign_in_failure", subject);
    }
    throw error;
  }
}

const isWrong = new Set<string>(["sign_in_failed", "code_refused", "password_wrong", "passkey_refused"]);
