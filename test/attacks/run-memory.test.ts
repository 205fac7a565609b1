import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createRunMemory, defaultRunSizes, type RunMemory } from "../../src/runs/queue/run-memory.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { serve } from "../support/processes/local-servers.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, describeOnBothStores, temporaryFolder } from "../support/stores.ts";
import { answerJson, type Rogue, rogueToken, startRogue } from "../support/systems/rogue.ts";

/** A large answer, which is counted before it is read. */
const answerWeight = 300_000;
const sizes = { runMax: 2_700_000, organizationOwn: 900_000, organizationMax: 3_000_000, allMax: 6_000_000 };
const runs = 20;

// "Nothing that a caller, a tenant or an external system chooses may take more memory than its cap."
describeOnBothStores("an organization with many runs of the largest allowed size", (kind) => {
  test("uses its share of memory; all runs end, and another organization's run does not wait", async () => {
    const memory = watch(createRunMemory(sizes));
    const rogue = await startRogue(kind, "deployment", { runMemory: memory });
    const held: (() => void)[] = [];
    const large = answerLarge();
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
      const end = async () => {
        const { status, problem } = (await rogue.call(`runs/${runId}/get`)).body;
        return { status, problem };
      };
      await expect.poll(end, { timeout: 60_000 }).toMatchObject({ status: "succeeded" });
    }
    // Without shares they would keep 42,000,000 together, and 9,000,000 if only boundaries were checked. The run that goes
    // ahead has its own cap, and an answer.
    expect(memory.most()).toBeGreaterThan(sizes.organizationMax / 2);
    expect(memory.most()).toBeLessThan(sizes.organizationMax + sizes.runMax + 2 * answerWeight);
    await expect.poll(memory.memory).toBe(0);
  }, 120_000);
});

// "Nothing that has been sent is sent twice": an answer that finds no room was the answer to a request.
describe("a large answer that finds no memory", () => {
  const post = { method: "POST", path: "/v9/things", body: {} };
  /** Idempotent: an answer that is lost on the way makes us send it again. */
  const patch = { method: "PATCH", path: "/v9/projects/web", body: { framework: "nextjs" } };

  async function startFull(answerMilliseconds: number) {
    const memory = createRunMemory({ organizationOwn: 0, organizationMax: 1_000_000, answerMilliseconds });
    const rogue = await startRogue("sqlite", "deployment", { runMemory: memory });
    rogue.says(answerLarge());
    const other = memory.open(rogue.owner.organizationId);
    other.resize(1_000_000);
    // It goes ahead of the others. Runs may still begin: the memory is full, and not too full.
    expect(other.reserve(1)).toBeNull();
    other.reserve(-1);
    return { rogue, other };
  }

  test("is refused in the end, and no write is sent again", async () => {
    const { rogue } = await startFull(100);
    const { api, call, arrived, connectionId } = rogue;
    const ends = [
      await api({ method: "GET", path: "/v9/things" }),
      await call(`tools/${await toolOf(call, connectionId, ["things"])}/trigger`),
      await api(patch),
      await api(post),
    ];
    expect(ends.map(({ body }) => [body.status, body.problem?.code])).toEqual([
      ...Array(2).fill(["failed", "response_too_large"]),
      ...Array(2).fill(["outcome_unknown", "outcome_unknown"]),
    ]);
    for (const { text } of ends) expect(text).toContain("used its memory for too long");
    // What the lost write was about may be read.
    const sent = arrived.filter((each) => each !== "GET /v9/projects/web");
    expect(sent).toEqual([...Array(2).fill("GET /v9/things"), "PATCH /v9/projects/web", "POST /v9/things"]);
  });

  test("waits for it, and is read once there is room", async () => {
    const { rogue, other } = await startFull(60_000);
    const written = Promise.all([rogue.api(patch), rogue.api(post)]);
    while (rogue.arrived.length < 2) await new Promise((resolve) => setImmediate(resolve));
    // A small answer has no need to wait.
    const small = answerJson(200, { name: "web" });
    rogue.says(small);
    expect((await rogue.api({ method: "GET", path: "/v9/small" })).body.status).toBe("succeeded");
    other.release();
    for (const { body } of await written)
      expect([body.status, body.output.body.text.length]).toEqual(["succeeded", answerWeight]);
    expect(rogue.arrived).toHaveLength(3);
  });
});

