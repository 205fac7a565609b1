import { isoTime } from "../../kernel/times.ts";
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
  return searchAuditRows(db, { ...search, above, below });
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
