import type { Db, Value } from "../db.ts";
import { type ExpiringRows, inBatches } from "../delete-in-batches.ts";

/** The rows of a table that wait for a time: until then nobody works on them. */
export interface WaitingRows extends ExpiringRows {
  /** A condition, if not all rows of the table wait. */
  only?: string;
}

/** The latest time that such a row may legitimately have now, and the time for rows beyond. */
export interface TimeBounds {
  latest: Date;
  to: Date;
}

/**
 * For a clock that was ahead and is set back: what it wrote would wait for as long as it was ahead. Rows that another process works on are
 * skipped, because that writes a new time. Returns how many were moved.
 */
export async function moveTimesBack(
  db: Db,
  { table, key, time, only }: WaitingRows,
  { latest, to }: TimeBounds,
): Promise<number> {
  let moved = 0;
  const values: Value[] = [latest.toISOString(), to.toISOString()];
  await inBatches(db, async (inside, limit) => {
    const rows = await inside.query(
      `update ${table} set ${time} = $2
        where (${key}) in (select ${key} from ${table} where ${time} > $1${only ? ` and ${only}` : ""}
                            order by ${time} limit $3 ${db.skipLocked})
       returning ${time}`,
      [...values, limit],
    );
    moved += rows.length;
    return rows.length;
  });
  return moved;
}

export const secondsAfter = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);
