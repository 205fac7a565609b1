import { expect, test } from "vitest";
import { createRunMemory, type RunMemory } from "../../src/runs/engine/run-memory.ts";
import { answerJson, type Rogue, rogueToken, startRogue } from "../support/rogue.ts";
import { describeOnBothStores } from "../support/stores.ts";

const answerWeight = 100_000;
const sizes = { runMax: 900_000, organizationOwn: 300_000, organizationMax: 1_000_000, allMax: 2_000_000 };
const runs = 20;

// "Nothing that a caller, a tenant or an external system chooses may take more memory than its cap."
describeOnBothStores("an organization with many runs that keep as much as they may", (kind) => {
  test("has its share of the memory and one answer for each run, all of them end, and another's run does not wait", async () => {
    const memory = watch(createRunMemory(sizes));
    const rogue = await startRogue(kind, "deployment", { runMemory: memory });
    const held: (() => void)[] = [];
    const large = answerJson(200, { text: "x".repeat(answerWeight) });
    let isHeld = true;
    rogue.says((request, response) => {
      if (isHeld && request.url === "/v9/last") return held.push(() => large(request, response));
      return request.url === "/v9/small"
        ? answerJson(200, { name: "web" })(request, response)
        : large(request, response);
    });
    const greedy = await toolOf(rogue.call, rogue.connectionId, ["a", "b", "c", "d", "e", "f", "last"]);
    const started = await Promise.all(
      Array.from({ length: runs }, async () => (await rogue.call(`tools/${greedy}/trigger_async`)).body.run_id),
    );
    // The one that goes ahead is held up at its last step, and the others wait for it.
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const neighbour = await neighbourOf(rogue);
    const mine = await toolOf(neighbour.call, neighbour.connectionId, ["small"]);
    for (let i = 0; i < 5; i++) {
      expect((await neighbour.call(`tools/${mine}/trigger`)).body.status).toBe("succeeded");
    }
    isHeld = false;
    for (const answer of held) answer();
    for (const runId of started) {
      const status = async () => (await rogue.call(`runs/${runId}/get`)).body.status;
      await expect.poll(status, { timeout: 60_000 }).toBe("succeeded");
    }
    // Without shares they would keep 14,000,000 together.
    const oneAnswerEach = runs * answerWeight * 1.1;
    expect(memory.most()).toBeGreaterThan(sizes.organizationMax);
    expect(memory.most()).toBeLessThan(sizes.organizationMax + oneAnswerEach + sizes.runMax);
    await expect.poll(memory.weight).toBe(0);
  }, 120_000);
});

/** The most that all runs have kept at once. */
function watch(memory: RunMemory): RunMemory & { most(): number } {
  let most = 0;
  return {
    ...memory,
    most: () => most,
    open(organizationId) {
      const share = memory.open(organizationId);
      return {
        ...share,
        resize(weight) {
          share.resize(weight);
          most = Math.max(most, memory.weight());
        },
      };
    },
  };
}

async function toolOf(call: Rogue["call"], connection_id: string, names: string[]): Promise<string> {
  const steps = names.map((name) => ({
    name,
    step: "deployment_api_call",
    connection_id,
    input: { method: "GET", path: `/v9/${name}` },
  }));
  const made = await call("tools/create", { title: "Keeps", params_schema: { type: "object" }, steps });
  expect(made.status, made.text).toBe(200);
  return made.body.tool_id;
}

async function neighbourOf(rogue: Rogue) {
  const as = await rogue.app.person("neighbour@elsewhere.example");
  const project = await rogue.app.project(as, "Elsewhere");
  const call: Rogue["call"] = (operation, body = {}) => rogue.app.call(operation, body, { as, project });
  const wish = { system: "deployment", instance: rogue.origin, credentials: { token: `${rogueToken}-2` } };
  return { call, connectionId: (await call("connections/connect", wish)).body.connection_id as string };
}
