import { expect, test } from "vitest";
import { pauseOf } from "./support/hostile/pause.ts";
import { startHostileWorld } from "./support/hostile/start-world.ts";

/**
 * "Nothing that a caller chooses may take more than 50 ms of the event loop": a body of the largest size is parsed, redacted, signed,
 * hashed and written a slice at a time, wherever it goes. Half a token without end takes redaction longest, and so do very many names a parser.
 */
const largest = 4 * 1024 * 1024 - 4096;
const halfTokens = JSON.stringify("eyJ-".repeat(largest / 4));
const crowd = Array.from({ length: 60_000 }, (_, index) => `"m${index}":1`).join(",");
const manyNames = `{${Array.from({ length: 50_000 }, (_, index) => `"name_${index}":"${"eyJ-".repeat(10)}"`).join(",")}}`;

test("a body of the largest size does not hold up others, whatever it is for", { timeout: 180_000 }, async () => {
  const world = await startHostileWorld();
  const { agent_id, tool_id } = world.values;
  const step = { connection_id: world.connections.deployment, input: { method: "PATCH", path: "/v9/projects/web" } };
  const bodies: [path: string, body: (json: string) => string][] = [
    [`/latest/agents/${agent_id}/test_event`, (json) => `{"type":"test","payload":{"a":${json}}}`],
    [world.webhookPath, (json) => `{"type":"test","payload":{"a":${json}}}`],
    ["/latest/schedules/create", (json) => `{"tool_id":"${tool_id}","cron":"0 9 1 1 *","params":{"a":${json}}}`],
    [
      "/latest/steps/deployment_api_call/run",
      (json) => JSON.stringify(step).replace(/\}\}$/, `,"body":{"framework":${json}}}}`),
    ],
  ];
  const found: [string, number, string | null][] = [];
  for (const [path, body] of bodies) {
    for (const json of [halfTokens, manyNames]) {
      let status = 0;
      const pause = await pauseOf(world, async () => {
        const headers = { ...world.headers, "idempotency-key": crypto.randomUUID() };
        status = await world.send({ method: "POST", path, headers, body: body(json) });
      });
      found.push([path, status, pause]);
    }
  }
  expect(found.map(([path, , pause]) => [path, pause])).toEqual(found.map(([path]) => [path, null]));
  // All of them are taken: what is refused at once takes no time.
  expect(found.filter(([, status]) => status !== 200 && status !== 202)).toEqual([]);
});

/**
 * Copying an object with tens of thousands of members takes V8 up to 100 ms, so no check does so: of such an object only the known
 * members are read, and its names are listed at most once.
 */
test("very many members do not hold up others, wherever they are", { timeout: 180_000 }, async () => {
  const world = await startHostileWorld();
  const { tool_id } = world.values;
  const bodies: [path: string, body: string][] = [
    [`/latest/tools/${tool_id}/get`, `{${crowd}}`],
    [`/latest/tools/${tool_id}/trigger`, `{"params":{${crowd}}}`],
    ["/latest/steps/list_deployments/run", `{"connection_id":"${world.connections.deployment}","input":{${crowd}}}`],
    ["/latest/tools/create", `{"title":"T","steps":[{"name":"a","step":"wait","input":{},${crowd}}]}`],
  ];
  const found: [string, string | null][] = [];
  for (const [path, body] of bodies) {
    const headers = { ...world.headers, "idempotency-key": crypto.randomUUID() };
    found.push([path, await pauseOf(world, () => world.send({ method: "POST", path, headers, body }))]);
  }
  expect(found).toEqual(found.map(([path]) => [path, null]));
});
