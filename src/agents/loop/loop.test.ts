import { describe, expect, test } from "vitest";
import { created, creates, done, looks, tool } from "../../../test/support/runs/agent-turns.ts";
import { type AgentWorld, startAgentWorld } from "../../../test/support/runs/agent-world.ts";
import { modelKey, resultsShown, type Turn } from "../../../test/support/runs/models.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

/** Advances the clock until the run no longer waits. */
async function waitedOut(world: AgentWorld, runId: string) {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const run = await world.once(runId, "waiting", "succeeded", "failed");
    if (run.status !== "waiting" || run.waiting_for.kind !== "retry") return run;
    const seconds = (Date.parse(run.waiting_for.until) - world.app.now().getTime()) / 1000;
    if (seconds > 0) world.app.advance(seconds);
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("It is tried without end.");
}

describeOnBothStores("an agent's model that fails", (kind) => {
  test("is asked again with growing pauses while it is busy, broken or unreachable", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent();
    const page = "<html>Bad gateway</html>";
    world.model.say(
      { status: 429, body: { error: { message: "slow down" } }, headers: { "retry-after": "7" } },
      { status: 500 },
      { hangsUp: true },
      { bytes: page },
      { bytes: '{"choices":[]}' },
      done,
    );
    const first = await world.ask(agent, "Hello");
    expect(first).toMatchObject({ status: "waiting", waiting_for: { kind: "retry", step: "turn_1" } });
    expect(first.waiting_for.detail).toContain("429: slow down");
    // `Retry-After` is obeyed.
    const sentAt = Date.parse(first.steps[0].attempts[0].sent_at);
    expect(Date.parse(first.waiting_for.until) - sentAt).toBeGreaterThanOrEqual(7_000);
    const run = await waitedOut(world, first.run_id);
    expect(run).toMatchObject({ status: "succeeded", output: { message: "Done." }, usage: { turns: 1 } });
    const { attempts } = run.steps[0];
    expect(attempts.map(({ response }: { response?: { status: number } }) => response?.status ?? null)).toEqual([
      429,
      500,
      null,
      200,
      200,
      200,
    ]);
    expect(attempts.slice(0, 5).every(({ problem }: { problem: unknown }) => problem)).toBe(true);
    expect(attempts[5].problem).toBeUndefined();
  });

  test("is not asked for ever: a model that stays away fails the run with the reason", async () => {
    const world = await startAgentWorld(kind);
    world.model.say({ status: 503, body: { error: { message: "overloaded" } } });
    const agent = await world.agent();
    const { run_id: runId } = await world.ask(agent, "Hello");
    expect(await waitedOut(world, runId)).toMatchObject({
      status: "failed",
      problem: { code: "model_unavailable", retry: "later", detail: expect.stringContaining("overloaded") },
    });
    expect(world.model.asked).toHaveLength(6);
  });

  test("and repeats itself is stopped after its turns", async () => {
    const world = await startAgentWorld(kind);
    world.model.say(looks);
    const agent = await world.agent({ max_turns: 3 });
    expect(await world.ask(agent, "Look")).toMatchObject({
      status: "failed",
      problem: { code: "turns_used_up" },
      usage: { turns: 3 },
    });
    expect(world.model.asked).toHaveLength(3);
  });

  test("is stopped at its tokens, also if its server does not count them", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent({ max_tokens: 1_000 });
    world.model.say({ ...looks, tokens: [900, 200] });
    expect(await world.ask(agent, "Look")).toMatchObject({
      status: "failed",
      problem: { code: "tokens_used_up" },
      usage: { turns: 1, total_tokens: 1_100, estimated: false },
    });
    world.model.say({ ...looks, tokens: null });
    const run = await world.ask(agent, "Look again");
    expect(run).toMatchObject({ problem: { code: "tokens_used_up" }, usage: { turns: 1, estimated: true } });
  });

  test("is stopped when its time is over; the time that a person took does not count", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent({ max_minutes: 10 });
    world.model.say(creates, done);
    const { run_id: patient } = await world.ask(agent, "Deploy");
    world.app.advance(86_400);
    await world.call(`runs/${patient}/approve`, { approved: true });
    expect(await world.once(patient, "succeeded", "failed")).toMatchObject({ status: "succeeded" });

    // Nor does it count if a tool asks them.
    const steps = [{ name: "ask", step: "approve", input: { message: "May I?" } }];
    const asks = await world.agent({ max_minutes: 10, tools: [await tool(world, { title: "Ask", steps })] });
    world.model.say({ calls: [{ name: "ask", input: {} }] }, done);
    const { run_id: through, waiting_for } = await world.ask(asks, "Ask");
    await world.once(waiting_for.run_id, "waiting");
    world.app.advance(86_400);
    await world.call(`runs/${waiting_for.run_id}/approve`, { approved: true });
    await world.once(waiting_for.run_id, "succeeded");
    expect(await world.once(through, "succeeded", "failed")).toMatchObject({ status: "succeeded" });

    world.model.say({ status: 500 }, done);
    const { run_id: slow } = await world.ask(agent, "Deploy");
    world.app.advance(601);
    expect(await world.once(slow, "succeeded", "failed")).toMatchObject({ problem: { code: "time_used_up" } });
  });
});

