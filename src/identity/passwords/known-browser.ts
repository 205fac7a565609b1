import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Seal } from "../../vault/sealing/seal.ts";

/**
 * A browser that has signed in before, as its cookie says («device cookies», OWASP). It has its own attempts, whatever
 * strangers get wrong at the account. The cookie grants no access. It is sealed, so it can be neither forged nor read.
 */
export interface KnownBrowser {
  id: string;
  accounts: KnownAccount[];
}

export interface KnownAccount {
  userId: string;
  /** When a user last signed in to the account in this browser. */
  at: number;
  /** With more than a password: a passkey, or a one-time code. */
  strongly: boolean;
}

/** A cookie holds 4 KiB, and few people have more accounts. */
const accountsMax = 8;

const sealContext = (region: Region): string => `known browser|${region}`;

/** Returns null for a forged cookie, or one that an old master key sealed. */
export function readKnownBrowser(seal: Seal, region: Region, cookie: string | null): KnownBrowser | null {
  if (cookie === null) return null;
  try {
    // `writeKnownBrowser` sealed it for this region.
    return JSON.parse(seal.open(cookie, sealContext(region))) as KnownBrowser;
  } catch {
    // The browser counts as unknown, as said above.
    return null;
  }
}

export const writeKnownBrowser = (seal: Seal, region: Region, browser: KnownBrowser): string =>
  seal.seal(JSON.stringify(browser), sealContext(region));

/** Adds an account after a successful sign-in. */
export function afterProof(browser: KnownBrowser | null, account: KnownAccount): KnownBrowser {
  const accounts = browser?.accounts ?? [];
  const before = accounts.find(({ userId }) => userId === account.userId);
  const others = accounts.filter((each) => each !== before);
  const now = { ...account, strongly: account.strongly || (before?.strongly ?? false) };
  return { id: browser?.id ?? randomBase62(22), accounts: [now, ...others].slice(0, accountsMax) };
}

/** A sign-in with an earlier password does not count. */
export const knowsSince = (browser: KnownBrowser | null, userId: string, changedAt: string | null): boolean =>
  browser?.accounts.some((each) => each.userId === userId && isSince(each.at, changedAt)) ?? false;

/** The same with more than a password. */
export const knowsStrongly = (browser: KnownBrowser | null, userId: string, changedAt: string | null): boolean =>
  browser?.accounts.some((each) => each.userId === userId && each.strongly && isSince(each.at, changedAt)) ?? false;

const isSince = (at: number, changedAt: string | null): boolean => changedAt === null || at >= Date.parse(changedAt);
