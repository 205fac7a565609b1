import { Socket } from "node:net";
import postgres from "postgres";
import { type Db, insideTransaction, isOneOfMany, type Store, StoreUnavailable, type Value } from "../db.ts";
import { type Address, type Host, readAddress } from "./address.ts";
import { findUsable, isPooled, openSocket } from "./hosts.ts";
import { createWatch } from "./overdue.ts";

/** Serialization failures and deadlocks: the database undid the transaction, and asks for another try. */
const tryAgain = new Set(["40001", "40P01"]);
const triesMax = 8;

/** A prepared statement is not there, or is another's: between us and the server is a pooler in transaction mode. */
const lostStatement = new Set(["26000", "42P05"]);

/** Any fixed number: two nodes that start at once meet at this lock. */
const migrationLock = 7_346_421;

/** How long the transactions of a pool that lost a connection have to finish on the others. */
const leaveSeconds = 2;

const lostCodes = /^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH)/;

type Sql = postgres.Sql | postgres.TransactionSql;

const words = { skipLocked: "for update skip locked", lockRow: "for no key update" };

/** PostgreSQL keeps no NUL in a text, and whoever looks for one finds nothing: that is no reason to fail. */
const storable = (value: Value): Value =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;

/** How long we wait for a server that may have stopped answering, in milliseconds. */
export const standardPatience = {
  /** Something that takes longer is a reason to ask the server, over a new connection, whether it is there. */
  slow: 3_000,
  /** A server that takes longer to say so is not. */
  probe: 5_000,
  /** A statement that takes longer is refused, whatever the server says. */
  statement: 60_000,
  /** How often we look. */
  look: 500,
};

/** Connections to one server. Once one of them is lost, or the server does not answer, another pool takes its place. */
interface Pool {
  sql: postgres.Sql;
  /** Null before the first connection. */
  host: Host | null;
  sockets: Set<Socket>;
}

