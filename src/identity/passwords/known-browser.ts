import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Seal } from "../../vault/sealing/seal.ts";

/**
 * A browser that has signed in before, as its cookie says («device cookies», OWASP): whatever strangers get wrong at the account, this
 * browser has tries of its own. The cookie opens nothing. It is sealed, so nobody can make one up or read whose it is.
 */
export interface KnownBrowser {
  id: string;
  accounts: KnownAccount[];
}

export interface KnownAccount {
  userId: string;
  /** When somebody last showed in this browser that the account is theirs. */
  at: number;
  /** With more than a password: a passkey, or a one-time code beside it. */
  strongly: boolean;
}

/** A cookie has 4 KiB, and few people have more accounts. */
const accountsMax = 8;

const placeOf = (region: Region): string => `known browser|${region}`;

/** Null for one that is not ours, or that a master key sealed which is gone. */
export function readKnownBrowser(seal: Seal, region: Region, cookie: string | null): KnownBrowser | null {
  if (cookie === null) return null;
  try {
    // Sealed by `writeKnownBrowser` for this region.
    return JSON.parse(seal.open(cookie, placeOf(region))) as KnownBrowser;
  } catch {
    return null;
  }
}

export const writeKnownBrowser = (seal: Seal, region: Region, browser: KnownBrowser): string =>
  seal.seal(JSON.stringify(browser), placeOf(region));

/** The browser after somebody has shown in it that the account is theirs. */
export function afterProof(browser: KnownBrowser | null, account: KnownAccount): KnownBrowser {
  const accounts = browser?.accounts ?? [];
  const before = accounts.find(({ userId }) => userId === account.userId);
  const others = accounts.filter((each) => each !== before);
  const now = { ...account, strongly: account.strongly || (before?.strongly ?? false) };
  return { id: browser?.id ?? randomBase62(22), accounts: [now, ...others].slice(0, accountsMax) };
}

/** Whoever knew an earlier password of the account is nobody special any longer. */
export const knowsSince = (browser: KnownBrowser | null, userId: string, changedAt: string | null): boolean =>
  browser?.accounts.some((each) => each.userId === userId && isSince(each.at, changedAt)) ?? false;

/** The same, for what guards more than a password does. */
export const knowsStrongly = (browser: KnownBrowser | null, userId: string, changedAt: string | null): boolean =>
  browser?.accounts.some((each) => each.userId === userId && each.strongly && isSince(each.at, changedAt)) ?? false;

const isSince = (at: number, changedAt: string | null): boolean => changedAt === null || at >= Date.parse(changedAt);
