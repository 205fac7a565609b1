import { expect, test } from "vitest";
import { permissions } from "../../../test/support/app.ts";
import { created, creates, done, looks, tool } from "../../../test/support/runs/agent-turns.ts";
import { startAgentWorld } from "../../../test/support/runs/agent-world.ts";
import { resultsShown, type Turn } from "../../../test/support/runs/models.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("an agent's calls", (kind) => {
  test("need a person's approval as its setting says: never, for writes, always", async () => {
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
      // Braces that the model writes are text, not expressions of the tool.
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

  test("of a tool that writes need an approval, which shows the tool and its params", async () => {
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

  test("end with the run: cancelling it also cancels the tool that it waits for", async () => {
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

  test("whose answer is lost wait for a person, and the model gets their decision", async () => {
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

  test("stop once the person who asked for them loses the permission", async () => {
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
