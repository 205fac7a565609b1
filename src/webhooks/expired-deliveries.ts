import type { Store } from "../store/db.ts";
import { type ExpiringTable, searchedTo, withSameMark } from "../store/expiring.ts";
import {
  deleteDeliveries,
  findOrphans,
  findSettled,
  lockSettled,
  readDeliveryRow,
} from "./expired-deliveries.store.ts";

/** Deliveries of a webhook that will not be tried again. */
export const expiredDeliveries: ExpiringTable = {
  async find(db, webhookId, page) {
    const rows = await findSettled(db, webhookId, page);
    return { rows, searchedTo: searchedTo(rows, page.limit) };
  },
  async unchanged(db, webhookId, rows, before) {
    const ids = rows.map(({ id }) => id);
    return withSameMark(rows, await lockSettled(db, webhookId, ids, before));
  },
  remove: deleteDeliveries,
  async *read(db, id) {
    const row = await readDeliveryRow(db, id);
    if (row) yield { table: "deliveries", row };
  },
};

const orphansAtOnce = 100;

/** Deletes deliveries that belong to nobody any more, because their webhook is gone. */
export async function deleteOrphans(store: Store, before: string): Promise<void> {
  const orphans = await findOrphans(store, before, orphansAtOnce);
  if (orphans.length > 0) await store.transaction((db) => deleteDeliveries(db, orphans));
}
