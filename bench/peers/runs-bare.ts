import { Pool } from "undici";
import { askedPath, askedTimes, serveJobs } from "../load/runs-job.ts";

/** The same three calls, one after the other, by a program that keeps nothing. */

const pool = new Pool(process.argv[2] ?? "", { connections: 128, pipelining: 1 });
const headers = { accept: "application/json", authorization: "Bearer bench" };

serveJobs(async () => {
  for (let step = 0; step < askedTimes; step++) {
    const { statusCode, body } = await pool.request({ method: "GET", path: askedPath, headers });
    const answer = (await body.json()) as { name?: string };
    if (statusCode !== 200 || answer.name !== "web") throw new Error(`The system answered ${statusCode}.`);
  }
});
process.send?.({ result: "ready" });
