import { parentPort, workerData } from "node:worker_threads";
import { type CheckpointResult, logLengthOf } from "./checkpoints.ts";
import { openConnection } from "./connection.ts";

/** The thread of `createCheckpointer`: a connection that only runs checkpoints. */

const database = openConnection(String(workerData), "pragma synchronous = full; pragma wal_autocheckpoint = 0");
const look = logLengthOf(database);
// Passive: it blocks no one. Pages that a reader still needs stay for the next time.
const writeBack = database.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (word: "write back" | "end") => {
  const from = performance.now();
  try {
    writeBack.get();
  } catch {
    // The disk is full or unavailable: the log holds everything, and commits report the error.
  }
  if (word === "write back") {
    const written: CheckpointResult = { milliseconds: performance.now() - from, ...look() };
    parentPort?.postMessage(written);
  } else {
    database.close();
    parentPort?.close();
  }
});
