import { turnAlone } from "../kernel/work-in-slices.ts";
import type { Db } from "./db.ts";

/** 500 rows take SQLite a few milliseconds of the event loop; those of one busy hour, many seconds. */
const batchRows = 500;

/** Changes rows a batch at a time, each in its own transaction. `change` returns how many it has changed. */
export async function inBatches(db: Db, change: (inside: Db, limit: number) => Promise<number>): Promise<void> {
  while ((await db.transaction((inside) => change(inside, batchRows))) === batchRows) await turnAlone();
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
