import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { isDynamic, type Row, StoreUnavailable, type Value } from "../db.ts";
import { isForLackOfRoom } from "./disk-reserve.ts";

const openTriesMax = 150;
const openPauseMilliseconds = 20;

/**
 * While another process opens or closes the same file for the first or last time, SQLite does not wait: it reports
 * "locked" or "cannot open" at once, so we retry. The reader is opened for writing and set to query_only, because a
 * read-only connection cannot recreate the shared memory of the log.
 */
export function openConnection(file: string, pragmas: string): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(file, { timeout: 10_000 });
      database.exec(pragmas);
      return database;
    } catch (error) {
      if (database?.isOpen) database.close();
      const isPassing = existsSync(dirname(file)) && !isForLackOfRoom(error) && isUnreachable(asUnavailable(error));
      if (!isPassing || attempt === openTriesMax) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, openPauseMilliseconds);
    }
  }
}

type RunStatement = (values: readonly Value[]) => Row[];

/** Prepares each statement once. */
export function statementRunner(database: DatabaseSync): (sql: string, values?: readonly Value[]) => Row[] {
  const prepared = new Map<string, RunStatement>();
  return (sql, values = []) => {
    let run = prepared.get(sql);
    if (!run) {
      if (isDynamic(sql)) return prepare(database, sql, runnerInLoops)(values);
      run = prepare(database, sql, runnerWrittenOut);
      prepared.set(sql, run);
    }
    return run(values);
  };
}

type MakeRunner = (statement: StatementSync, order: readonly number[], columns: readonly string[]) => RunStatement;

/**
 * node:sqlite binds `$1` only by name, and building an object of names per call costs more than a look-up. So numbered
 * parameters become plain ones, and the values are arranged in their order.
 */
function prepare(database: DatabaseSync, sql: string, makeRunner: MakeRunner): RunStatement {
  const order: number[] = [];
  const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return "?";
  });
  const statement = database.prepare(text);
  const columns = statement.columns().map((column) => column.name);
  if (columns.length > 0) statement.setReturnArrays(true);
  return makeRunner(statement, order, columns);
}

// A loop shared by all statements stays polymorphic for the JIT (5 % of creating an invite).
const runnerWrittenOut: MakeRunner = (statement, order, columns) => {
  const marks = order.map((index) => `values[${index}] ?? null`).join(", ");
  const body =
    columns.length === 0
      ? `statement.run(${marks}); return [];`
      : `return statement.all(${marks}).map((row) => (${rowText(columns)}));`;
  return new Function("statement", `return (values) => { ${body} };`)(statement) as RunStatement;
};

/** For a text that seldom repeats. */
const runnerInLoops: MakeRunner = (statement, order, columns) => {
  const layOut = (values: readonly Value[]): Value[] => order.map((index) => values[index] ?? null);
  if (columns.length === 0) {
    return (values) => {
      statement.run(...layOut(values));
      return [];
    };
  }
  const toRow = new Function("row", `return ${rowText(columns)}`) as (row: unknown[]) => Row;
  return (values) => (statement.all(...layOut(values)) as unknown as unknown[][]).map(toRow);
};

// node:sqlite's own row objects are dictionaries, slow to create and to read: on the key look-up, 12 us for 13 columns,
// against 6 us for an array and an object literal of fixed shape. Hence one literal per statement.
const rowText = (columns: readonly string[]): string =>
  `{${columns.map((column, index) => `${JSON.stringify(column)}:row[${index}]`).join(",")}}`;

const isUnreachable = (error: unknown): boolean => error instanceof StoreUnavailable && error.reason === "unreachable";

// SQLite's primary result codes: 5 busy, 6 locked, 10 input/output error, 11 corrupt, 13 disk full, 14 cannot open, 26 no
// database.
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Error && "errcode" in error && typeof error.errcode === "number") {
    const primary = error.errcode & 0xff;
    if (primary === 13) return new StoreUnavailable("full", error);
    if (primary === 11 || primary === 26) return new StoreUnavailable("damaged", error);
    if ([5, 6, 10, 14].includes(primary)) return new StoreUnavailable("unreachable", error);
  }
  return error;
}
