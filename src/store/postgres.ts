import postgres from "postgres";
import { type Db, insideTransaction, isOneOfMany, type Store, StoreUnavailable, type Value } from "./db.ts";

/** Serialization failures and deadlocks: the database undid the transaction, and asks for another try. */
const tryAgain = new Set(["40001", "40P01"]);
const triesMax = 8;

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

/** The same operations on a PostgreSQL server: for regions served by several nodes. */
export function openPostgres(url: string, connectionsMax = 10): Store {
  let closing = false;
  let sql = openPool();

  function openPool(): postgres.Sql {
    const pool = postgres(url, {
      max: connectionsMax,
      max_lifetime: null,
      connect_timeout: 5,
      // The library would wait up to 20 s before it tries a lost server again, and every caller with it.
      backoff: () => 0.1,
      // It would ask about array types, which we do not use, in a promise that nobody catches.
      fetch_types: false,
      onnotice: () => {},
      onclose: () => leave(pool),
      connection: { application_name: "signalbox" },
      // Counts and sums arrive as bigint; ours stay far below 2^53.
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    });
    return pool;
  }

  // A connection of postgres 3.4.9 that is lost while bytes wait to be sent never sends again, and its callers hang
  // (porsager/postgres, issues 1154 and 1208). So nobody goes back to a pool that has lost one.
  function leave(pool: postgres.Sql): void {
    if (closing || pool !== sql) return;
    sql = openPool();
    void pool.end({ timeout: leaveSeconds });
  }

  const run = async <R>(connection: Sql, text: string, values: readonly Value[] = []): Promise<R[]> => {
    try {
      return (await connection.unsafe(text, values.map(storable), { prepare: !isOneOfMany(text) })) as unknown as R[];
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  async function begin<T>(work: (db: Db, runScript: (text: string) => Promise<void>) => Promise<T>): Promise<T> {
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
        return await begin((db) => work(db));
      } catch (error) {
        const code = codeOf(error);
        if (!tryAgain.has(code) || attempt === triesMax) throw asUnavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** attempt));
      }
    }
  }

  return {
    kind: "postgres",
    readTogether: () => {},
    ...words,
    query: (text, values) => run(sql, text, values),
    transaction,
    exclusively: (work) =>
      begin(async (db, runScript) => {
        await runScript(`select pg_advisory_xact_lock(${migrationLock})`);
        return work(db, runScript);
      }).catch((error) => {
        throw asUnavailable(error);
      }),
    close: () => {
      closing = true;
      return sql.end({ timeout: 5 });
    },
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The server says so in its last words, or the wire broke: nothing can be sent there any more. */
function isLost(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof postgres.PostgresError ? cause.severity !== "ERROR" : lostCodes.test(codeOf(cause));
}

// Class 08 is a lost connection, 53 no resources (53100: the disk), 57P a server going down or coming up.
function asUnavailable(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "53100") return new StoreUnavailable("full", error);
  const lost = /^(08|53|57P)/.test(code) || lostCodes.test(code);
  return lost ? new StoreUnavailable("unreachable", error) : error;
}
