import { describe, expect, test } from "vitest";
import { type AgentWorld, startAgentWorld } from "../../test/support/agent-world.ts";
import { newTool } from "../../test/support/agents.ts";
import { permissions } from "../../test/support/app.ts";
import { modelKey, resultsShown, type Turn } from "../../test/support/models.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const looks: Turn = { calls: [{ name: "list_deployments", input: { limit: 1 } }] };
const creates: Turn = { calls: [{ name: "create_deployment", input: { project: "web", branch: "main" } }] };
const done: Turn = { text: "Done." };
const createPath = "/v13/deployments";

const created = async (world: AgentWorld) =>
  (await world.sandboxes.deployment.requests(createPath)).filter(({ method }) => method === "POST").length;

/** Lets the time pass that the run waits for, until it waits no longer. */
async function waitedOut(world: AgentWorld, runId: string) {
  for (const end = performance.now() + 15_000; performance.now() < end; ) {
    const run = await world.once(runId, "waiting", "succeeded", "failed");
    if (run.status !== "waiting" || run.waiting_for.kind !== "retry") return run;
    const seconds = (Date.parse(run.waiting_for.until) - world.app.now().getTime()) / 1000;
    if (seconds > 0) world.app.advance(seconds);
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("It is tried without end.");
}

const tool = (world: AgentWorld, more: Record<string, unknown>) =>
  newTool(
    { call: world.app.call, owner: world.owner, inProject: () => ({ as: world.owner, project: world.projectId }) },
    more,
  );

describeOnBothStores("an agent's model on its bad days", (kind) => {
  test("is asked again where it is busy, broken or gone for a moment, later and later", async () => {
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
    // "Retry-After" is heeded.
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

  test("is not asked for ever: a model that stays away ends the run with what it was", async () => {
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

  test("that goes round in circles is stopped after its turns", async () => {
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

  test("is stopped at its tokens, also where its server does not count them", async () => {
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

    // Nor does it where it is a tool that asks.
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
  test("is asked for as many turns at once as the settings allow, and the others wait without a worker", async () => {
    const world = await startAgentWorld("sqlite");
    world.model.settings.callsMax = 1;
    const agent = await world.agent();
    const thinks = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    world.model.say(async () => {
      thinks.resolve();
      await released.promise;
      return done;
    }, done);
    const first = await world.ask(agent, "Think", { wait_seconds: 0 });
    await thinks.promise;
    const second = await world.ask(agent, "Hello");
    expect(second).toMatchObject({ status: "waiting", waiting_for: { kind: "limit" } });
    released.resolve();
    expect((await world.once(first.run_id, "succeeded", "failed")).status).toBe("succeeded");
    world.app.advance(10);
    expect(await world.once(second.run_id, "succeeded", "failed")).toMatchObject({ status: "succeeded" });
  });

  test("says no for good, with a wrong key or an unknown model, and ends the run at once", async () => {
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

  test("that thinks for too long is cut off, and asked again", async () => {
    const world = await startAgentWorld("sqlite");
    world.model.settings.timeoutSeconds = 0.2;
    const never = new Promise<Turn>(() => {});
    world.model.say(() => never, done);
    const first = await world.ask(await world.agent(), "Hello");
    expect(first).toMatchObject({ status: "waiting", waiting_for: { kind: "retry" } });
    expect(first.waiting_for.detail).toContain("too long");
    expect((await waitedOut(world, first.run_id)).status).toBe("succeeded");
  });

  test("asks for what is not there, or with arguments that do not fit, and is told so", async () => {
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
});

describeOnBothStores("an agent's calls", (kind) => {
  test("ask a person as its rule says: never, for writes, always", async () => {
    const world = await startAgentWorld(kind);
    const ask = async (approval: string, turn: Turn) => {
      world.model.say(turn, done);
      return (await world.ask(await world.agent({ approval }), "Go")).status;
    };
    expect(await ask("never", creates)).toBe("succeeded");
    expect(await ask("writes", looks)).toBe("succeeded");
    expect(await ask("writes", creates)).toBe("waiting");
    expect(await ask("always", looks)).toBe("waiting");
    expect(await created(world)).toBe(1);
  });

  test("are cut to a size that a model can take, with a note", async () => {
    const world = await startAgentWorld(kind);
    const connection_id = world.connections.deployment;
    const agent = await world.agent({ steps: [{ step: "deployment_api_call", connection_id }] });
    const path = "/v9/projects/large";
    await world.sandboxes.deployment.control("faults", {
      match: { method: "GET", path },
      times: 1,
      status: 200,
      body: { text: "x".repeat(100_000) },
    });
    world.model.say({ calls: [{ name: "deployment_api_call", input: { method: "GET", path } }] }, done);
    const run = await world.ask(agent, "Read it");
    const [shown = ""] = resultsShown(world.model.asked[1]);
    expect(shown.length).toBeLessThan(21_000);
    expect(shown).toContain("[Cut here: these are the first 20000 of");
    expect(run.steps[1].output.body.text).toHaveLength(100_000);
  });

  test("stay within the connection's policy, whatever the model was talked into", async () => {
    const world = await startAgentWorld(kind);
    const policy = { rules: [{ effect: "deny", methods: ["POST"] }] };
    const { status, text } = await world.call(`connections/${world.connections.deployment}/update`, { policy });
    expect([status, text]).toEqual([200, text]);
    world.model.say(creates, done);
    const run = await world.ask(await world.agent({ approval: "never" }), "Deploy");
    expect(run).toMatchObject({ status: "succeeded" });
    expect(resultsShown(world.model.asked[1]).join()).toContain("policy_denied");
    expect(await created(world)).toBe(0);
  });

  test("may be a tool: it runs as a run of its own, and the agent waits for it", async () => {
    const world = await startAgentWorld(kind);
    const tool_id = await tool(world, {
      title: "Take note!",
      params_schema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
      output: { noted: "{{params.what}}" },
    });
    world.model.say(
      { calls: [{ name: "take_note", input: { wrong: 1 } }] },
      // Braces of the model are a text, and no expression of the tool.
      { calls: [{ name: "take_note", input: { what: "{{ params }}" } }] },
      done,
    );
    const agent = await world.agent({ steps: [], tools: [tool_id] });
    const { run_id: runId } = await world.ask(agent, "Note this", { wait_seconds: 0 });
    const run = await world.once(runId, "succeeded", "failed");
    expect(run).toMatchObject({ status: "succeeded", usage: { turns: 3 } });
    expect(resultsShown(world.model.asked[1]).join()).toContain("what");
    const { output } = run.steps.at(-2);
    expect(output).toEqual({
      run_id: expect.stringMatching(/^run_/),
      status: "succeeded",
      output: { noted: "{{ params }}" },
    });
    expect((await world.call(`runs/${output.run_id}/get`)).body).toMatchObject({ tool_id, status: "succeeded" });
  });

  test("of a tool that writes ask a person, who sees the tool and its params", async () => {
    const world = await startAgentWorld(kind);
    const connection_id = world.connections.deployment;
    const input = { project: "web", branch: "{{params.branch}}" };
    const tool_id = await tool(world, {
      title: "Redeploy",
      steps: [{ name: "again", step: "create_deployment", connection_id, input }],
      output: "{{steps.again.output}}",
    });
    const agent = await world.agent({ steps: [], tools: [tool_id] });
    world.model.say({ calls: [{ name: "redeploy", input: { branch: "main" } }] }, done);
    const asking = await world.ask(agent, "Deploy");
    expect(asking).toMatchObject({
      status: "waiting",
      waiting_for: { kind: "approval", request: { tool_id, params: { branch: "main" } } },
    });
    await world.call(`runs/${asking.run_id}/approve`, { approved: true });
    expect(await world.once(asking.run_id, "succeeded", "failed")).toMatchObject({ status: "succeeded" });
    expect(await created(world)).toBe(1);
  });

  test("end with the run: cancelled, it takes the tool along that it waits for", async () => {
    const world = await startAgentWorld(kind);
    const tool_id = await tool(world, {
      title: "Rest",
      steps: [{ name: "rest", step: "wait", input: { seconds: 3600 } }],
    });
    world.model.say({ calls: [{ name: "rest", input: {} }] }, done);
    const agent = await world.agent({ steps: [], tools: [tool_id] });
    const waiting = await world.ask(agent, "Rest");
    expect(waiting).toMatchObject({ status: "waiting", waiting_for: { kind: "run" } });
    const child = waiting.waiting_for.run_id;
    await world.once(child, "waiting");
    expect((await world.call(`runs/${waiting.run_id}/cancel`)).body).toMatchObject({ status: "cancelled" });
    expect((await world.call(`runs/${child}/get`)).body).toMatchObject({ status: "cancelled" });
  });

  test("whose answer is lost wait for a person; what they say is told to the model", async () => {
    const world = await startAgentWorld(kind);
    const { marketing } = world.sandboxes;
    const agent = await world.agent({
      approval: "never",
      steps: [{ step: "marketing_api_call", connection_id: world.connections.marketing }],
    });
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, times: 1, drop: "after" });
    const body = { input: { leads: [{ id: marketing.ids.lead_id }] } };
    world.model.say({ calls: [{ name: "marketing_api_call", input: { method: "POST", endpoint, body } }] }, done);
    const asks = await world.ask(agent, "Fire");
    expect(asks).toMatchObject({ status: "outcome_unknown", waiting_for: { step: "turn_1_call_1" } });
    const settled = { outcome: "happened", output: { status: 200 } };
    expect((await world.call(`runs/${asks.run_id}/resolve`, settled)).status).toBe(200);
    expect(await world.once(asks.run_id, "succeeded", "failed")).toMatchObject({ status: "succeeded" });
    expect(resultsShown(world.model.asked[1])).toEqual(['{"status":200}']);
    expect(await marketing.requests(endpoint)).toHaveLength(1);
  });

  test("are not made any more once whoever asked for them may not", async () => {
    const world = await startAgentWorld(kind);
    const { app, owner, projectId } = world;
    const editor = await app.person("editor@example.com", owner);
    await world.call("auth/invite/create", { email: editor.email, permissions: permissions("role:editor") });
    const agent = await world.agent();
    world.model.say(creates, done);
    const { body: run } = await app.call(
      `agents/${agent.id}/trigger`,
      { message: "Deploy" },
      { as: editor, project: projectId },
    );
    expect(run.status).toBe("waiting");
    await world.call(`auth/users/${editor.userId}/delete`);
    await world.call(`runs/${run.run_id}/approve`, { approved: true });
    expect(await world.once(run.run_id, "succeeded", "failed")).toMatchObject({
      status: "failed",
      problem: { code: "owner_not_allowed" },
    });
    expect(await created(world)).toBe(0);
  });
});
