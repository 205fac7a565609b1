import { Pool } from "undici";
import { AddressBlocked, guardedLookup, type Resolve, refuseOrigin, resolveByMachine } from "./address-guard.ts";
import { type AccessRule, accessRulesOf, type Principal, type PrivateHost } from "./private-hosts.ts";
import { SendFailed } from "./send-failed.ts";

export interface PoolOptions {
  /** Origins that may be private, and http: scheme, host and port must be the same. There is no other exemption, */
  privateOrigins: readonly PrivateHost[];
  /** but the sandboxes, and those for accounts at the sandboxes alone. */
  sandboxOrigins?: readonly string[];
  /** How names become addresses; the machine's own way unless told. */
  resolve?: Resolve;
  connectMilliseconds?: number;
  /** Pools at one time, of all organizations together. */
  originsMax?: number;
  /** Connections to an origin that nobody has called for so long are closed. */
  idleMilliseconds?: number;
}

/** Connections that stay open between calls, one pool for each organization and origin: nobody waits for another's slow calls. */
export interface Pools {
  /** Throws SendFailed "blocked" where the origin is none that requests of this principal may go to. */
  take(origin: string, principal?: Principal): Pool;
  close(): Promise<void>;
}

/** More calls at once than this wait their turn. No system we know allows as many. */
const connectionsMax = 128;
/** An organization with more origins than this makes room among its own. */
const ownMax = 32;

interface Entry {
  pool: Pool;
  organizationId: string | undefined;
  /** Null for public addresses, which are open to everybody. */
  rule: AccessRule | null;
  usedSinceSweep: boolean;
}

export function createPools(options: PoolOptions): Pools {
  const rules = accessRulesOf(options.privateOrigins, options.sandboxOrigins ?? []);
  const lookup = guardedLookup(options.resolve ?? resolveByMachine);
  const timeout = options.connectMilliseconds ?? 5000;
  const originsMax = options.originsMax ?? 1024;
  // No origin holds a space.
  const keyOf = (origin: string, principal: Principal | undefined): string =>
    `${principal?.organizationId ?? ""} ${origin}`;
  const entries = new Map<string, Entry>();
  let closed = false;

  function open(origin: string, principal: Principal | undefined): Pool {
    if (closed) throw new SendFailed("unreachable", "no", "Signalbox is stopping.");
    const rule = rules.get(origin) ?? null;
    if (rule) refuseClosed(rule, origin, principal);
    const refused = rule ? null : refuseOrigin(origin);
    if (refused) throw new SendFailed("blocked", "no", refused, { cause: new AddressBlocked(refused) });
    const own = keysOf(principal?.organizationId);
    if (own.length >= ownMax) drop(leastUsed(own));
    if (entries.size >= originsMax) drop(leastUsed([...entries.keys()]));
    const pool = new Pool(origin, {
      connections: connectionsMax,
      // One request at a time on a connection: a broken one then concerns one call, and nothing is ever sent again unasked.
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

  /** What is asked for nobody in particular has no bound of its own. */
  const keysOf = (organizationId: string | undefined): string[] =>
    organizationId === undefined
      ? []
      : [...entries].filter(([, entry]) => entry.organizationId === organizationId).map(([key]) => key);

  /** Calls under way are finished before the connections are closed. */
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
    take(origin, principal) {
      const entry = entries.get(keyOf(origin, principal));
      if (!entry) return open(origin, principal);
      // The connections are shared by an organization's accounts of all kinds, so each is asked again.
      if (entry.rule) refuseClosed(entry.rule, origin, principal);
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

function refuseClosed(rule: AccessRule, origin: string, principal: Principal | undefined): void {
  if (rule(principal)) return;
  const cause = new AddressBlocked(`${origin} is open to others, and not to this one`);
  throw new SendFailed("blocked", "no", cause.message, { cause });
}
