import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { createCaller } from "../support/http-caller.ts";
import { firstRunOf, startServer } from "../support/server-process.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

// "On restart, or when a worker dies and its lease runs out, finished steps are skipped": whoever starts alone on a folder need
// not wait for a lease, so that nobody waits for the restart of the only server and half a minute more.
test("after a crash, runs continue as soon as the server starts again, however long their leases are", async () => {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const settings = { SIGNALBOX_SANDBOXES: outside.address, SIGNALBOX_LEASE_SECONDS: "3600" };
  const killed = await startServer(home, settings);
  cleanUpLater(() => killed.kill());
  const first = firstRunOf(home);
  const authorization = `Bearer ${first.project_id}:${first.api_key}`;
  const connection_id = first.connections?.deployment ?? "";
  const steps = [
    { name: "first", step: "wait", input: { seconds: 0 } },
    { name: "look", step: "list_deployments", connection_id, input: {} },
  ];
  const before = createCaller(killed.port);
  const tool = { title: "Looks", params_schema: { type: "object" }, steps };
  const { body: made } = await before.call("tools/create", tool, { authorization });
  await outside.control("faults", { match: { method: "GET", path: "/v6/deployments" }, delay_ms: 600_000 });
  const { body: run } = await before.call(`tools/${made.tool_id}/trigger_async`, { params: {} }, { authorization });
  await expect.poll(() => outside.asked("/v6/deployments")).toBe(1);
  await killed.kill();
  before.close();

  const server = await startServer(home, settings);
  cleanUpLater(() => server.kill());
  const after = createCaller(server.port);
  const ended = async () => (await after.call(`runs/${run.run_id}/get`, {}, { authorization })).body;
  await expect.poll(ended).toMatchObject({ status: "succeeded" });
  after.close();
});
