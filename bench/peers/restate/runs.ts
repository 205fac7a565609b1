import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import * as restate from "@restatedev/restate-sdk";
import { Pool } from "undici";
import { askedPath, askedTimes, serveJobs } from "../../load/runs-job.ts";

/**
 * Restate: its server, and a service of ours with a handler of three steps, each of which is one call. Arguments: the
 * system's origin, and a folder for the server.
 */

const [origin = "", folder = ""] = process.argv.slice(2);
const pool = new Pool(origin, { connections: 128, pipelining: 1 });
const headers = { accept: "application/json", authorization: "Bearer bench" };

async function ask(): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await pool.request({ method: "GET", path: askedPath, headers });
  return { status: statusCode, body: await body.json() };
}

const service = restate.service({
  name: "three",
  handlers: {
    run: async (context: restate.Context) => {
      let status = 0;
      for (let step = 0; step < askedTimes; step++) ({ status } = await context.run(`step_${step}`, ask));
      return status;
    },
  },
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const [ingress, admin, node, own] = [await freePort(), await freePort(), await freePort(), await freePort()];
const program = createRequire(import.meta.url).resolve(
  `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);
const server = spawn(program, [], {
  stdio: ["ignore", "ignore", "ignore"],
  env: {
    ...process.env,
    RESTATE_BASE_DIR: folder,
    RESTATE_NODE_NAME: "bench",
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LOG_FILTER: "error",
  },
});
for (const signal of ["exit", "SIGTERM", "SIGINT"] as const) process.on(signal, () => void server.kill("SIGKILL"));

// A line for each invocation would be much of what it does.
await restate
  .endpoint()
  .bind(service)
  .setLogger(() => {})
  .listen(own);
for (let tries = 0; ; tries++) {
  const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${own}` }),
  }).catch(() => null);
  if (answer?.ok) break;
  if (tries > 300) throw new Error(`Restate did not take the service: ${await answer?.text()}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const calls = new Pool(`http://127.0.0.1:${ingress}`, { connections: 128, pipelining: 1 });
serveJobs(async () => {
  const { statusCode, body } = await calls.request({ method: "POST", path: "/three/run" });
  const text = await body.text();
  if (statusCode !== 200 || text !== "200") throw new Error(`Restate answered ${statusCode} ${text}.`);
});
process.send?.({ result: "ready" });
