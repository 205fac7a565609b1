import type { Email } from "../../access/email.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import type { Attempt, AttemptLimiter } from "./attempt-limiter.ts";
import type { HashCaller } from "./hash-queue.ts";
import type { KnownBrowser } from "./known-browser.ts";
import { accountsKnownFrom, accountsKnownInBrowser } from "./known-sources.ts";

/** Where an attempt comes from. */
export interface AttemptSource {
  db: Db;
  region: Region;
  browser: KnownBrowser | null;
  /** The network of the caller, as `networkOf` names it. */
  address: string;
  networkOf(ip: string): string;
}

/** The accounts that may be compared with a password now. */
export interface Comparable {
  /** Accounts of the address; null for all. */
  comparable: ReadonlySet<string> | null;
  caller: HashCaller;
}

interface Begun extends Comparable {
  counted: Attempt[];
}

export const strangerOf = ({ region, address }: Pick<AttemptSource, "region" | "address">): HashCaller => ({
  region,
  address,
});

/**
 * A known browser or address has attempts of its own: its accounts are compared whatever strangers do. The other accounts of the
 * address are compared only where a stranger may still try. A number is how many seconds the caller has to wait.
 */
export async function beginAttempt(
  source: AttemptSource,
  limiter: AttemptLimiter,
  email: Email,
): Promise<Begun | number> {
  const { db, region, browser, address } = source;
  const inBrowser = await accountsKnownInBrowser(db, email.key, browser);
  const known =
    browser && inBrowser.userIds.size > 0 ? await limiter.begin(email.key, { kind: "browser", id: browser.id }) : null;
  const counted = isAttempt(known) ? [known] : [];
  const { organizationId } = inBrowser;
  // A known browser waits with its organization, so that strangers at its address do not delay it.
  const caller = isAttempt(known) && organizationId !== null ? { region, organizationId } : strangerOf(source);
  if (isAttempt(known) && inBrowser.isAll) return { counted, comparable: null, caller };
  const stranger = await limiter.begin(email.key, { kind: "stranger", address });
  if (isAttempt(stranger)) return { counted: [...counted, stranger], comparable: null, caller };
  if (isAttempt(known)) return { counted, comparable: inBrowser.userIds, caller };
  // Runs the same query for every address, so that timing does not reveal which accounts exist.
  const fromHere = await accountsKnownFrom(db, email.key, (each) => source.networkOf(each) === address);
  const knownAddress = fromHere.size > 0 ? await limiter.begin(email.key, { kind: "known address", address }) : null;
  if (isAttempt(knownAddress)) return { counted: [knownAddress], comparable: fromHere, caller };
  return Math.min(stranger, known ?? stranger, knownAddress ?? stranger);
}

const isAttempt = (begun: Attempt | number | null): begun is Attempt => begun !== null && typeof begun !== "number";
