import type { Store } from "../store/db.ts";
import { expiringTable } from "../store/expiring-tables.ts";
import {
  deleteDeliveries,
  findOrphans,
  findSettled,
  lockSettled,
  readDeliveryRow,
} from "./expired-deliveries.store.ts";

/** Deliveries of a webhook that will not be tried again. */
export const expiredDeliveries = expiringTable({
  table: "deliveries",
  find: findSettled,
  lock: lockSettled,
  remove: deleteDeliveries,
  read: readDeliveryRow,
});

const orphansAtOnce = 100;

/** Deletes deliveries that belong to nobody any more, because their webhook is gone. */
export async function deleteOrphans(store: Store, before: string): Promise<void> {
  const orphans = await findOrphans(store, before, orphansAtOnce);
  if (orphans.length > 0) await store.transaction((db) => deleteDeliveries(db, orphans));
}
