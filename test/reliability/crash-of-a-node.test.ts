import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { startWithAccount } from "../support/processes/first-account.ts";
import {
  cleanUpLater,
  describeOnBothStores,
  newPostgresDatabase,
  type StoreKind,
  temporaryFolder,
} from "../support/stores.ts";

/** Two nodes on one store: one is killed, and the other, which was there before, is not told. */
async function startTwoNodes(kind: StoreKind) {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const all = {
    SIGNALBOX_SANDBOXES: outside.address,
    SIGNALBOX_LEASE_SECONDS: "2",
    SIGNALBOX_SHARED_FOLDER: "on",
    SIGNALBOX_SETTLE_SECONDS: "3",
    ...(kind === "postgres" && { SIGNALBOX_DATABASE_URL_US: await newPostgresDatabase() }),
  };
  const start = async () => {
    const server = await startWithAccount(home, all, 12);
    const call = async (operation: string, body: object) => (await server.send(operation, body)).body;
    return { ...server, call };
  };
  const killed = await start();
  return { outside, killed, other: await start(), connections: killed.connections };
}

const cutOff = () => "cut off";

describeOnBothStores("a node that is killed while another keeps running", (kind) => {
  // "Places are leases of the process; a server that starts alone frees them at once, others within the lease." "Single-step runs
  // of a dead node: their lease is that of tool runs, renewed while they live."
  test("releases the ten concurrent calls of a marketing account within the limiter's lease, and leaves no single step open", async () => {
    const { outside, killed, other, connections } = await startTwoNodes(kind);
    const tell = (what: string, body: object) =>
      fetch(`${outside.address}/_sandbox/${what}`, { method: "POST", body: JSON.stringify(body) });
    // Whether the system itself is still at those calls is not the question here.
    await tell("limits", { concurrent_calls: 100 });
    const endpoint = "/rest/v1/leads/describe.json";
    await tell("faults", { match: { method: "GET", path: endpoint }, times: 10, delay_ms: 600_000 });
    const describes = { connection_id: connections.marketing, input: { method: "GET", endpoint } };
    const path = "/v13/deployments";
    await outside.control("faults", { match: { method: "POST", path }, delay_ms: 600_000 });
    const creates = { connection_id: connections.deployment, input: { project: outside.projectId }, wait_seconds: 60 };
    const sent = async () => [
      await outside.sent("marketing", "GET", endpoint),
      await outside.sent("deployment", "POST", path),
    ];
    const [before = 0] = await sent();
    const cut = [
      killed.call("steps/create_deployment/run", creates).catch(cutOff),
      ...Array.from({ length: 10 }, () => killed.call("steps/marketing_api_call/run", describes).catch(cutOff)),
    ];
    await expect.poll(sent).toEqual([before + 10, 1]);
    const runs = async () => (await other.call("runs/list", {})).results;
    // Its process lives, so the other one leaves it alone.
    expect(await runs()).toMatchObject([{ status: "running" }]);
    const full = await other.call("steps/marketing_api_call/run", { ...describes, wait_seconds: 0 });
    expect(full).toMatchObject({ status: "failed", problem: { code: "rate_limited" } });
    await killed.kill();
    expect(await Promise.all(cut)).toEqual(Array(11).fill("cut off"));

    const run = other.call("steps/marketing_api_call/run", { ...describes, wait_seconds: 60 });
    // The other node reconciles the write.
    const created = async () =>
      (await runs()).filter((each: { step_id?: string }) => each.step_id === "create_deployment");
    await expect.poll(created).toMatchObject([{ status: "failed" }]);
    const { status, problem } = await run;
    expect([status, problem]).toEqual(["succeeded", undefined]);
    expect(await sent()).toEqual([before + 11, 1]);
  }, 120_000);
});
