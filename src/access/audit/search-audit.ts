import { isoTime } from "../../kernel/times.ts";
import type { Db } from "../../store/db.ts";
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
  const rows = (await readHead(db, organizationId))?.seq ?? 0;
  const firstAt = (time: string, shift: 1 | -1) => firstRowAt(db, organizationId, rows, shifted(time, shift));
  const above =
    filter.since === undefined ? search.above : Math.max(search.above, (await firstAt(filter.since, -1)) - 1);
  const below = filter.until === undefined ? search.below : Math.min(search.below, await firstAt(filter.until, 1));
  return searchAuditRows(db, { ...search, above, below });
}

const shifted = (time: string, sign: 1 | -1): string => isoTime(new Date(Date.parse(time) + sign * skewMilliseconds));

/** The number of the first row that is not older than this time; one behind the last if all are. */
async function firstRowAt(db: Db, organizationId: string, rows: number, time: string): Promise<number> {
  let [low, high] = [1, rows + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = await findAuditTime(db, organizationId, middle);
    if (at !== null && at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
