import type { Email } from "../../access/email.ts";
import type { PublicScope, Rooms } from "../../calls/define.ts";
import { subjectOf } from "../../calls/rate-limits.ts";
import type { Attempt, AttemptLimiter } from "../../identity/passwords/attempt-limiter.ts";
import { accountsKnownFrom, accountsKnownInBrowser } from "../../identity/passwords/known-sources.ts";
import { Problem } from "../../kernel/problem.ts";

/** Which accounts of the address a password may be compared with: all of them where it is null. */
export type Comparable = ReadonlySet<string> | null;

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
  if (!limiter) return work(null);
  const begun = await beginAttempt(scope, limiter, email);
  if (typeof begun === "number") rooms.limits.refuse("sign_in_failure", begun);
  try {
    const done = await work(begun.comparable);
    for (const each of begun.counted) each.succeeded();
    return done;
  } catch (error) {
    const isWrong = error instanceof Problem && error.code === "sign_in_failed";
    if (!isWrong) for (const each of begun.counted) each.undo();
    else rooms.limits.admit(["auth_failure"], scope.ip);
    throw error;
  }
}

interface Begun {
  counted: Attempt[];
  comparable: Comparable;
}

/**
 * A known browser or address has attempts of its own: its accounts are compared whatever strangers do. The other accounts of the
 * address are compared only where a stranger may still try. A number is how many seconds the caller has to wait.
 */
async function beginAttempt(
  { db, browser, ip }: PublicScope,
  limiter: AttemptLimiter,
  email: Email,
): Promise<Begun | number> {
  const address = subjectOf(ip);
  const inBrowser = await accountsKnownInBrowser(db, email.key, browser);
  const known =
    browser && inBrowser.userIds.size > 0 ? limiter.begin(email.key, { kind: "browser", id: browser.id }) : null;
  const counted = isAttempt(known) ? [known] : [];
  if (isAttempt(known) && inBrowser.isAll) return { counted, comparable: null };
  const stranger = limiter.begin(email.key, { kind: "stranger", address });
  if (isAttempt(stranger)) return { counted: [...counted, stranger], comparable: null };
  if (isAttempt(known)) return { counted, comparable: inBrowser.userIds };
  // One statement for every address that somebody can type, so that the clock tells nothing about who has an account.
  const fromHere = await accountsKnownFrom(db, email.key, (each) => subjectOf(each) === address);
  const knownAddress = fromHere.size > 0 ? limiter.begin(email.key, { kind: "known address", address }) : null;
  if (isAttempt(knownAddress)) return { counted: [knownAddress], comparable: fromHere };
  return Math.min(stranger, known ?? stranger, knownAddress ?? stranger);
}

const isAttempt = (begun: Attempt | number | null): begun is Attempt => begun !== null && typeof begun !== "number";
