import { Socket } from "node:net";
import postgres from "postgres";
import { StoreUnavailable } from "../db.ts";
import { type Address, type Host, readAddress } from "./address.ts";
import { type Alone, driverOptions, openAlone, sessionName } from "./driver.ts";
import { findUsable, isDirect, openSocket, type Seen } from "./hosts.ts";
import { limitSessions, noLimits } from "./session-limits.ts";
import { createStatementWatch } from "./statement-watch.ts";
import { createTurns, type Turns } from "./turns.ts";

/** So many connections are kept for authentication and health checks, and a smaller pool keeps none. */
const reserved = 2;
const reservedFrom = 6;
/** So many short statements are sent over one of them before the first is answered; the next ones wait for their turn. */
const pipelinedMax = 16;

/** How long we wait for a server that may have stopped responding, in milliseconds. */
export const defaultTimeouts = {
  /** After this time we probe the server over a new connection. */
  slow: 3_000,
  /** A server that takes longer to answer the probe is down. */
  probe: 5_000,
  /** The server ends a statement that takes longer. */
  statement: 60_000,
  /** So long after that, a statement or a transaction without an answer is refused. */
  answer: 5_000,
  /** A caller that waits longer for a connection is refused. */
  queue: 5_000,
  /** How often we check. */
  check: 500,
  /**
   * The server ends a transaction whose node has sent nothing for this long: a frozen node would hold its row locks until
   * it wakes. Shorter than a lease. Our transactions wait for nothing but the server.
   */
  idleInTransaction: 8_000,
  /** The server refuses a statement that has waited for a lock for this long. */
  lock: 3_500,
  /** What a pool has begun that lost a connection may take this long to finish on the others. */
  leave: 2_000,
};

/** Connections to one server. Once one of them is lost, or the server stops responding, a new pool replaces it. */
export interface Pool {
  sql: postgres.Sql;
  /** Connections for authentication and health checks alone. A pool of few connections shares them. */
  reserve: postgres.Sql;
  /** Null before the first connection. */
  host: Host | null;
  sockets: Set<Socket>;
  /** Callers that send a statement or begin a transaction wait here; `slow` statements get half of the connections. */
  turns: Record<TurnKind, Turns>;
  /** Whether its sessions started with their limits. */
  isLimited: boolean;
}

type TurnKind = "sql" | "slow" | "reserve";

/** The current pool, and the rules for replacing it. */
export interface Pools {
  /**
   * Works with the current pool as soon as a connection is free. Throws while the server does not respond, and if none
   * becomes free in time.
   */
  inTurn<T>(kind: TurnKind, work: (used: Pool) => Promise<T>): Promise<T>;
  /** Also rejects when the pool is given up, and at the deadline, of which the work is told. */
  watched<T>(pool: Pool, work: Promise<T>, deadlineMilliseconds: number, onOverdue?: () => void): Promise<T>;
  isPreparing(): boolean;
  /** Continues without prepared statements. */
  stopPreparing(used: Pool): void;
  /**
   * Stops preparing statements unless sessions keep what they start with: otherwise a pooler in transaction mode may be in
   * front of the server. If they do, they start with their limits.
   */
  detectPooler(): Promise<void>;
  /** The statements that limit a transaction; null if the sessions of this pool have their limits already. */
  limitOf(pool: Pool): string | null;
  /** A connection to the same server for a statement that may take hours. It has no limits, if no pooler refuses that. */
  openAlone(): Alone;
  /** Replaces the pool; its running transactions may finish. */
  leave(used: Pool): void;
  close(): Promise<void>;
}

