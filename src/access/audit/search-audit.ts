import { isoTime } from "../../kernel/times.ts";
import { turnAlone } from "../../kernel/work-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { findAnchor } from "./anchors.ts";
import { type AuditRow, type AuditSearch, findAuditTime, readHead, searchAuditRows } from "./audit.store.ts";

export type { AuditFilter } from "./audit.store.ts";

/** Nodes have different clocks: a row may be this much older than the one before it. */
const skewMilliseconds = 600_000;

/**
 * A page of a search. Rows are numbered without a gap and in the order of time, so the bounds of time are found by
 * halving, and a search for last year's rows does not read this year's.
 */
export async function searchAudit(
  db: Db,
  search: AuditSearch,
): Promise<{ rows: AuditRow[]; searchedTo: number | null }> {
  const { organizationId, filter } = search;
  const to = (await readHead(db, organizationId))?.seq ?? 0;
  const from = ((await findAnchor(db, organizationId))?.seq ?? 0) + 1;
  const firstAt = (time: string, shift: 1 | -1) => firstRowAt(db, organizationId, { from, to }, shifted(time, shift));
  const above =
    filter.since === undefined ? search.above : Math.max(search.above, (await firstAt(filter.since, -1)) - 1);
  const below = filter.until === undefined ? search.below : Math.min(search.below, await firstAt(filter.until, 1));
  return searchInSlices(db, { ...search, above, below });
}

/** One page reads so many rows at most; the next page goes on behind them. */
const searchedRowsMax = 1000;
/** On SQLite, so many rows keep the event loop for a few milliseconds. */
const sliceRows = 100;

async function searchInSlices(db: Db, search: AuditSearch): Promise<{ rows: AuditRow[]; searchedTo: number | null }> {
  const rows: AuditRow[] = [];
  let { above, below } = search;
  const size = db.kind === "sqlite" ? sliceRows : searchedRowsMax;
  for (let read = 0; read < searchedRowsMax; read += size) {
    const limit = search.limit - rows.length;
    const slice = await searchAuditRows(db, { ...search, above, below, limit }, size);
    rows.push(...slice.rows);
    if (rows.length >= search.limit || slice.searchedTo === null) return { rows, searchedTo: null };
    if (search.order === "newest") below = slice.searchedTo;
    else above = slice.searchedTo;
    await turnAlone();
  }
  return { rows, searchedTo: search.order === "newest" ? below : above };
}

const shifted = (time: string, sign: 1 | -1): string => isoTime(new Date(Date.parse(time) + sign * skewMilliseconds));

/** The number of the first row that is not older than this time; one behind the last if all are. Archived rows are. */
async function firstRowAt(
  db: Db,
  organizationId: string,
  { from, to }: { from: number; to: number },
  time: string,
): Promise<number> {
  let [low, high] = [from, to + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = await findAuditTime(db, organizationId, middle);
    if (at !== null && at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
