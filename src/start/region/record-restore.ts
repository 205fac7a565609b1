import { dropQueuedMails } from "../../access/mails/drop-after-restore.ts";
import { setQueuedEventsAside } from "../../agents/events/store-event.ts";
import { skipAfterRestore } from "../../schedules/skip-after-restore.ts";
import type { Store } from "../../store/db.ts";
import { markRestored, readMark } from "../../store/restore-detection.ts";

const cure = "replay those that have not.";

/**
 * Records that the store was restored from a backup at this time, and settles what must not happen twice. It may be
 * repeated after a failure. What comes after that time is not affected. Deliveries to webhooks stay due: they are sent
 * at least once, always with the same id. `say` receives a sentence about each thing that does not happen.
 */
export async function recordRestore(store: Store, at: Date, say: (sentence: string) => void): Promise<void> {
  if ((await readMark(store))?.restoredAt !== at.toISOString()) await markRestored(store, at);
  await skipAfterRestore(store, at);
  const events = await store.transaction((db) => setQueuedEventsAside(db, at));
  if (events > 0)
    say(`Queued events of agents may have started their runs already, and start nothing (${events}): ${cure}`);
  const mails = await store.transaction((db) => dropQueuedMails(db, at));
  const kinds = [...mails].map(([kind, count]) => `${kind} (${count})`).join(", ");
  if (mails.size > 0) say(`Mails that waited may have been sent already, and are not sent: ${kinds}.`);
}