/** It says its length, so that no more is reserved for it. */
function answerLarge() {
  const body = { text: "x".repeat(answerWeight) };
  return answerJson(200, body, { "content-length": String(JSON.stringify(body).length) });
}

/** What a system answers, and the bytes that one answer takes up: some values take little room as JSON, and much in memory. */
const shapes = [
  { shape: "long texts", value: Array(40).fill("x".repeat(100_000)), bytes: 8_000_000 },
  {
    shape: "lists in lists",
    value: Array(10_000).fill(JSON.parse("[".repeat(20) + "]".repeat(20))),
    bytes: 11_500_000,
  },
];

// The memory of the process itself, of a real server with its own caps: an estimate that is wrong fails here.
describe("runs of one organization of the largest allowed size", () => {
  test.each(shapes)(
    "use at most its cap of memory: $shape",
    async ({ value, bytes }) => {
      const server = await startGreedyServer(JSON.stringify({ value }));
      const before = await server.heap();
      await server.start(runs);
      // Until the run that goes ahead is at its last step, which is held up, and the others wait: nothing more is asked for.
      for (let quiet = 0, asked = 0; quiet < 30; asked = server.asked()) {
        await server.call("auth/info");
        quiet = server.asked() === asked && server.isAtLast() ? quiet + 1 : 0;
      }
      const cap = defaultRunSizes.organizationMax + 2 * bytes;
      const ratio = async () => ((await server.heap()) - before) / cap;
      // The memory was filled at all.
      expect(await ratio()).toBeGreaterThan(0.3);
      // Buffers outside of the heap are freed some time after the collection that finds them unused.
      await expect.poll(ratio).toBeLessThan(1.6);
    },
    240_000,
  );
});

/** A server in a process of its own, connected to a system that answers every step but the last. */
async function startGreedyServer(answer: string) {
  let asked = 0;
  let atLast = 0;
  const origin = await serve((request, response) => {
    const url = request.url ?? "";
    if (url.startsWith("/v2/user")) return answerJson(200, { user: { id: "u_1", username: "r" } })(request, response);
    if (url.startsWith("/v2/teams")) return answerJson(200, { teams: [], pagination: {} })(request, response);
    asked++;
    if (url === "/v9/last") return void atLast++;
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  const home = temporaryFolder();
  const preload = fileURLToPath(new URL("./support/measure-heap.ts", import.meta.url));
  const server = await startServer(home, { SIGNALBOX_PRIVATE_HOSTS_STEPS: origin }, preload);
  cleanUpLater(() => server.kill());
  const caller = createCaller(server.port, 4);
  cleanUpLater(async () => caller.close());
  const { project_id, api_key } = firstRunOf(home);
  const call: Rogue["call"] = async (operation, body = {}) =>
    caller.call(operation, body, { authorization: `Bearer ${project_id}:${api_key}` });
  const wish = { system: "deployment", instance: origin, credentials: { token: rogueToken } };
  const { connection_id } = (await call("connections/connect", wish)).body;
  const tool = await toolOf(call, connection_id, ["a", "b", "c", "d", "e", "f", "last"]);
  return {
    heap: async () => (await server.ask("heap")) as number,
    start: (count: number) => Promise.all(Array.from({ length: count }, () => call(`tools/${tool}/trigger_async`))),
    call,
    asked: () => asked,
    isAtLast: () => atLast > 0,
  };
}

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
        resize(weight, bytes) {
          share.resize(weight, bytes);
          most = Math.max(most, memory.memory());
        },
        reserve(bytes) {
          const room = share.reserve(bytes);
          most = Math.max(most, memory.memory());
          return room;
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