export function createPools(url: string, connectionsMax: number, timeouts: typeof defaultTimeouts): Pools {
  const address = readAddress(url);
  const seen: Seen = { furthest: null };
  const watch = createStatementWatch<Pool>();
  let closing = false;
  // `?prepare=false` in the address disables it from the start.
  let isPreparing = !/[?&]prepare=false\b/.test(url);
  const limits = limitSessions(timeouts);
  let isLimited = false;
  /** The server stopped responding: until it responds again, calls fail at once. */
  let isDown = false;
  let probing: Promise<void> | null = null;
  let probeAgainAt = 0;
  let checkedAt = performance.now();
  let pool = openPool();
  const checks = setInterval(check, timeouts.check);
  checks.unref();

  function openPool(): Pool {
    const sockets = new Set<Socket>();
    // All connections of a pool lead to one server.
    const find = once(() => (address.wantsPrimary ? findUsable(address, timeouts.probe, seen) : firstHost(address)));
    const options = {
      ...driverOptions,
      // For the library's own statements, mainly commits; ours set it themselves.
      prepare: isPreparing,
      onclose: () => leave(opened),
      connection: { ...sessionName, ...(isLimited && limits.atStart) },
      socket: async () => {
        try {
          const host = await find();
          opened.host = host;
          return openSocket(host, sockets);
        } catch (error) {
          return brokenSocket(error as Error);
        }
      },
    };
    const open = (max: number, database: string | null = null) =>
      postgres(address.urlFor(firstHost(address)), { ...options, max, ...(database !== null && { database }) });
    const hasReserve = connectionsMax >= reservedFrom;
    const max = hasReserve ? connectionsMax - reserved : connectionsMax;
    const sql = open(max);
    // A pooler gives the server to somebody else when the first of two statements is answered, and the answer to the
    // second is lost. So there are never more statements than connections. Without a pooler too, except for the short ones
    // of the reserve: one behind a slow statement would wait for it while other connections are free. Measured with 64
    // readers and 8 connections: 7,800 statements a second instead of 9,900. Sixteen on each connection are as fast as any number.
    const turns = createTurns(max);
    const reserveTurns = createTurns(isPreparing ? reserved * pipelinedMax : reserved);
    const opened: Pool = {
      ...{ sockets, host: null, isLimited, sql, reserve: hasReserve ? open(reserved, address.reserveDatabase) : sql },
      turns: { sql: turns, slow: createTurns(Math.ceil(max / 2)), reserve: hasReserve ? reserveTurns : turns },
    };
    return opened;
  }

  // A connection of postgres 3.4.9 that is lost while bytes wait to be sent never sends again, and its callers hang
  // (porsager/postgres, issues 1154 and 1208). So a pool that has lost one is not used again.
  function leave(left: Pool, milliseconds = timeouts.leave): void {
    if (closing || left !== pool) return;
    pool = openPool();
    for (const turns of Object.values(left.turns)) turns.close();
    // The library ends a pool before it has settled everything.
    const isOver = new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
    void Promise.all([endPool(left, milliseconds / 1000), isOver]).then(() => {
      destroySockets(left);
      // Callers that are left would wait until their deadline.
      watch.refuseAll(left, "The connection to the database was lost.");
    });
  }

  /** The server does not respond, so it will not close its connections either. */
  function giveUp(left: Pool, why: string): void {
    leave(left, 0);
    watch.refuseAll(left, why);
    destroySockets(left);
  }

  function current(): Pool {
    if (isDown) throw new StoreUnavailable("unreachable", new Error("The database server does not respond."));
    return pool;
  }

  async function inTurn<T>(kind: TurnKind, work: (used: Pool) => Promise<T>, since = performance.now()): Promise<T> {
    if (kind === "slow") {
      const { slow } = current().turns;
      if (!(await slow.take(since))) return inTurn(kind, work, since);
      return inTurn("sql", work, since).finally(slow.give);
    }
    const used = current();
    const turns = used.turns[kind];
    if (!(await turns.take(since))) return inTurn(kind, work, since);
    return work(used).finally(turns.give);
  }

  function check(): void {
    const now = performance.now();
    // A server that is down has been found out long before. So only this connection is lost, or its transaction takes too
    // long: the others may finish.
    for (const overdue of watch.refuseOverdue()) leave(overdue, timeouts.statement + timeouts.answer);
    for (const turns of Object.values(pool.turns)) turns.refuseOlder(now - timeouts.queue);
    // We stood still, and the primary may be another one since.
    const wokeUp = now - checkedAt > timeouts.slow + timeouts.check && address.wantsPrimary;
    checkedAt = now;
    if (closing || probing || !(isDown || wokeUp || watch.isSlow(pool, timeouts.slow))) return;
    // A statement that is only slow, behind a lock or over many rows, must not cause a probe each time.
    if (!isDown && !wokeUp && now < probeAgainAt) return;
    const probed = pool;
    probing = findUsable(address, timeouts.probe, seen)
      .then(
        (found) => {
          isDown = false;
          probeAgainAt = performance.now() + timeouts.slow;
          if (probed.host && isOtherHost(found, probed.host))
            giveUp(probed, "Another database server takes writes now.");
        },
        (error) => {
          // It responded, if only to say that it is full or shutting down: the running statements get their own errors.
          if (error instanceof postgres.PostgresError) return;
          isDown = true;
          giveUp(probed, "The database server does not respond.");
        },
      )
      .finally(() => {
        probing = null;
      });
  }

  return {
    inTurn,
    watched: watch.over,
    isPreparing: () => isPreparing,
    /**
     * A pooler that shares one server connection among clients loses their prepared statements. The driver may then wait
     * forever for statements that it sent after the failed one.
     */
    stopPreparing(used) {
      isPreparing = false;
      giveUp(used, "The database pooler lost a prepared statement.");
    },
    async detectPooler() {
      // An address that says `prepare=false` leads to a pooler.
      if (!isPreparing || isLimited) return;
      isLimited = await isDirect(address, timeouts.probe, limits.atStart);
      isPreparing = isLimited;
      leave(pool);
    },
    openAlone() {
      const host = pool.host ?? firstHost(address);
      return openAlone(address.urlFor(host), host, isLimited ? { ...limits.atStart, ...noLimits } : {});
    },
    limitOf: (used) => (used.isLimited ? null : limits.inside),
    leave: (used) => leave(used),
    async close() {
      closing = true;
      clearInterval(checks);
      // Calls that were accepted just now reach the driver only after this.
      await new Promise((resolve) => setImmediate(resolve));
      for (const turns of Object.values(pool.turns)) turns.refuseAll("The store is closed.");
      await endPool(pool, isDown ? 0 : 5);
      // Results that just arrived are still being delivered to their callers.
      await new Promise((resolve) => setImmediate(resolve));
      watch.refuseAll(pool, "The store is closed.");
      destroySockets(pool);
    },
  };
}

const endPool = ({ sql, reserve }: Pool, seconds: number): Promise<unknown> =>
  Promise.all([...new Set([sql, reserve])].map((each) => each.end({ timeout: seconds })));

function destroySockets({ sockets }: Pool): void {
  for (const socket of sockets) socket.destroy();
}

const isOtherHost = (one: Host, other: Host): boolean => one.host !== other.host || one.port !== other.port;

const firstHost = ({ hosts: [first] }: Address): Host => {
  if (!first) throw new Error("A database address names a host.");
  return first;
};

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A socket that breaks at once: the driver handles that, but waits forever if it gets no socket. */
function brokenSocket(error: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}
