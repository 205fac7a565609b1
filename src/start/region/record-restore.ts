import { dropQueuedMails } from "../../access/mails/drop-after-restore.ts";
import { setQueuedEventsAside } from "../../agents/events/store-event.ts";
import { skipAfterRestore } from "../../schedules/skip-after-restore.ts";
import type { Db, Store } from "../../store/db.ts";
import { isSettled, markRestored, readMark, saveSettled } from "../../store/restore-detection.ts";

const cure = "replay those that have not.";

/**
 * Records that the store was restored from a backup at this time, and settles what must not happen twice. It may be
 * repeated after a failure. What comes after that time is not affected. Deliveries to webhooks stay due: they are sent
 * at least once, always with the same id. `say` receives a sentence about each thing that does not happen.
 */
export async function recordRestore(store: Store, at: Date, say: (sentence: string) => void): Promise<void> {
  if ((await readMark(store))?.restoredAt !== at.toISOString()) await markRestored(store, at);
  await settleRestore(store, say);
}

/**
 * Settles a restore that was marked, and no more. On PostgreSQL a command marks it with the data; a server that starts
 * then does not wait for the rest of the command, which may have been killed. So the first of them settles it, alone.
 */
export async function settleRestore(store: Store, say: (sentence: string) => void): Promise<void> {
  if (isSettled(await readMark(store))) return;
  // One process alone uses a file. There, many transactions keep turns of the event loop short.
  const said = await (store.kind === "postgres" ? store.exclusively(settle) : settle(store));
  for (const sentence of said) say(sentence);
}

async function settle(db: Db): Promise<string[]> {
  const mark = await readMark(db);
  if (!mark?.restoredAt || isSettled(mark)) return [];
  const { restoredAt } = mark;
  const at = new Date(restoredAt);
  await skipAfterRestore(db, at);
  const events = await db.transaction((inside) => setQueuedEventsAside(inside, at));
  const mails = await db.transaction((inside) => dropQueuedMails(inside, at));
  await db.transaction((inside) => saveSettled(inside, restoredAt));
  const said: string[] = [];
  if (events > 0)
    said.push(`Queued events of agents may have started their runs already, and start nothing (${events}): ${cure}`);
  const kinds = [...mails].map(([kind, count]) => `${kind} (${count})`).join(", ");
  if (mails.size > 0) said.push(`Mails that waited may have been sent already, and are not sent: ${kinds}.`);
  return said;
}
