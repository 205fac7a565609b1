import { parentPort, workerData } from "node:worker_threads";
import type { Value } from "../db.ts";
import { openConnection, statementRunner } from "./connection.ts";

/** The thread of `openAside`: a connection that only reads, one query at a time. */

const database = openConnection(String(workerData), "pragma query_only = on; pragma cache_size = -8192");
const run = statementRunner(database);

parentPort?.on("message", ({ sql, values }: { sql: string; values: readonly Value[] }) => {
  try {
    parentPort?.postMessage({ rows: run(sql, values) });
  } catch (error) {
    const { message } = error as Error;
    const errcode = (error as { errcode?: number }).errcode;
    parentPort?.postMessage({ failure: { message, errcode } });
  }
});
