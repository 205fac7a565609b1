import type { Email } from "../../access/email.ts";
import type { PublicScope, Rooms } from "../../calls/define.ts";
import { subjectOf } from "../../calls/rate-limits.ts";
import type { Attempt, AttemptLimiter } from "../../identity/passwords/attempt-limiter.ts";
import type { HashCaller } from "../../identity/passwords/hash-queue.ts";
import { accountsKnownFrom, accountsKnownInBrowser } from "../../identity/passwords/known-sources.ts";
import { Problem } from "../../kernel/problem.ts";

/** The accounts that may be compared with a password now. */
export interface Comparable {
  /** Accounts of the address; null for all. */
  comparable: ReadonlySet<string> | null;
  caller: HashCaller;
}

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
  if (!limiter) return work({ comparable: null, caller: strangerOf(scope) });
  const begun = await beginAttempt(scope, limiter, email);
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

interface Begun extends Comparable {
  counted: Attempt[];
}

const strangerOf = ({ region, ip }: PublicScope): HashCaller => ({ region, address: subjectOf(ip) });

/**
 * A known browser or address has attempts of its own: its accounts are compared whatever strangers do. The other accounts of the
 * address are compared only where a stranger may still try. A number is how many seconds the caller has to wait.
 */
async function beginAttempt(scope: PublicScope, limiter: AttemptLimiter, email: Email): Promise<Begun | number> {
  const { db, region, browser } = scope;
  const address = subjectOf(scope.ip);
  const inBrowser = await accountsKnownInBrowser(db, email.key, browser);
  const known =
    browser && inBrowser.userIds.size > 0 ? await limiter.begin(email.key, { kind: "browser", id: browser.id }) : null;
  const counted = isAttempt(known) ? [known] : [];
  const { organizationId } = inBrowser;
  // A known browser waits with its organization, so that strangers at its address do not delay it.
  const caller = isAttempt(known) && organizationId !== null ? { region, organizationId } : strangerOf(scope);
  if (isAttempt(known) && inBrowser.isAll) return { counted, comparable: null, caller };
  const stranger = await limiter.begin(email.key, { kind: "stranger", address });
  if (isAttempt(stranger)) return { counted: [...counted, stranger], comparable: null, caller };
  if (isAttempt(known)) return { counted, comparable: inBrowser.userIds, caller };
  // Runs the same query for every address, so that timing does not reveal which accounts exist.
  const fromHere = await accountsKnownFrom(db, email.key, (each) => subjectOf(each) === address);
  const knownAddress = fromHere.size > 0 ? await limiter.begin(email.key, { kind: "known address", address }) : null;
  if (isAttempt(knownAddress)) return { counted: [knownAddress], comparable: fromHere, caller };
  return Math.min(stranger, known ?? stranger, knownAddress ?? stranger);
}

const isAttempt = (begun: Attempt | number | null): begun is Attempt => begun !== null && typeof begun !== "number";
