import { turnAlone } from "../kernel/work-in-slices.ts";
import type { Db, Value } from "./db.ts";

/** One page reads so many rows at most, however few of them fit. The next page goes on behind them. */
const readRowsMax = 10_000;

/** For a list whose callers expect full pages. */
export const allRows = Number.POSITIVE_INFINITY;

/**
 * On SQLite, a statement keeps the event loop, and rows can be long: how many a statement may read follows from how long the one before it
 * took. A filter that reads long texts, or rows of other tables, begins with fewer.
 */
const ordinaryRows = { first: 50, most: 250 };
const longRows = { first: 8, most: 64 };
const sliceMilliseconds = { quick: 3, long: 10 };
/** PostgreSQL works elsewhere. */
const remoteRows = 1000;

export interface RowSearch {
  table: string;
  /** What a row of the result has. */
  columns: string;
  /** Conditions of which an index answers each in the order of the ids. All of them hold for every row of the result. */
  indexed: readonly [string, ...string[]];
  /** All conditions. */
  where: string;
  /** The parameters of the conditions. */
  values: readonly Value[];
  order: "newest" | "oldest";
  /** Whether the conditions read long texts, or rows of other tables. */
  readsMuch?: boolean;
}

export interface FoundRows<Row> {
  rows: Row[];
  /** The last row that was read, if others remain behind it; the next page begins there. */
  searchedTo: string | null;
}

/**
 * A page of rows by id, for filters that no index answers. It takes some ids in order, reads which of their rows fit, gives way to
 * other callers, and goes on until the page is full. In a transaction only where the first ids surely fill it: others wait for turns.
 */
export async function searchRows<Row>(
  db: Db,
  search: RowSearch,
  page: { after: string; limit: number },
  rowsMax = readRowsMax,
): Promise<FoundRows<Row>> {
  // All that the index gives fits.
  if (search.indexed.length === 1 && search.indexed[0] === search.where)
    return { rows: await readFitting<Row>(db, search, search.where, page), searchedTo: null };
  const rows: Row[] = [];
  let after = page.after;
  const sizes = search.readsMuch ? longRows : ordinaryRows;
  let size = db.kind === "sqlite" ? sizes.first : remoteRows;
  for (let left = rowsMax; left > 0; ) {
    const startedAt = performance.now();
    const wanted = Math.min(size, left);
    const slice = await findSlice(db, search, after, wanted);
    const rest = { after, limit: page.limit - rows.length };
    if (slice.rows > 0) rows.push(...(await readFitting<Row>(db, search, slice.indexed, rest, wanted)));
    if (rows.length >= page.limit || slice.rows < wanted) return { rows, searchedTo: null };
    after = slice.last;
    left -= slice.rows;
    if (db.kind === "sqlite") size = sizeAfter(size, sizes.most, performance.now() - startedAt);
    if (left > 0) await turnAlone();
  }
  return { rows, searchedTo: after };
}

function sizeAfter(size: number, most: number, milliseconds: number): number {
  if (milliseconds > sliceMilliseconds.long) return Math.max(1, Math.floor(size / 4));
  return milliseconds < sliceMilliseconds.quick ? Math.min(most, size * 2) : size;
}

/** Rows in a row of an index. */
interface Slice {
  indexed: string;
  rows: number;
  last: string;
}

/** Of the indexes that the conditions name, the one whose next rows reach furthest: the others would read more. */
async function findSlice(db: Db, search: RowSearch, after: string, wanted: number): Promise<Slice> {
  const { table, values, order } = search;
  let furthest: Slice | null = null;
  for (const indexed of search.indexed) {
    const { ids, given } = idsIn(search, indexed, after, wanted);
    const [found] = await db.query<{ rows: number; last: string | null }>(
      ...withUsed(
        `select count(*) as rows, ${order === "newest" ? "min" : "max"}(id) as last from (${ids}) as scanned`,
        [...values, ...given],
      ),
    );
    const slice = { indexed, rows: Number(found?.rows ?? 0), last: found?.last ?? "" };
    if (slice.rows < wanted) return slice;
    if (furthest === null || (order === "newest" ? slice.last < furthest.last : slice.last > furthest.last))
      furthest = slice;
  }
  if (furthest === null) throw new Error(`A search in ${table} names no index.`);
  return furthest;
}

/** The cross join keeps SQLite from starting with another index, in which the rows that it reads are not bounded. */
function readFitting<Row>(
  db: Db,
  search: RowSearch,
  indexed: string,
  { after, limit }: { after: string; limit: number },
  wanted = limit,
): Promise<Row[]> {
  const { table, columns, where, values } = search;
  const { ids, given, direction } = idsIn(search, indexed, after, wanted);
  if (indexed === where) {
    const rows = ids.replace(/^select id/, `select ${columns}`);
    return db.query<Row>(...withUsed(rows, [...values, ...given]));
  }
  const all = [...values, ...given, limit];
  const fitting = withUsed(
    `select ${columns} from
       (with scanned as materialized (select id as scanned_id from (${ids}) as of_index)
        select id as fitting_id from scanned cross join ${table}
         where id = scanned_id and ${where} order by id ${direction} limit $${all.length}) as fitting
       cross join ${table} where id = fitting_id order by id ${direction}`,
    all,
  );
  return db.query<Row>(...fitting);
}

function idsIn({ table, values, order }: RowSearch, indexed: string, after: string, wanted: number) {
  const direction = order === "newest" ? "desc" : "asc";
  const given: Value[] = after === "" ? [wanted] : [wanted, after];
  const behind = after === "" ? "" : `and id ${order === "newest" ? "<" : ">"} $${values.length + 2}`;
  const ids = `select id from ${table} where ${indexed} ${behind} order by id ${direction} limit $${values.length + 1}`;
  return { ids, given, direction };
}

/** A statement has the conditions of one index, and PostgreSQL refuses parameters that it does not name. */
function withUsed(sql: string, values: readonly Value[]): [sql: string, values: Value[]] {
  const used: number[] = [];
  const renumbered = sql.replace(/\$(\d+)/g, (_, number: string) => {
    const at = used.indexOf(Number(number));
    return `$${at >= 0 ? at + 1 : used.push(Number(number))}`;
  });
  return [renumbered, used.map((number) => values[number - 1] ?? null)];
}
