import postgres from "postgres";
import { type Db, type Store, StoreUnavailable, type Value } from "./db.ts";

/** Serialization failures and deadlocks: the database undid the transaction, and asks for another try. */
const tryAgain = new Set(["40001", "40P01"]);
const triesMax = 8;

/** Any fixed number: two nodes that start at once meet at this lock. */
const migrationLock = 7_346_421;

type Sql = postgres.Sql | postgres.TransactionSql;

/** The same operations on a PostgreSQL server: for regions served by several nodes. */
export function openPostgres(url: string, connectionsMax = 10): Store {
  const sql = postgres(url, {
    max: connectionsMax,
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: "signalbox" },
    // Counts and sums arrive as bigint; ours stay far below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  });

  const run = async <R>(connection: Sql, text: string, values: readonly Value[] = []): Promise<R[]> => {
    try {
      return (await connection.unsafe(text, values as Value[], { prepare: true })) as unknown as R[];
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  const insideOf = (connection: Sql): Db => {
    const inside: Db = {
      query: (text, values) => run(connection, text, values),
      transaction: (work) => work(inside),
      skipLocked: "for update skip locked",
      lockRow: "for no key update",
    };
    return inside;
  };

  async function transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await sql.begin((connection) => work(insideOf(connection)))) as T;
      } catch (error) {
        const code = codeOf(error);
        if (!tryAgain.has(code) || attempt === triesMax) throw asUnavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** attempt));
      }
    }
  }

  return {
    kind: "postgres",
    query: (text, values) => run(sql, text, values),
    transaction,
    skipLocked: "for update skip locked",
    lockRow: "for no key update",
    exclusively: async <T>(work: (db: Db, runScript: (text: string) => Promise<void>) => Promise<T>) =>
      (await sql
        .begin(async (connection) => {
          await connection.unsafe(`select pg_advisory_xact_lock(${migrationLock})`);
          return work(insideOf(connection), async (text) => {
            await connection.unsafe(text);
          });
        })
        .catch((error) => {
          throw asUnavailable(error);
        })) as T,
    close: () => sql.end({ timeout: 5 }),
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

// Class 08 is a lost connection, 53 no resources (53100: the disk), 57P a server going down or coming up.
function asUnavailable(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "53100") return new StoreUnavailable("full", error);
  const lost = /^(08|53|57P)/.test(code) || /^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH)/.test(code);
  return lost ? new StoreUnavailable("unreachable", error) : error;
}
