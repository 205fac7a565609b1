import { turnAlone } from "../../kernel/work-in-slices.ts";
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

/** A read of these takes SQLite less than a millisecond of the event loop. */
const rowsInTurn = 500;

interface TimeRow {
  key: string;
  time: string;
}

/**
 * The same for a table without an index on the time, which would cost every write. It is read in the order of its key, a part in each turn of the
 * event loop.
 */
export async function moveUnsortedTimesBack(
  db: Db,
  { table, key, time }: Omit<WaitingRows, "only">,
  { latest, to }: TimeBounds,
): Promise<number> {
  let moved = 0;
  for (let after = ""; ; await turnAlone()) {
    const rows = await db.query<{ key: string; time: string | null }>(
      `select ${key} as key, ${time} as time from ${table} where ${key} > $1 order by ${key} limit $2`,
      [after, rowsInTurn],
    );
    const late = rows.filter((row): row is TimeRow => row.time !== null && row.time > latest.toISOString());
    if (late.length > 0) {
      await db.transaction(async (inside) => {
        // Unless another process has written a new time since.
        const sql = `update ${table} set ${time} = $3 where ${key} = $1 and ${time} = $2`;
        for (const row of late) await inside.query(sql, [row.key, row.time, to.toISOString()]);
      });
    }
    moved += late.length;
    if (rows.length < rowsInTurn) return moved;
    after = rows.at(-1)?.key ?? "";
  }
}

export const secondsAfter = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);
