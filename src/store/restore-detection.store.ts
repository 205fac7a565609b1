import type { Db } from "./db.ts";

/** A counter of the store's progress, and when the store was last restored from a backup. */
export interface StoreMark {
  storeId: string;
  mark: number;
  markedAt: string;
  epoch: number;
  restoredAt: string | null;
  restoredFrom: string | null;
  /** The `restoredAt` after which nothing that waited happens a second time. */
  settledRestore: string | null;
}

interface MarkRow {
  store_id: string;
  mark: number;
  marked_at: string;
  epoch: number;
  restored_at: string | null;
  restored_from: string | null;
  settled_restore: string | null;
}

const toMark = (row: MarkRow): StoreMark => ({
  storeId: row.store_id,
  mark: row.mark,
  markedAt: row.marked_at,
  epoch: row.epoch,
  restoredAt: row.restored_at,
  restoredFrom: row.restored_from,
  settledRestore: row.settled_restore,
});

/** Null for a store that no server of this version has used. */
export async function readMark(db: Pick<Db, "query">): Promise<StoreMark | null> {
  const [row] = await db.query<MarkRow>("select * from store_mark where id = 'current'");
  return row ? toMark(row) : null;
}

/** Returns the new mark. */
export async function incrementMark(db: Db, storeId: string, above: number, now: string): Promise<StoreMark | null> {
  const [row] = await db.query<MarkRow>(
    `insert into store_mark (id, store_id, mark, marked_at, epoch) values ('current', $1, $2 + 1, $3, 0)
     on conflict (id) do update
       set mark = case when store_mark.mark > $2 then store_mark.mark else $2 end + 1, marked_at = $3
     returning *`,
    [storeId, above, now],
  );
  return row ? toMark(row) : null;
}

/** A restored copy gets a new id: the store that it was copied from may still exist. */
export async function saveRestored(db: Db, storeId: string, now: string): Promise<void> {
  await db.query(
    `insert into store_mark (id, store_id, mark, marked_at, epoch, restored_at) values ('current', $1, 1, $2, 1, $2)
     on conflict (id) do update
       set store_id = $1, epoch = store_mark.epoch + 1, restored_at = $2, restored_from = store_mark.marked_at`,
    [storeId, now],
  );
}

export async function saveSettled(db: Db, restoredAt: string): Promise<void> {
  await db.query("update store_mark set settled_restore = $1 where id = 'current'", [restoredAt]);
}
