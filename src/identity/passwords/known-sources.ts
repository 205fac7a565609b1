import type { Db } from "../../store/db.ts";
import { type KnownBrowser, knowsSince } from "./known-browser.ts";
import { listSignInAddresses, listWithPassword } from "./passwords.store.ts";

/** The accounts of an e-mail address to which this source has signed in since their passwords last changed. */
export interface KnownAccounts {
  userIds: Set<string>;
  /** The organization of the first of them. */
  organizationId: string | null;
  /** Whether these are all accounts of the address. */
  isAll: boolean;
}

export async function accountsKnownInBrowser(
  db: Db,
  emailKey: string,
  browser: KnownBrowser | null,
): Promise<KnownAccounts> {
  if (browser === null) return { userIds: new Set(), organizationId: null, isAll: false };
  const accounts = await listWithPassword(db, emailKey);
  const known = accounts.filter(({ id, changed_at: changedAt }) => knowsSince(browser, id, changedAt));
  return {
    userIds: new Set(known.map(({ id }) => id)),
    organizationId: known[0]?.organization_id ?? null,
    isAll: known.length > 0 && known.length === accounts.length,
  };
}

/** `isHere` says whether an address belongs to the network that the attempt comes from. */
export async function accountsKnownFrom(
  db: Db,
  emailKey: string,
  isHere: (ip: string) => boolean,
): Promise<Set<string>> {
  const rows = await listSignInAddresses(db, emailKey);
  return new Set(rows.filter(({ ip }) => isHere(ip)).map(({ id }) => id));
}
