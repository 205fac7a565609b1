import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { startWithAccount } from "../support/processes/first-account.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

const cutOff = () => "cut off";

async function startWorld() {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const settings = { SIGNALBOX_SANDBOXES: outside.address, SIGNALBOX_LEASE_SECONDS: "3600" };
  const start = async () => {
    const server = await startWithAccount(home, settings, 12);
    const call = async (path: string, body: object, headers = {}) => (await server.send(path, body, headers)).body;
    return { ...server, call };
  };
  return { outside, start };
}

// "On restart, or when a worker dies and its lease runs out, finished steps are skipped"; "a key's place ends with its process";
// "places are leases of the process; a server that starts alone frees them at once": so nobody waits for the restart of the
// only server and half a minute more.
test("after a crash, runs, Idempotency-Keys and concurrent calls continue as soon as the server starts again, however long leases are", async () => {
  const { outside, start } = await startWorld();
  const tell = (action: string, body: object) =>
    fetch(`${outside.address}/_sandbox/${action}`, { method: "POST", body: JSON.stringify(body) });
  const killed = await start();
  const { deployment: connection_id, marketing } = killed.connections;

  // A run in its second step, and a call with a key.
  const deployments = "/v6/deployments";
  await outside.control("faults", { match: { method: "GET", path: deployments }, times: 2, delay_ms: 600_000 });
  const steps = [
    { name: "first", step: "wait", input: { seconds: 0 } },
    { name: "look", step: "list_deployments", connection_id, input: {} },
  ];
  const tool = { title: "Looks", params_schema: { type: "object" }, steps };
  const { tool_id } = await killed.call("tools/create", tool);
  const { run_id } = await killed.call(`tools/${tool_id}/trigger_async`, { params: {} });
  const look = ["steps/list_deployments/run", { connection_id, input: {} }, { "idempotency-key": "cut off" }] as const;
  const cut = [killed.call(...look).catch(cutOff)];

  // All ten concurrent calls of a marketing account. Whether the system itself is still at those calls is not the question here.
  await tell("limits", { concurrent_calls: 100 });
  const endpoint = "/rest/v1/leads/describe.json";
  await tell("faults", { match: { method: "GET", path: endpoint }, times: 10, delay_ms: 600_000 });
  const describes = { connection_id: marketing, input: { method: "GET", endpoint }, wait_seconds: 5 };
  for (let i = 0; i < 10; i++) cut.push(killed.call("steps/marketing_api_call/run", describes).catch(cutOff));

  const asked = async () => [await outside.asked(deployments), await outside.sent("marketing", "GET", endpoint)];
  await expect.poll(asked).toEqual([2, 10]);
  await killed.kill();
  expect(await Promise.all(cut)).toEqual(Array(11).fill("cut off"));

  const server = await start();
  expect(await server.call(...look)).toMatchObject({ status: "succeeded" });
  expect(await server.call("steps/marketing_api_call/run", describes)).toMatchObject({ status: "succeeded" });
  await expect.poll(() => server.call(`runs/${run_id}/get`, {})).toMatchObject({ status: "succeeded" });
  expect(await asked()).toEqual([4, 11]);
});
