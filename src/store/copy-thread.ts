import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The thread of `copyStore`: the copy takes a while, and the command shows its progress meanwhile. */

const { file, draft } = workerData as { file: string; draft: string };
const store = new DatabaseSync(file, { timeout: 10_000 });
try {
  store.prepare("vacuum into ?").run(draft);
} finally {
  store.close();
}
parentPort?.close();
