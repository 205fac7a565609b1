import { createRequire } from "node:module";
import type { Pool } from "undici";
import { AddressBlocked, guardedLookup, type Resolve, refuseOrigin, resolveWithSystem } from "./address-guard.ts";
import { type AccessRule, accessRulesOf, type Principal, type PrivateHost } from "./private-hosts.ts";
import { SendFailed } from "./send-failed.ts";

export interface PoolOptions {
  /** Origins that may be private and use http. Scheme, host and port must match. */
  privateOrigins: readonly PrivateHost[];
  /** Open only to accounts at the sandboxes. */
  sandboxOrigins?: readonly string[];
  /** Resolves names; the machine's resolver by default. */
  resolve?: Resolve;
  connectMilliseconds?: number;
  /** Maximum number of pools, for all organizations together. */
  originsMax?: number;
  /** Connections to an origin without calls for this time are closed. */
  idleMilliseconds?: number;
}

/**
 * Keeps connections open between calls, one pool per organization and origin, so that slow calls of one organization do
 * not delay another.
 */
export interface Pools {
  /** Throws SendFailed "blocked" if this principal may not call the origin. */
  poolFor(origin: string, principal?: Principal): Pool;
  close(): Promise<void>;
}

/** The one part that is used. The whole library, with its fetch and mocks, would take 65 ms more of each start. */
const UndiciPool: typeof Pool = createRequire(import.meta.url)("undici/lib/dispatcher/pool.js");

/** Further concurrent calls wait. No system that we know allows as many. */
const connectionsMax = 128;
/** An organization with more origins than this closes its own least used pool. */
const ownMax = 32;

interface Entry {
  pool: Pool;
  organizationId: string | undefined;
  /** Null for public addresses, which are open to all. */
  rule: AccessRule | null;
  usedSinceSweep: boolean;
}

export function createPools(options: PoolOptions): Pools {
  const rules = accessRulesOf(options.privateOrigins, options.sandboxOrigins ?? []);
  const lookup = guardedLookup(options.resolve ?? resolveWithSystem);
  const timeout = options.connectMilliseconds ?? 5000;
  const originsMax = options.originsMax ?? 1024;
  // An origin contains no space.
  const keyOf = (origin: string, principal: Principal | undefined): string =>
    `${principal?.organizationId ?? ""} ${origin}`;
  const entries = new Map<string, Entry>();
  let closed = false;

  function open(origin: string, principal: Principal | undefined): Pool {
    if (closed) throw new SendFailed("unreachable", "no", "Signalbox is stopping.");
    const rule = rules.get(origin) ?? null;
    if (rule) checkAccess(rule, origin, principal);
    const refused = rule ? null : refuseOrigin(origin);
    if (refused) throw new SendFailed("blocked", "no", refused, { cause: new AddressBlocked(refused) });
    const own = keysOf(principal?.organizationId);
    if (own.length >= ownMax) drop(leastUsed(own));
    if (entries.size >= originsMax) drop(leastUsed([...entries.keys()]));
    const pool = new UndiciPool(origin, {
      connections: connectionsMax,
      // One request at a time per connection: a broken connection then affects one call, and nothing is ever retried
      // silently.
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: 16_384,
      connect: rule ? { timeout } : { timeout, lookup },
    });
    entries.set(keyOf(origin, principal), {
      pool,
      organizationId: principal?.organizationId,
      rule,
      usedSinceSweep: true,
    });
    return pool;
  }

  /** Requests without an organization have no limit of their own. */
  const keysOf = (organizationId: string | undefined): string[] =>
    organizationId === undefined
      ? []
      : [...entries].filter(([, entry]) => entry.organizationId === organizationId).map(([key]) => key);

  /** Calls under way finish before the connections close. */
  function drop(key: string): void {
    void entries.get(key)?.pool.close();
    entries.delete(key);
  }

  const leastUsed = (keys: readonly string[]): string =>
    keys.find((key) => entries.get(key)?.usedSinceSweep === false) ?? keys[0] ?? "";

  function sweep(): void {
    for (const [key, entry] of entries) {
      if (!entry.usedSinceSweep) drop(key);
      entry.usedSinceSweep = false;
    }
  }

  const sweeper = setInterval(sweep, options.idleMilliseconds ?? 60_000).unref();

  return {
    poolFor(origin, principal) {
      const entry = entries.get(keyOf(origin, principal));
      if (!entry) return open(origin, principal);
      // The accounts of an organization share the pool, so each call checks the rule again.
      if (entry.rule) checkAccess(entry.rule, origin, principal);
      entry.usedSinceSweep = true;
      return entry.pool;
    },
    async close() {
      closed = true;
      clearInterval(sweeper);
      const pools = [...entries.values()].map(({ pool }) => pool);
      entries.clear();
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

function checkAccess(rule: AccessRule, origin: string, principal: Principal | undefined): void {
  if (rule(principal)) return;
  const cause = new AddressBlocked(`${origin} is open to others, and not to this one`);
  throw new SendFailed("blocked", "no", cause.message, { cause });
}
