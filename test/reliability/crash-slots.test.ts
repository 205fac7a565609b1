import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { createCaller } from "../support/http-caller.ts";
import { firstRunOf, startServer } from "../support/server-process.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

async function startWorld() {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const start = async () => {
    const server = await startServer(home, { SIGNALBOX_SANDBOXES: outside.address });
    cleanUpLater(() => server.kill());
    const caller = createCaller(server.port);
    cleanUpLater(async () => caller.close());
    const first = firstRunOf(home);
    const authorization = `Bearer ${first.project_id}:${first.api_key}`;
    return {
      ...server,
      first,
      call: (path: string, body: object, more = {}) => caller.call(path, body, { authorization, ...more }),
    };
  };
  return { outside, start };
}

// "A key's place ends with its process: a repeat is taken up within seconds", and at once by a server that starts alone.
test("the Idempotency-Key of a call whose process crashed can be used again at once", async () => {
  const { outside, start } = await startWorld();
  const killed = await start();
  const body = { connection_id: killed.first.connections?.deployment ?? "", input: {} };
  const keyed = { "idempotency-key": "cut off" };
  await outside.control("faults", { match: { method: "GET", path: "/v6/deployments" }, delay_ms: 600_000 });
  const cut = killed.call("steps/list_deployments/run", body, keyed).catch(() => "cut off");
  await expect.poll(() => outside.asked("/v6/deployments")).toBe(1);
  await killed.kill();
  expect(await cut).toBe("cut off");

  const server = await start();
  const repeated = await server.call("steps/list_deployments/run", body, keyed);
  expect(repeated.body).toMatchObject({ status: "succeeded" });
  expect(await outside.asked("/v6/deployments")).toBe(2);
});

// "Places are leases of the process; a server that starts alone frees them at once."
test("a crash with all ten concurrent calls of a marketing account in progress delays no call after the restart", async () => {
  const { outside, start } = await startWorld();
  const tell = (door: string, body: object) =>
    fetch(`${outside.address}/_sandbox/${door}`, { method: "POST", body: JSON.stringify(body) });
  // Whether the system itself is still at those calls is not the question here.
  await tell("limits", { concurrent_calls: 100 });
  const path = "/rest/v1/leads/describe.json";
  await tell("faults", { match: { method: "GET", path }, times: 10, delay_ms: 600_000 });
  const killed = await start();
  const body = {
    connection_id: killed.first.connections?.marketing ?? "",
    input: { method: "GET", endpoint: path },
    wait_seconds: 5,
  };
  const callAll = createCaller(killed.port, 10);
  cleanUpLater(async () => callAll.close());
  const authorization = `Bearer ${killed.first.project_id}:${killed.first.api_key}`;
  const cut = Array.from({ length: 10 }, () =>
    callAll.call("steps/marketing_api_call/run", body, { authorization }).catch(() => "cut off"),
  );
  await expect.poll(() => outside.sent("marketing", "GET", path)).toBe(10);
  await killed.kill();
  expect(await Promise.all(cut)).toEqual(Array(10).fill("cut off"));

  const server = await start();
  expect((await server.call("steps/marketing_api_call/run", body)).body).toMatchObject({ status: "succeeded" });
});
