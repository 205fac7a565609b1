import { parentPort, workerData } from "node:worker_threads";
import { openConnection } from "./connection.ts";
import { lengthOfLog, type WrittenBack } from "./write-back.ts";

/** The thread behind `openWriteBack`: a connection that does nothing else. */

const database = openConnection(String(workerData), "pragma synchronous = full; pragma wal_autocheckpoint = 0");
const look = lengthOfLog(database);
// Passive: it waits for nobody, and nobody for it. What somebody still reads is left for the next time.
const writeBack = database.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (word: "write back" | "end") => {
  const from = performance.now();
  try {
    writeBack.get();
  } catch {
    // A disk that is full, or away: the log holds everything, and commits say so themselves.
  }
  if (word === "write back") {
    const written: WrittenBack = { milliseconds: performance.now() - from, ...look() };
    parentPort?.postMessage(written);
  } else {
    database.close();
    parentPort?.close();
  }
});
