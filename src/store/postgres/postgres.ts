import type postgres from "postgres";
import { type Db, isDynamic, type Store, StoreUnavailable, transactionDb, type Value } from "../db.ts";
import { readAddress } from "./address.ts";
import {
  isAborted,
  isLockTimeout,
  isLost,
  isLostStatement,
  isReadOnly,
  isRetryable,
  asUnavailable as toUnavailable,
} from "./errors.ts";
import { migrationLock, outsideLock } from "./locks.ts";
import { createPools, defaultTimeouts, type Pool } from "./pools.ts";
import { takeYourTime } from "./session-limits.ts";

const triesMax = 8;
/** A node that others can reach waits longer for a lock than the server waits for a lost one. */
const lockTriesMax = 3;

/** While a statement runs outside, its transaction sends something this often, so that the server does not take it for lost. */
const pulseMilliseconds = 2_000;
/**
 * No query: `create index concurrently` waits for the end of every transaction that it finds with a snapshot, and so for this one,
 * which waits for it.
 */
const pulse = "set local lock_timeout = 0";

/** The same for all servers of a cluster. */
const identitySql = "select oid::bigint as id, datname as name from pg_database where datname = current_database()";
/** With the code for a database that does not exist: the address is wrong. */
const otherDatabase = (name: string): Error =>
  Object.assign(new Error(`reserve_database=${name} leads to another database than the address`), { code: "3D000" });

type Sql = postgres.Sql | postgres.TransactionSql;
type Work<T> = (db: Db, runScript: (text: string) => Promise<void>) => Promise<T>;

const dialect = { kind: "postgres", skipLocked: "for update skip locked", lockRow: "for no key update" } as const;

/** PostgreSQL stores no NUL in text, and a search for one finds nothing: that is no reason to fail. */
const storable = (value: Value): Value =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;

/** The store on a PostgreSQL server, for regions served by several nodes. */
export function openPostgres(url: string, connectionsMax = 10, timeouts = defaultTimeouts): Store {
  const pools = createPools(url, connectionsMax, timeouts);
  const refusedAfter = timeouts.statement + timeouts.answer;
  const diskSpace = { wasRefused: false };

  function asUnavailable(error: unknown): unknown {
    const known = toUnavailable(error);
    if (known instanceof StoreUnavailable && known.reason === "full") diskSpace.wasRefused = true;
    return known;
  }

  const run = async <R>(connection: Sql, text: string, values: readonly Value[] = []): Promise<R[]> => {
    try {
      const prepare = pools.isPreparing() && !isDynamic(text);
      return (await connection.unsafe(text, values.map(storable), { prepare })) as unknown as R[];
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  const query = <R>(text: string, values?: readonly Value[]) => read<R>("sql", text, values);

  async function read<R>(kind: "sql" | "slow" | "reserve", text: string, values?: readonly Value[]): Promise<R[]> {
    for (;;) {
      const wasPreparing = pools.isPreparing();
      const rows = await pools.inTurn(kind, async (used) => {
        const connection = kind === "reserve" ? used.reserve : used.sql;
        try {
          return await pools.watched(used, run<R>(connection, text, values), refusedAfter);
        } catch (error) {
          if (isReadOnly(error)) pools.leave(used);
          if (!wasPreparing || !isLostStatement(error)) throw error;
          pools.stopPreparing(used);
          return null;
        }
      });
      if (rows) return rows;
    }
  }

  let isReserveChecked = false;
  /** Otherwise a slip in the address would authenticate callers by the accounts of another region. */
  async function checkReserve(): Promise<void> {
    const { reserveDatabase } = readAddress(url);
    if (isReserveChecked || reserveDatabase === null) return;
    const [own, ofReserve] = await Promise.all([read("sql", identitySql), read("reserve", identitySql)]);
    if (JSON.stringify(own) !== JSON.stringify(ofReserve)) throw otherDatabase(reserveDatabase);
    isReserveChecked = true;
  }

  const begin = <T>(work: Work<T>, deadline: number): Promise<T> =>
    pools.inTurn("sql", async (used) => {
      const late = { isRefused: false };
      const refuse = () => {
        late.isRefused = true;
      };
      try {
        return await pools.watched(used, beginOn(used, work, late), deadline, refuse);
      } catch (error) {
        if (isReadOnly(error)) pools.leave(used);
        if (isLostStatement(error)) pools.stopPreparing(used);
        throw error;
      }
    });

  async function beginOn<T>(used: Pool, work: Work<T>, late: { isRefused: boolean }): Promise<T> {
    // The caller has been refused, so nothing may be committed.
    const refuseLate = () => {
      if (late.isRefused) throw new Error("The transaction took too long.");
    };
    let inside: ReturnType<typeof transactionDb> | undefined;
    const limit = pools.limitOf(used);
    try {
      return (await used.sql.begin(async (connection) => {
        // Sent together with the first statement. The library fails the transaction if this fails.
        if (limit) connection.unsafe(limit).catch(() => {});
        let first: unknown;
        const endIfLost = <R>(result: Promise<R>): Promise<R> =>
          result.catch((error) => {
            first ??= error;
            if (isLost(error)) opened.end();
            throw error;
          });
        const opened = transactionDb({
          ...dialect,
          query: async (text, values) => {
            refuseLate();
            return endIfLost(run(connection, text, values));
          },
        });
        inside = opened;
        try {
          const result = await work(opened.db, (text) => endIfLost(connection.unsafe(text).then(() => {})));
          refuseLate();
          return result;
        } catch (error) {
          // Of statements that were sent together, the work may hear of a later one first. The reason decides on a retry.
          throw isAborted(error) ? first : error;
        } finally {
          // The library would send its commit or rollback over a lost connection, which ends the process, or over one
          // that serves another transaction by now. It has already abandoned the transaction: this promise stays pending
          // on purpose.
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
        return await begin((db) => work(db), refusedAfter);
      } catch (error) {
        const mayRetry = isLockTimeout(error) ? attempt < lockTriesMax : isRetryable(error) && attempt < triesMax;
        if (!mayRetry) throw asUnavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** attempt));
      }
    }
  }

  return {
    shareReads: () => {},
    ...dialect,
    query,
    querySlow: (text, values) => read("slow", text, values),
    reserve: { query: (text, values) => read("reserve", text, values) },
    diskSpace,
    transaction,
    exclusively: async (work) => {
      try {
        // Every start runs this before anything is prepared.
        await pools.detectPooler();
        await checkReserve();
        // A migration has no deadline.
        return await begin(async (db, runScript) => {
          await runScript(`${takeYourTime}; select pg_advisory_xact_lock(${migrationLock})`);
          return work(db, runScript);
        }, Number.POSITIVE_INFINITY);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    outside: async (work) => {
      try {
        await pools.detectPooler();
        return await begin(async (db, runScript) => {
          await runScript("set transaction isolation level read committed");
          const [row] = await db.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${outsideLock}) as taken`);
          if (!row?.taken) return null;
          const alone = pools.openAlone();
          try {
            return await work((statement) => beside(() => runScript(pulse), run(alone.sql, statement)));
          } finally {
            alone.close();
          }
        }, Number.POSITIVE_INFINITY);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    close: () => pools.close(),
  };
}

/** Keeps a transaction open meanwhile: the server would end one that is silent. */
async function beside<T>(keepOpen: () => Promise<void>, statement: Promise<T>): Promise<T> {
  const ended = statement.then((value) => ({ value }));
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, pulseMilliseconds, null);
    });
    const first = await Promise.race([ended, silence]).finally(() => clearTimeout(timer));
    if (first) return first.value;
    await keepOpen();
  }
}
