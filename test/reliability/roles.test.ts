import postgres from "postgres";
import { describe, expect, inject, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { startPgBouncer } from "../support/databases/postgres.ts";
import { startWithAccount, successOf } from "../support/processes/first-account.ts";
import { startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

// "`signalbox serve --role api|worker|all`, no state in a node, LISTEN/NOTIFY to wake workers (polling stays as the safety
// net). Works behind PgBouncer in transaction mode."
describe.skipIf(inject("postgresUrl") === null)("nodes with a role", () => {
  test("an api node leaves runs to the workers, and a worker serves no calls", async () => {
    const home = temporaryFolder();
    const outside = await startOutside();
    cleanUpLater(() => outside.stop());
    const database = await newPostgresDatabase();
    const heard = await listenTo(database);
    const shared = { SIGNALBOX_SANDBOXES: outside.address, SIGNALBOX_DATABASE_URL_US: database };
    const api = await startWithAccount(home, { ...shared, SIGNALBOX_ROLE: "api" }, 2);
    const call = successOf(api);
    const { tool_id: tool } = await call("tools/create", {
      title: "List",
      steps: [
        { name: "list", step: "list_deployments", connection_id: api.connections.deployment, input: { limit: 1 } },
      ],
    });
    expect(heard).not.toContain("runs");
    const { run_id: queued } = await call(`tools/${tool}/trigger_async`, { params: {} });
    await expect.poll(() => heard).toContain("runs");
    expect(await call(`tools/${tool}/trigger`, { params: {}, wait_seconds: 0 })).toMatchObject({ status: "queued" });
    // A single step is part of the call.
    const step = { connection_id: api.connections.deployment, input: { limit: 1 } };
    expect(await call("steps/list_deployments/run", step)).toMatchObject({ status: "succeeded" });
    expect(await call(`runs/${queued}/get`)).toMatchObject({ status: "queued" });

    // A pooler in transaction mode delivers no signals: this worker polls.
    const pooler = await startPgBouncer(database);
    if (typeof pooler === "object") cleanUpLater(() => pooler.stop());
    const behind = typeof pooler === "object" ? pooler.url : database;
    const worker = await startServer(home, { ...shared, SIGNALBOX_DATABASE_URL_US: behind, SIGNALBOX_ROLE: "worker" });
    cleanUpLater(() => worker.kill());
    await expect.poll(async () => (await call(`runs/${queued}/get`)).status, { timeout: 60_000 }).toBe("succeeded");
    expect(await call(`tools/${tool}/trigger`, { params: {}, wait_seconds: 60 })).toMatchObject({
      status: "succeeded",
      output: { deployments: [{}] },
    });
    const at = `http://127.0.0.1:${worker.port}`;
    for (const path of ["/latest/projects/list", "/latest/documentation", "/scim/v2/Users", "/mcp", "/projects"]) {
      const answer = await fetch(`${at}${path}`, { method: "POST", body: "{}" });
      expect([path, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        path,
        503,
        "worker_node",
      ]);
    }
    for (const path of ["/healthz", "/readyz", "/metrics"]) expect((await fetch(`${at}${path}`)).status).toBe(200);
  }, 180_000);
});

/** What nodes tell each other, as a worker would hear it. */
async function listenTo(database: string): Promise<string[]> {
  const heard: string[] = [];
  const sql = postgres(database, { max: 1, onnotice: () => {} });
  cleanUpLater(() => sql.end());
  await sql.listen("signalbox", (signal) => void heard.push(signal));
  return heard;
}
