import type { Store } from "../../store/db.ts";
import { type AttemptLimiter, type AttemptRate, type AttemptSource, createAttemptLimiter } from "./attempt-limiter.ts";
import type { AttemptRows, Failures } from "./attempt-rows.ts";
import { type AttemptRow, deleteOldAttempts, lockAttempts, saveAttempts } from "./attempts.store.ts";

/**
 * The limiter of `attempt-limiter.ts` over rows that all nodes share: one short transaction for each attempt, beside a password hash
 * that takes much longer. Attempts are exact whichever nodes they reach. Without the database nothing is admitted: no password could
 * be compared either.
 */
export function createSharedAttempts(store: Store, rate: AttemptRate): AttemptLimiter {
  return {
    async begin(account, source) {
      const keys = keysOf(account, source);
      // The limiter works on the rows of the transaction that is under way.
      let rows = viewOf(new Map());
      let now = 0;
      const limiter = createAttemptLimiter(rate, () => now, {
        source: (key) => rows.source(key),
        setSource: (key, failures) => rows.setSource(key, failures),
        address: (address) => rows.address(address),
        setAddress: (address, until) => rows.setAddress(address, until),
        account: (kind, name) => rows.account(kind, name),
        setAccount: (kind, name, until) => rows.setAccount(kind, name, until),
        sweep: () => {},
      });
      const inTransaction = <T>(work: () => T): Promise<T> =>
        store.transaction(async (db) => {
          const locked = await lockAttempts(db, keys);
          now = locked.now;
          rows = viewOf(withoutFuture(locked.rows, now, rate));
          const result = work();
          await saveAttempts(db, rows.changed);
          return result;
        });
      const begun = await inTransaction(() => limiter.begin(account, source));
      if (typeof begun === "number") return begun;
      return {
        succeeded: () => inTransaction(begun.succeeded).catch(staysCounted),
        undo: () => inTransaction(begun.undo).catch(staysCounted),
      };
    },
    sweep: () => void store.transaction(deleteOldAttempts).catch(staysCounted),
  };
}

/**
 * The database's clock was ahead when these were written, and is set back. No budget reaches further than a window; twice as far, because
 * a clock that is set back by less must not give anybody new attempts.
 */
function withoutFuture(
  read: ReadonlyMap<string, AttemptRow>,
  now: number,
  { windowSeconds }: AttemptRate,
): ReadonlyMap<string, AttemptRow> {
  const latest = now + 2 * windowSeconds * 1000;
  const toNow = ({ failures, at, until }: AttemptRow): AttemptRow => ({
    failures,
    at: Math.min(at, now),
    until: Math.min(until, now),
  });
  return new Map([...read].map(([key, row]) => [key, Math.max(row.at, row.until) > latest ? toNow(row) : row]));
}

/** While the store is away, an attempt that cannot be taken back stays counted, and old ones are deleted later. */
const staysCounted = (): void => {};

const addressKey = (address: string): string => `address ${address}`;
const accountKey = (kind: string, account: string): string => `${kind} ${account}`;
const sourceKey = (key: string): string => `source ${key}`;

function keysOf(account: string, source: AttemptSource): string[] {
  if (source.kind === "browser") return [sourceKey(`${account}|browser ${source.id}`)];
  const own = sourceKey(`${account}|${source.address}`);
  if (source.kind === "known address") return [own];
  return [own, addressKey(source.address), accountKey("fresh", account), accountKey("repeated", account)];
}

/** Rows that were read, as the limiter changes them. */
function viewOf(read: ReadonlyMap<string, AttemptRow>): AttemptRows & { changed: Map<string, AttemptRow | null> } {
  const changed = new Map<string, AttemptRow | null>();
  const find = (key: string): AttemptRow | null | undefined => (changed.has(key) ? changed.get(key) : read.get(key));
  const untilOf = (key: string): number => find(key)?.until ?? 0;
  const setUntil = (key: string, until: number): void => void changed.set(key, { failures: 0, at: 0, until });
  return {
    changed,
    source: (key) => failuresIn(find(sourceKey(key))),
    setSource(key, failures) {
      changed.set(sourceKey(key), failures && { failures: failures.count, at: failures.at, until: failures.notBefore });
    },
    address: (address) => untilOf(addressKey(address)),
    setAddress: (address, until) => setUntil(addressKey(address), until),
    account: (kind, account) => untilOf(accountKey(kind, account)),
    setAccount: (kind, account, until) => setUntil(accountKey(kind, account), until),
    sweep: () => {},
  };
}

const failuresIn = (row: AttemptRow | null | undefined): Failures | undefined =>
  row ? { count: row.failures, at: row.at, notBefore: row.until } : undefined;
