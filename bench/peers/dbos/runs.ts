import { DBOS } from "@dbos-inc/dbos-sdk";
import { Pool } from "undici";
import { askedPath, askedTimes, serveJobs } from "../../load/runs-job.ts";

/** DBOS with a workflow of three steps, each of which is one call. Arguments: the system's origin, and the database. */

const [origin = "", database = ""] = process.argv.slice(2);
const pool = new Pool(origin, { connections: 128, pipelining: 1 });
const headers = { accept: "application/json", authorization: "Bearer bench" };

async function ask(): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await pool.request({ method: "GET", path: askedPath, headers });
  return { status: statusCode, body: await body.json() };
}

const threeCalls = DBOS.registerWorkflow(
  async () => {
    let status = 0;
    for (let step = 0; step < askedTimes; step++) ({ status } = await DBOS.runStep(ask, { name: `step_${step}` }));
    return status;
  },
  { name: "threeCalls" },
);

DBOS.setConfig({ name: "bench", systemDatabaseUrl: database, systemDatabasePoolSize: 20, logLevel: "error" });
await DBOS.launch();
serveJobs(async () => {
  const status = await threeCalls();
  if (status !== 200) throw new Error(`A workflow ended with ${status}.`);
});
process.send?.({ result: "ready" });
