import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
  const writer = openConnection(
    file,
    `pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory;
     pragma cache_size = -16384; pragma wal_autocheckpoint = 4000`,
  );
  const reader = openConnection(file, "pragma query_only = on; pragma cache_size = -16384");

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

  const beginRead = reader.prepare("begin");
  const endRead = reader.prepare("commit");
  let reading = false;

  function readTogether(): void {
    if (reading || closed) return;
    reading = true;
    beginRead.run();
    setImmediate(stopReading);
  }
  function stopReading(): void {
    if (!reading) return;
    reading = false;
    endRead.run();
  }

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
      stopReading();
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
    readTogether,
    exclusively,
    async close() {
      closed = true;
      while (draining) await new Promise((resolve) => setImmediate(resolve));
      stopReading();
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

const openTriesMax = 150;
const openPauseMilliseconds = 20;

/**
 * While another process opens or closes the same file for the first or the last time, SQLite does not wait as it does
 * everywhere else: it answers "locked" or "cannot open" at once, and is asked again. The reader is opened for writing
 * too, and told not to, because a connection that may only read cannot bring back the shared memory of the log.
 */
function openConnection(file: string, pragmas: string): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(file, { timeout: 10_000 });
      database.exec(pragmas);
      return database;
    } catch (error) {
      if (database?.isOpen) database.close();
      const isPassing = existsSync(dirname(file)) && asUnavailable(error) instanceof StoreUnavailable;
      if (!isPassing || attempt === openTriesMax) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, openPauseMilliseconds);
    }
  }
}

type RunStatement = (values: readonly Value[]) => Row[];

/** Prepares each text once. */
function statementRunner(database: DatabaseSync): (sql: string, values?: readonly Value[]) => Row[] {
  const prepared = new Map<string, RunStatement>();
  return (sql, values = []) => {
    let run = prepared.get(sql);
    if (!run) {
      run = prepare(database, sql);
      prepared.set(sql, run);
    }
    return run(values);
  };
}

/**
 * node:sqlite binds `$1` by name only, and building an object of names for each call costs more than the look-up itself,
 * so the numbered marks become plain ones and the values are laid out in the order of the marks.
 */
function prepare(database: DatabaseSync, sql: string): RunStatement {
  const order: number[] = [];
  const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return "?";
  });
  const statement = database.prepare(text);
  const layOut = (values: readonly Value[]): Value[] => order.map((index) => values[index] ?? null);
  const columns = statement.columns().map((column) => column.name);
  if (columns.length === 0) {
    return (values) => {
      statement.run(...layOut(values));
      return [];
    };
  }
  statement.setReturnArrays(true);
  const toRow = rowMaker(columns);
  return (values) => (statement.all(...layOut(values)) as unknown as unknown[][]).map(toRow);
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