/** The same operations on a PostgreSQL server: for regions served by several nodes. */
export function openPostgres(url: string, connectionsMax = 10, patience = standardPatience): Store {
  const address = readAddress(url);
  const watch = createWatch<Pool>();
  let closing = false;
  // `?prepare=false` in the address says so from the start.
  let isPreparing = !/[?&]prepare=false\b/.test(url);
  /** The server stopped answering: until it answers again, nobody waits for it. */
  let isDown = false;
  let looking: Promise<void> | null = null;
  let askAgainAt = 0;
  let pool = openPool();
  const looks = setInterval(look, patience.look);
  looks.unref();

  function openPool(): Pool {
    const sockets = new Set<Socket>();
    // All connections of a pool lead to one server.
    const find = once(() => (address.wantsPrimary ? findUsable(address, patience.probe) : firstHost(address)));
    const options = {
      max: connectionsMax,
      max_lifetime: null,
      connect_timeout: 5,
      // For the library's own statements, its commits above all; ours say it for themselves.
      prepare: isPreparing,
      // The library would wait up to 20 s before it tries a lost server again, and every caller with it.
      backoff: () => 0.1,
      // It would ask about array types, which we do not use, in a promise that nobody catches.
      fetch_types: false,
      onnotice: () => {},
      onclose: () => leave(opened),
      connection: { application_name: "signalbox" },
      // Counts and sums arrive as bigint; ours stay far below 2^53.
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
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
    const opened: Pool = { sockets, host: null, sql: postgres(address.urlFor(firstHost(address)), options) };
    return opened;
  }

  // A connection of postgres 3.4.9 that is lost while bytes wait to be sent never sends again, and its callers hang
  // (porsager/postgres, issues 1154 and 1208). So nobody goes back to a pool that has lost one.
  function leave(left: Pool, seconds = leaveSeconds): void {
    if (closing || left !== pool) return;
    pool = openPool();
    void left.sql.end({ timeout: seconds }).then(() => destroySockets(left));
  }

  /** The server does not answer, so it will not close its connections either. */
  function giveUp(left: Pool, why: string): void {
    leave(left, 0);
    watch.refuseAll(left, why);
    destroySockets(left);
  }

  function destroySockets({ sockets }: Pool): void {
    for (const socket of sockets) socket.destroy();
  }

  function look(): void {
    for (const overdue of watch.refuseOverdue()) giveUp(overdue, "Another statement was not answered in time.");
    if (closing || looking || !(isDown || watch.isSlow(pool, patience.slow))) return;
    // What is only slow, behind a lock or over many rows, is no reason to ask all the time.
    if (!isDown && performance.now() < askAgainAt) return;
    const asked = pool;
    looking = findUsable(address, patience.probe)
      .then(
        (found) => {
          isDown = false;
          askAgainAt = performance.now() + patience.slow;
          if (asked.host && isElsewhere(found, asked.host)) giveUp(asked, "Another database server takes writes now.");
        },
        (error) => {
          // It said something, if only that it is full or going down: those who wait are told so by themselves.
          if (error instanceof postgres.PostgresError) return;
          isDown = true;
          giveUp(asked, "The database server does not answer.");
        },
      )
      .finally(() => {
        looking = null;
      });
  }

  function refuseWhileDown(): void {
    if (isDown) throw new StoreUnavailable("unreachable", new Error("The database server does not answer."));
  }

  const run = async <R>(connection: Sql, text: string, values: readonly Value[] = []): Promise<R[]> => {
    try {
      const prepare = isPreparing && !isOneOfMany(text);
      return (await connection.unsafe(text, values.map(storable), { prepare })) as unknown as R[];
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  /**
   * A pooler that hands one server connection to many clients loses the statements that they prepared, and the driver may
   * then wait for ever for those that it had sent behind one that failed.
   */
  function stopPreparing(used: Pool): void {
    isPreparing = false;
    giveUp(used, "The database pooler lost a prepared statement.");
  }

  async function query<R>(text: string, values?: readonly Value[]): Promise<R[]> {
    for (;;) {
      refuseWhileDown();
      const used = pool;
      const wasPreparing = isPreparing;
      try {
        return await watch.over(used, run<R>(used.sql, text, values), patience.statement);
      } catch (error) {
        if (isReadOnly(error)) leave(used);
        if (!wasPreparing || !lostStatement.has(codeOf(error))) throw error;
        stopPreparing(used);
      }
    }
  }

  async function begin<T>(
    work: (db: Db, runScript: (text: string) => Promise<void>) => Promise<T>,
    deadline: number,
  ): Promise<T> {
    refuseWhileDown();
    const used = pool;
    try {
      return await watch.over(used, beginOn(used, work), deadline);
    } catch (error) {
      if (isReadOnly(error)) leave(used);
      if (lostStatement.has(codeOf(error))) stopPreparing(used);
      throw error;
    }
  }

  async function beginOn<T>(
    { sql }: Pool,
    work: (db: Db, runScript: (text: string) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let inside: ReturnType<typeof insideTransaction> | undefined;
    try {
      return (await sql.begin(async (connection) => {
        const watched = <R>(answer: Promise<R>): Promise<R> =>
          answer.catch((error) => {
            if (isLost(error)) opened.end();
            throw error;
          });
        const opened = insideTransaction({ ...words, query: (text, values) => watched(run(connection, text, values)) });
        inside = opened;
        try {
          return await work(opened.db, (text) => watched(connection.unsafe(text).then(() => {})));
        } finally {
          // The library would send its commit or rollback down a connection that is gone, which ends the process, or that
          // serves somebody else by now. It has given up on the transaction by itself: this end of it stays open for good.
          if (opened.hasEnded()) await new Promise(() => {});
        }
      })) as T;
    } finally {
      inside?.end();
    }
  }

  async function transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await begin((db) => work(db), patience.statement);
      } catch (error) {
        const code = codeOf(error);
        if (!(tryAgain.has(code) || lostStatement.has(code)) || attempt === triesMax) throw asUnavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** attempt));
      }
    }
  }

  return {
    kind: "postgres",
    readTogether: () => {},
    ...words,
    query,
    queryAside: query,
    transaction,
    // A migration takes as long as it takes.
    exclusively: async (work) => {
      try {
        // Every start comes through here, before anything is prepared.
        if (isPreparing && (await isPooled(address, patience.probe))) {
          isPreparing = false;
          leave(pool);
        }
        return await begin(async (db, runScript) => {
          await runScript(`select pg_advisory_xact_lock(${migrationLock})`);
          return work(db, runScript);
        }, Number.POSITIVE_INFINITY);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    close: async () => {
      closing = true;
      clearInterval(looks);
      await pool.sql.end({ timeout: isDown ? 0 : 5 });
      // What has just been answered is still on its way to whoever asked.
      await new Promise((resolve) => setImmediate(resolve));
      watch.refuseAll(pool, "The store is closed.");
      destroySockets(pool);
    },
  };
}

const isElsewhere = (one: Host, other: Host): boolean => one.host !== other.host || one.port !== other.port;

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

/** A socket that never was: the driver knows what to do about one that breaks, and waits for ever where it gets none. */
function brokenSocket(error: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The server says so in its last words, or the wire broke: nothing can be sent there any more. */
function isLost(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof postgres.PostgresError ? cause.severity !== "ERROR" : lostCodes.test(codeOf(cause));
}

/** The server has become a standby, or is one: another one takes writes. */
const isReadOnly = (error: unknown): boolean =>
  codeOf(error instanceof StoreUnavailable ? error.cause : error) === readOnly;
const readOnly = "25006";

// Class 08 is a lost connection, 53 no resources (53100: the disk), 57P a server going down or coming up, 58 a failing disk.
function asUnavailable(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "53100") return new StoreUnavailable("full", error);
  const lost = code === readOnly || /^(08|53|57P|58)/.test(code) || lostCodes.test(code);
  return lost ? new StoreUnavailable("unreachable", error) : error;
}
