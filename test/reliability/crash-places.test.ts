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
test("the Idempotency-Key of a call that was cut off with its process is free for the repeat at once", async () => {
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