describe("an agent's model", () => {
  test("has as many turns under way as the settings allow; other runs wait without a worker", async () => {
    const world = await startAgentWorld("sqlite");
    world.model.settings.callsMax = 1;
    const agent = await world.agent();
    const thinks = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    world.model.say(
      async () => {
        thinks.resolve();
        await released.promise;
        return done;
      },
      done,
      done,
    );
    const first = await world.ask(agent, "Think", { wait_seconds: 0 });
    await thinks.promise;
    const second = await world.ask(agent, "Hello");
    expect(second).toMatchObject({ status: "waiting", waiting_for: { kind: "limit" } });
    // Another organization has a share of its own.
    const neighbour = await world.app.person("neighbour@example.org");
    const there = { as: neighbour, project: await world.app.project(neighbour) };
    const { agent_id } = (await world.app.call("agents/create", { name: "Next door" }, there)).body;
    const theirs = await world.app.call(`agents/${agent_id}/trigger`, { message: "Hello" }, there);
    expect(theirs.body).toMatchObject({ status: "succeeded" });
    released.resolve();
    expect((await world.once(first.run_id, "succeeded", "failed")).status).toBe("succeeded");
    world.app.advance(10);
    expect(await world.once(second.run_id, "succeeded", "failed")).toMatchObject({ status: "succeeded" });
  });

  test("that refuses for good, with a wrong key or an unknown model, ends the run at once", async () => {
    const world = await startAgentWorld("sqlite");
    const agent = await world.agent();
    for (const status of [400, 401, 404]) {
      world.model.say({ status, body: { error: { message: `no ${modelKey}` } } });
      const run = await world.ask(agent, "Hello");
      expect(run).toMatchObject({ status: "failed", problem: { code: "model_refused" } });
      expect(run.problem.detail).toContain(`${status}: no [secret]`);
    }
    expect(world.model.asked).toHaveLength(3);
  });

  test("that takes too long is cut off, and asked again", async () => {
    const world = await startAgentWorld("sqlite");
    world.model.settings.timeoutSeconds = 0.2;
    const never = new Promise<Turn>(() => {});
    world.model.say(() => never, done);
    const first = await world.ask(await world.agent(), "Hello");
    expect(first).toMatchObject({ status: "waiting", waiting_for: { kind: "retry" } });
    expect(first.waiting_for.detail).toContain("too long");
    expect((await waitedOut(world, first.run_id)).status).toBe("succeeded");
  });

  test("that calls what does not exist, or with invalid arguments, learns why", async () => {
    const world = await startAgentWorld("sqlite");
    const connection_id = world.connections.deployment;
    const agent = await world.agent({ steps: [{ step: "list_deployments", connection_id }] });
    world.model.say(
      {
        calls: [
          { name: "create_deployment", input: { project: "web" } },
          { name: "list_deployments", input: "{broken" },
          { name: "list_deployments", input: { state: "SAD" } },
          { name: "list_deployments", input: { surprise: true } },
          { name: "list_deployments", input: ["a list"] },
        ],
      },
      done,
    );
    const run = await world.ask(agent, "Deploy");
    expect(run).toMatchObject({ status: "succeeded" });
    const shown = resultsShown(world.model.asked[1]);
    expect(shown).toHaveLength(5);
    expect(shown[0]).toContain("There is no tool");
    expect(shown[0]).toContain("list_deployments");
    expect(shown[1]).toContain("one JSON object");
    expect(shown[2]).toContain("SAD");
    expect(shown[3]).toContain("surprise");
    expect(shown[4]).toContain("one JSON object");
    expect(run.steps.slice(1, 6).map(({ status }: { status: string }) => status)).toEqual(Array(5).fill("failed"));
    expect(await world.sandboxes.deployment.requests("/v6/deployments")).toHaveLength(0);
    expect(await created(world)).toBe(0);
  });

  test("that gives more arguments than a turn may have, or nests them too deep, learns why", async () => {
    const world = await startAgentWorld("sqlite");
    const connection_id = world.connections.deployment;
    const agent = await world.agent({ steps: [{ step: "list_deployments", connection_id }] });
    const call = (input: unknown) => ({ name: "list_deployments", input });
    world.model.say(
      {
        calls: [
          call({ limit: 1 }),
          call({ state: Array.from({ length: 10_001 }, () => "READY") }),
          call(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`),
        ],
      },
      done,
    );
    expect((await world.ask(agent, "Look")).status).toBe("succeeded");
    const [fine, many, deep] = resultsShown(world.model.asked[1]);
    expect(fine).not.toContain("one JSON object");
    for (const refused of [many, deep]) expect(refused).toContain("one JSON object");
  });
});
