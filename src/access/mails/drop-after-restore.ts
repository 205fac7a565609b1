import type { Db } from "../../store/db.ts";
import { deleteQueuedUntil } from "./mail-queue.store.ts";

/**
 * After a restore from a backup, mails that wait may have been sent by the store that was replaced. A mail has no id by
 * which its reader could recognize the second one, so none is sent. Returns how many of each kind that were.
 */
export const dropQueuedMails = (db: Db, restoredAt: Date): Promise<Map<string, number>> =>
  deleteQueuedUntil(db, restoredAt.toISOString());
