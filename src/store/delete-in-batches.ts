import { nextTurn, turnAlone } from "../kernel/work-in-slices.ts";
import { type Db, dynamicText } from "./db.ts";

/** 500 rows take SQLite a few milliseconds of the event loop; those of one busy hour, many seconds. */
const batchRows = 500;

/** Changes rows a batch at a time, each in its own transaction. `change` returns how many it has changed. */
export async function inBatches(db: Db, change: (inside: Db, limit: number) => Promise<number>): Promise<void> {
  while ((await db.transaction((inside) => change(inside, batchRows))) === batchRows) await turnAlone();
}

/**
 * For very many rows that must change together: in the caller's transaction, a batch in each turn of the event loop. Other writers of a
 * SQLite store wait until the end, readers do not. `change` returns how many it has changed, and finds those no more. Returns how many in all.
 */
export async function inTurns(change: (limit: number) => Promise<number>): Promise<number> {
  for (let changed = 0; ; await nextTurn()) {
    const count = await change(batchRows);
    changed += count;
    if (count < batchRows) return changed;
  }
}

/** The same for rows of which some stay as they are: `next` returns the keys behind one of them, in order, and `change` changes those that fit. */
export async function inTurnsByKey(
  next: (after: string, limit: number) => Promise<string[]>,
  change: ChangeKeys,
  rows = batchRows,
): Promise<number> {
  let [changed, after] = [0, ""];
  for (;;) {
    const keys = await next(after, rows);
    const last = keys.at(-1);
    if (last === undefined) return changed;
    changed += await change(...withMarks(keys, last));
    if (keys.length < rows) return changed;
    after = last;
    await nextTurn();
  }
}

/** Changes those rows of these keys that fit, `where key in (${marks})`. Returns how many. */
export type ChangeKeys = (keys: readonly string[], marks: string) => Promise<number>;

/** The last key fills up the list, so that lists of every length share a few statements. */
function withMarks(keys: readonly string[], last: string): [keys: string[], marks: string] {
  const filled = [...keys];
  while (Math.log2(filled.length) % 1 !== 0) filled.push(last);
  return [filled, `${filled.map((_, index) => `$${index + 1}`).join(", ")} ${dynamicText}`];
}

/** Rows of a table, its key, and the column with the time at which they expire. */
export interface ExpiringRows {
  table: string;
  key: string;
  time: string;
}

export const deleteBefore = (db: Db, { table, key, time }: ExpiringRows, before: string): Promise<void> =>
  inBatches(db, async (inside, limit) => {
    const rows = await inside.query(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${time} < $1 order by ${time} limit $2)
       returning ${time}`,
      [before, limit],
    );
    return rows.length;
  });
