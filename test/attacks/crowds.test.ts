import { expect, test } from "vitest";
import { describeOnBothStores } from "../support/stores.ts";
import { answerJson, type Rogue, rogueToken, startRogue } from "../support/systems/rogue.ts";

/** "No tenant can stop or slow down another's work": slow systems of one organization hold its own calls, and no others. */
describeOnBothStores("an organization whose system never answers", (kind) => {
  test("with 200 direct calls does not slow down another organization's calls to the same address", async () => {
    const { rogue, slow, neighbour } = await startBeside(kind);
    const calls = Array.from({ length: 200 }, () =>
      rogue.api({ method: "GET", path: "/v9/slow" }, { wait_seconds: 0 }),
    );
    await until(() => slow.length >= 128);
    for (let i = 0; i < 20; i++) expect((await neighbour.api()).body.status).toBe("succeeded");
    expect(slow.length).toBe(128);
    await release(slow, calls);
  });

  test("with 150 runs leaves capacity for another organization's runs", async () => {
    const { rogue, slow, neighbour } = await startBeside(kind);
    const theirs = await toolOf(rogue.call, rogue.connectionId, "/v9/slow");
    const mine = await toolOf(neighbour.call, neighbour.connectionId, "/v9/projects/web");
    for (let i = 0; i < 75; i++) {
      expect((await rogue.call(`tools/${theirs}/trigger_async`)).status).toBe(200);
      expect((await rogue.call(`tools/${theirs}/trigger`, { wait_seconds: 0 })).status).toBe(200);
    }
    await until(() => slow.length >= 60);
    expect((await neighbour.call(`tools/${mine}/trigger`)).body.status).toBe("succeeded");
    const { body } = await neighbour.call(`tools/${mine}/trigger_async`);
    await expect.poll(async () => (await neighbour.call(`runs/${body.run_id}/get`)).body.status).toBe("succeeded");
    expect(slow.length).toBeLessThan(86);
    await release(slow, []);
    const left = async () =>
      (await rogue.app.store.query("select id from runs where status in ('queued', 'running', 'waiting')")).length;
    await expect.poll(left).toBe(0);
  }, 60_000);
});

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

/** Those that come later are answered at once. */
async function release(slow: (() => void)[] & { isOver?: true }, calls: Promise<unknown>[]): Promise<void> {
  slow.isOver = true;
  for (const answer of slow) answer();
  await Promise.all(calls);
}

/** Two organizations with accounts at one system, which answers to one path only when told. */
async function startBeside(kind: Parameters<typeof startRogue>[0]) {
  const rogue = await startRogue(kind);
  const slow: (() => void)[] & { isOver?: true } = [];
  const ok = answerJson(200, { name: "web" });
  rogue.says((request, response) => {
    if (!request.url?.startsWith("/v9/slow") || slow.isOver) return ok(request, response);
    slow.push(() => ok(request, response));
  });
  const person = await rogue.app.person("neighbour@elsewhere.example");
  const project = await rogue.app.project(person, "Elsewhere");
  const call: Rogue["call"] = (operation, body = {}) => rogue.app.call(operation, body, { as: person, project });
  const wish = { system: "deployment", instance: rogue.origin, credentials: { token: `${rogueToken}-2` } };
  const connectionId = (await call("connections/connect", wish)).body.connection_id as string;
  const input = { method: "GET", path: "/v9/projects/web" };
  const api = () => call("steps/deployment_api_call/run", { connection_id: connectionId, input });
  return { rogue, slow, neighbour: { call, api, connectionId } };
}

async function toolOf(call: Rogue["call"], connectionId: string, path: string): Promise<string> {
  const step = {
    name: "look",
    step: "deployment_api_call",
    connection_id: connectionId,
    input: { method: "GET", path },
  };
  const made = await call("tools/create", { title: "Looks", params_schema: { type: "object" }, steps: [step] });
  expect(made.status).toBe(200);
  return made.body.tool_id as string;
}
