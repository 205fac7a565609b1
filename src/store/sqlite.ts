import { AsyncLocalStorage } from "node:async_hooks";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Db, insideTransaction, type Row, type Store, StoreUnavailable, type Value } from "./db.ts";

/** How many transactions may share one commit: enough to hide the fsync, few enough not to hold up the event loop. */
const batchMax = 256;

interface Job {
  work: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: { ok: true; value: unknown } | { ok: false; error: unknown };
}

/**
 * One file, one writing connection, one reading connection beside it. Transactions that arrive in the same turn of the
 * event loop become one commit and one fsync, each in a savepoint of its own; none is answered before that fsync.
 * Measured with 64 callers: about ten times the durable transactions of committing one by one (npm run bench -- store).
 */
export function openSqlite(file: string): Store {
  const writer = new DatabaseSync(file, { timeout: 10_000 });
  writer.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory;
    pragma cache_size = -16384; pragma wal_autocheckpoint = 4000`);
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  reader.exec("pragma query_only = on; pragma cache_size = -16384");

  const write = statementRunner(writer);
  const read = statementRunner(reader);
  const inTransaction = new AsyncLocalStorage<true>();
  const begin = writer.prepare("begin immediate");
  const commit = writer.prepare("commit");
  const savepoint = writer.prepare("savepoint one");
  const release = writer.prepare("release one");
  const undo = writer.prepare("rollback to one");

  const words = {
    query: async <R>(sql: string, values?: readonly Value[]) => write(sql, values) as R[],
    skipLocked: "",
    lockRow: "",
  };

  const queue: Job[] = [];
  let draining = false;
  let closed = false;

  function enqueue<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (inTransaction.getStore()) {
      throw new Error("A transaction was opened inside another one: use the db that the work was handed.");
    }
    if (closed) return Promise.reject(new StoreUnavailable("unreachable", new Error("The store is closed.")));
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Job["resolve"], reject });
      if (!draining) {
        draining = true;
        setImmediate(drain);
      }
    });
  }

  async function drain(): Promise<void> {
    const batch = queue.splice(0, batchMax);
    try {
      begin.run();
      await runAll(batch);
      commit.run();
    } catch (error) {
      if (writer.isTransaction) writer.exec("rollback");
      const failure = asUnavailable(error);
      for (const job of batch) job.outcome = { ok: false, error: failure };
    }
    for (const job of batch) {
      if (job.outcome?.ok) job.resolve(job.outcome.value);
      else job.reject(job.outcome?.error);
    }
    if (queue.length > 0) setImmediate(drain);
    else draining = false;
  }

  async function runAll(batch: Job[]): Promise<void> {
    for (const job of batch) {
      const inside = insideTransaction(words);
      savepoint.run();
      try {
        job.outcome = { ok: true, value: await inTransaction.run(true, job.work, inside.db) };
      } catch (error) {
        // A full disk or a failed write makes SQLite give up the whole transaction, neighbours included.
        if (!writer.isTransaction) throw error;
        undo.run();
        job.outcome = { ok: false, error: asUnavailable(error) };
      } finally {
        inside.end();
      }
      release.run();
    }
  }

  async function exclusively<T>(work: (db: Db, runScript: (sql: string) => Promise<void>) => Promise<T>): Promise<T> {
    writer.exec("begin immediate");
    try {
      const result = await work(insideTransaction(words).db, async (sql) => writer.exec(sql));
      writer.exec("commit");
      return result;
    } catch (error) {
      if (writer.isTransaction) writer.exec("rollback");
      throw error;
    }
  }

  return {
    kind: "sqlite",
    query: async <R>(sql: string, values?: readonly Value[]) => {
      if (closed) throw new StoreUnavailable("unreachable", new Error("The store is closed."));
      try {
        return read(sql, values) as R[];
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    transaction: enqueue,
    skipLocked: "",
    lockRow: "",
    exclusively,
    async close() {
      closed = true;
      while (draining) await new Promise((resolve) => setImmediate(resolve));
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

interface Prepared {
  statement: StatementSync;
  /** Which of the caller's values stands at each mark of the statement. */
  order: number[];
  toRow: (values: unknown[]) => Row;
}

/**
 * Prepares each text once. node:sqlite binds `$1` by name only, and building an object of names for each call costs
 * more than the look-up itself, so the numbered marks become plain ones and the values are laid out in their order.
 */
function statementRunner(database: DatabaseSync): (sql: string, values?: readonly Value[]) => Row[] {
  const prepared = new Map<string, Prepared>();
  return (sql, values = []) => {
    let entry = prepared.get(sql);
    if (!entry) {
      entry = prepare(database, sql);
      prepared.set(sql, entry);
    }
    const { statement, order, toRow } = entry;
    const rows = statement.all(...order.map((index) => values[index] ?? null)) as unknown as unknown[][];
    return rows.map(toRow);
  };
}

function prepare(database: DatabaseSync, sql: string): Prepared {
  const order: number[] = [];
  const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return "?";
  });
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  return { statement, order, toRow: rowMaker(statement.columns().map((column) => column.name)) };
}

// node:sqlite's own row objects are dictionaries, slow to make and slow to read: measured on the key look-up, 12 us for
// reading 13 columns so, against 6 us for an array and an object literal of a fixed shape. Hence one literal a statement.
function rowMaker(columns: string[]): (values: unknown[]) => Row {
  const members = columns.map((column, index) => `${JSON.stringify(column)}:values[${index}]`);
  return new Function("values", `return {${members.join(",")}}`) as (values: unknown[]) => Row;
}

// SQLite's primary result codes: 5 busy, 6 locked, 10 input/output error, 13 disk full, 14 cannot open.
function asUnavailable(error: unknown): unknown {
  if (error instanceof Error && "errcode" in error && typeof error.errcode === "number") {
    const primary = error.errcode & 0xff;
    if (primary === 13) return new StoreUnavailable("full", error);
    if ([5, 6, 10, 14].includes(primary)) return new StoreUnavailable("unreachable", error);
  }
  return error;
}
