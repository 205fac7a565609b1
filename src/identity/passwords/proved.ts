import type { Db } from "../../store/db.ts";
import { type KnownBrowser, knowsSince } from "./known-browser.ts";
import { listProvedAddresses, listWithPassword } from "./proved.store.ts";

/** Which accounts of an address have been opened before from where somebody tries now, since their passwords were last changed. */
export interface Proved {
  userIds: Set<string>;
  /** Whether the address has no other accounts. */
  isAll: boolean;
}

export async function provedInBrowser(db: Db, emailKey: string, browser: KnownBrowser | null): Promise<Proved> {
  if (browser === null) return { userIds: new Set(), isAll: false };
  const accounts = await listWithPassword(db, emailKey);
  const known = accounts.filter(({ id, changed_at: changedAt }) => knowsSince(browser, id, changedAt));
  return { userIds: new Set(known.map(({ id }) => id)), isAll: known.length > 0 && known.length === accounts.length };
}

/** `isHere` says whether an address belongs to the network that the try comes from. */
export async function provedFrom(db: Db, emailKey: string, isHere: (ip: string) => boolean): Promise<Set<string>> {
  const rows = await listProvedAddresses(db, emailKey);
  return new Set(rows.filter(({ ip }) => isHere(ip)).map(({ id }) => id));
}
