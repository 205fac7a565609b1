import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The thread of `copyStore`: the copy takes a while, and the command shows its progress meanwhile. */

const { file, draft } = workerData as { file: string; draft: string };
withDatabase(file, (store) => store.prepare("vacuum into ?").run(draft));
withDatabase(draft, giveOwnId);
parentPort?.close();

/**
 * A copy is a store of its own: put back by hand, it belongs to no mark beside it, also if the other store was lost
 * before its next mark.
 */
function giveOwnId(copy: DatabaseSync): void {
  // The schema may be older than the mark.
  if (!copy.prepare("select 1 from sqlite_master where type = 'table' and name = 'store_mark'").get()) return;
  copy.prepare("update store_mark set store_id = ?").run(randomUUID());
}

function withDatabase(path: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}
