import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { createCaller } from "../support/http-caller.ts";
import { firstRunOf, startServer } from "../support/server-process.ts";
import {
  cleanUpLater,
  describeOnBothStores,
  newPostgresDatabase,
  type StoreKind,
  temporaryFolder,
} from "../support/stores.ts";

/** Two nodes on one store: one is killed, and the other, which was there before, is not told. */
async function startTwoNodes(kind: StoreKind, settings: NodeJS.ProcessEnv = {}) {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const all = {
    SIGNALBOX_SANDBOXES: outside.address,
    ...settings,
    ...(kind === "postgres" && { SIGNALBOX_DATABASE_URL_US: await newPostgresDatabase() }),
  };
  const start = async () => {
    const server = await startServer(home, all);
    cleanUpLater(() => server.kill());
    const caller = createCaller(server.port, 10);
    cleanUpLater(async () => caller.close());
    const { project_id, api_key } = firstRunOf(home);
    const authorization = `Bearer ${project_id}:${api_key}`;
    const call = async (operation: string, body: object) =>
      (await caller.call(operation, body, { authorization })).body;
    return { ...server, call };
  };
  const killed = await start();
  return { outside, killed, other: await start(), connections: firstRunOf(home).connections ?? {} };
}

const cutOff = () => "cut off";

describeOnBothStores("a node that is killed while another keeps running", (kind) => {
  // "Places are leases of the process; a server that starts alone frees them at once, others within the lease."
  test("releases the ten concurrent calls of a marketing account within the limiter's lease", async () => {
    const { outside, killed, other, connections } = await startTwoNodes(kind);
    const tell = (what: string, body: object) =>
      fetch(`${outside.address}/_sandbox/${what}`, { method: "POST", body: JSON.stringify(body) });
    // Whether the system itself is still at those calls is not the question here.
    await tell("limits", { concurrent_calls: 100 });
    const endpoint = "/rest/v1/leads/describe.json";
    await tell("faults", { match: { method: "GET", path: endpoint }, times: 10, delay_ms: 600_000 });
    const body = { connection_id: connections.marketing, input: { method: "GET", endpoint } };
    const sent = () => outside.sent("marketing", "GET", endpoint);
    const before = await sent();
    const cut = Array.from({ length: 10 }, () => killed.call("steps/marketing_api_call/run", body).catch(cutOff));
    await expect.poll(sent, { timeout: 10_000 }).toBe(before + 10);
    const full = await other.call("steps/marketing_api_call/run", { ...body, wait_seconds: 0 });
    expect(full).toMatchObject({ status: "failed", problem: { code: "rate_limited" } });
    await killed.kill();
    expect(await Promise.all(cut)).toEqual(Array(10).fill("cut off"));
    const run = await other.call("steps/marketing_api_call/run", { ...body, wait_seconds: 60 });
    expect([run.status, run.problem]).toEqual(["succeeded", undefined]);
  }, 120_000);

  // "Single-step runs of a dead node: their lease is that of tool runs, renewed while they live."
  test("leaves no run of a single step open: the other node reconciles its write", async () => {
    const settings = { SIGNALBOX_LEASE_SECONDS: "2", SIGNALBOX_SETTLE_SECONDS: "3" };
    const { outside, killed, other, connections } = await startTwoNodes(kind, settings);
    const made = "/v13/deployments";
    await outside.control("faults", { match: { method: "POST", path: made }, delay_ms: 600_000 });
    const body = { connection_id: connections.deployment, input: { project: outside.projectId } };
    const cut = killed.call("steps/create_deployment/run", { ...body, wait_seconds: 60 }).catch(cutOff);
    await expect.poll(() => outside.sent("deployment", "POST", made), { timeout: 10_000 }).toBe(1);
    const runs = async () => (await other.call("runs/list", {})).results;
    // Its process lives, so the other one leaves it alone.
    expect(await runs()).toMatchObject([{ status: "running" }]);
    await killed.kill();
    expect(await cut).toBe("cut off");
    await expect.poll(runs, { timeout: 30_000 }).toMatchObject([{ status: "failed" }]);
    expect(await outside.sent("deployment", "POST", made)).toBe(1);
  }, 120_000);
});
