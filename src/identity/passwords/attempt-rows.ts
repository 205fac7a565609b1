import { hash } from "node:crypto";
import { randomBase62 } from "../../kernel/random.ts";

/** Failed attempts of one source at one account. */
export interface Failures {
  count: number;
  at: number;
  notBefore: number;
}

/** Whether strangers' attempts come from addresses that failed within a day. */
type Strangers = "fresh" | "repeated";

/** Where the counts of `attempt-limiter.ts` are. A budget is the moment until which it is used; 0 if it is not. */
export interface AttemptRows {
  source(key: string): Failures | undefined;
  setSource(key: string, failures: Failures | null): void;
  address(address: string): number;
  setAddress(address: string, until: number): void;
  account(kind: Strangers, account: string): number;
  setAccount(kind: Strangers, account: string, until: number): void;
  sweep(now: number): void;
}

/** An address that failed is remembered for a day, and does not count as fresh until then. */
export const rememberedMilliseconds = 86_400_000;
const sourcesMax = 100_000;
const oldestLookedAt = 50;
const accountSlots = 65_536;

/**
 * Memory is bounded, and filling it resets no limit. An account's count over all strangers is one of 65,536 slots, chosen by a hash
 * with a secret of this process. A slot is never dropped; two accounts in one slot only wait together, and to fill it an attacker has
 * to try every few seconds. Counts of sources can be dropped, the smallest of the oldest first. Made-up accounts would need hundreds
 * of networks to get there, since each may fill a limited number of rows. They would win ten fresh attempts for one address, and the
 * slot of the account still counts those.
 */
export function createRowsInMemory(): AttemptRows {
  const failures = new Map<string, Failures>();
  const addresses = new Map<string, number>();
  const [ofFresh, ofRepeated] = [new Float64Array(accountSlots), new Float64Array(accountSlots)];
  const secret = randomBase62(22);
  const slotOf = (account: string): number => hash("sha256", `${secret}${account}`, "buffer").readUInt16BE();
  return {
    source: (key) => failures.get(key),
    setSource(key, given) {
      failures.delete(key);
      if (!given) return;
      makeRoom(failures, ({ count }) => count);
      failures.set(key, given);
    },
    address: (address) => addresses.get(address) ?? 0,
    setAddress(address, until) {
      addresses.delete(address);
      makeRoom(addresses, (each) => each);
      addresses.set(address, until);
    },
    account: (kind, account) => (kind === "fresh" ? ofFresh : ofRepeated)[slotOf(account)] as number,
    setAccount(kind, account, until) {
      (kind === "fresh" ? ofFresh : ofRepeated)[slotOf(account)] = until;
    },
    sweep(now) {
      for (const [key, { at }] of failures) if (at + rememberedMilliseconds <= now) failures.delete(key);
      for (const [address, until] of addresses) if (until <= now) addresses.delete(address);
    },
  };
}

/** Rows are in the order of their last attempt. Drops the one with the smallest count among the oldest few. */
function makeRoom<T>(rows: Map<string, T>, weightOf: (row: T) => number): void {
  if (rows.size < sourcesMax) return;
  let least: [key: string, weight: number] | null = null;
  let looked = 0;
  for (const [key, row] of rows) {
    const weight = weightOf(row);
    if (least === null || weight < least[1]) least = [key, weight];
    if (++looked >= oldestLookedAt) break;
  }
  if (least) rows.delete(least[0]);
}
