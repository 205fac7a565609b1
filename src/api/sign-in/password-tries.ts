import type { Email } from "../../access/email.ts";
import type { PublicScope, Rooms } from "../../calls/define.ts";
import { subjectOf } from "../../calls/rate-limits.ts";
import { provedFrom, provedInBrowser } from "../../identity/passwords/proved.ts";
import type { Tries, Try } from "../../identity/passwords/tries.ts";
import { Problem } from "../../kernel/problem.ts";

/** Which accounts of the address a password may be compared with: all of them where it is null. */
export type Comparable = ReadonlySet<string> | null;

/**
 * "Sign-in attempts are limited by region, account and address of the caller together." Each try is counted before it is looked at,
 * and given back where it was right, or where nobody looked at it.
 */
export async function withinPasswordTries<T>(
  scope: PublicScope,
  rooms: Rooms,
  email: Email,
  work: (comparable: Comparable) => Promise<T>,
): Promise<T> {
  const { tries } = rooms.limits;
  if (!tries) return work(null);
  const begun = await beginTry(scope, tries, email);
  if (typeof begun === "number") rooms.limits.refuse("sign_in_failure", begun);
  try {
    const done = await work(begun.comparable);
    for (const each of begun.counted) each.right();
    return done;
  } catch (error) {
    const isWrong = error instanceof Problem && error.code === "sign_in_failed";
    if (!isWrong) for (const each of begun.counted) each.undo();
    else rooms.limits.admit(["auth_failure"], scope.ip);
    throw error;
  }
}

interface Begun {
  counted: Try[];
  comparable: Comparable;
}

/**
 * What was proved before has tries of its own, and is compared whatever strangers do; the other accounts of the address only
 * where a stranger may try. A number says for how many seconds nothing at all may be compared.
 */
async function beginTry({ db, browser, ip }: PublicScope, tries: Tries, email: Email): Promise<Begun | number> {
  const address = subjectOf(ip);
  const inBrowser = await provedInBrowser(db, email.key, browser);
  const known =
    browser && inBrowser.userIds.size > 0 ? tries.begin(email.key, { kind: "browser", id: browser.id }) : null;
  const counted = isTry(known) ? [known] : [];
  if (isTry(known) && inBrowser.isAll) return { counted, comparable: null };
  const stranger = tries.begin(email.key, { kind: "stranger", address });
  if (isTry(stranger)) return { counted: [...counted, stranger], comparable: null };
  if (isTry(known)) return { counted, comparable: inBrowser.userIds };
  // One statement for every address that somebody can type, so that the clock tells nothing about who has an account.
  const fromHere = await provedFrom(db, email.key, (each) => subjectOf(each) === address);
  const proved = fromHere.size > 0 ? tries.begin(email.key, { kind: "proved", address }) : null;
  if (isTry(proved)) return { counted: [proved], comparable: fromHere };
  return Math.min(stranger, known ?? stranger, proved ?? stranger);
}

const isTry = (begun: Try | number | null): begun is Try => begun !== null && typeof begun !== "number";
