import { expect, test } from "vitest";
import { startAgentWorld } from "../../../test/support/runs/agent-world.ts";
import { newAgent, newTool, platformEvent, sendEvent } from "../../../test/support/runs/agents.ts";
import { noModelSettings } from "../../../test/support/runs/models.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectGuarded, startTeam } from "../../../test/support/team.ts";

describeOnBothStores("giving an agent a message", (kind) => {
  test("returns the run with the agent's answer, with an audit row, and the run can be read", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent();
    world.model.say({ text: "It is green." });
    const headers = { "idempotency-key": "once" };
    const body = { message: "How is it? My password: hunter2hunter2" };
    const { body: run } = await world.call(`agents/${agent.id}/trigger`, body, headers);
    expect(run).toMatchObject({
      status: "succeeded",
      agent_id: agent.id,
      tool_id: null,
      started_by: world.owner.userId,
      params: { message: "How is it? My password: [secret]" },
      output: { message: "It is green." },
    });
    expect(JSON.stringify(world.model.asked)).not.toContain("hunter2");
    expect((await world.call(`agents/${agent.id}/trigger`, body, headers)).body).toEqual(run);
    expect(world.model.asked).toHaveLength(1);
    const listed = await world.call("runs/list", { agent_id: agent.id });
    expect(listed.body.results.map(({ run_id }: { run_id: string }) => run_id)).toEqual([run.run_id]);
    const [audited] = (await world.call("audit/list", {})).body.results;
    expect(audited).toMatchObject({ action: "agent.triggered", target: run.run_id });
  });

  test("needs a model: without one the problem names the settings, and no run is started", async () => {
    const team = await startTeam(kind, { models: noModelSettings });
    const agent = await newAgent(team, { instructions: "Look after releases." });
    const trigger = (more = {}) =>
      team.call(`agents/${agent.id}/trigger`, { message: "Hello", ...more }, team.inProject(team.owner));
    const { status, body } = await trigger();
    expect([status, body.code]).toEqual([409, "model_not_configured"]);
    for (const name of ["SIGNALBOX_OPENAI_API_KEY", "SIGNALBOX_ANTHROPIC_API_KEY", "SIGNALBOX_DEFAULT_MODEL"]) {
      expect(body.detail).toContain(name);
    }
    expect((await trigger({ message: "" })).status).toBe(422);
    expect(await team.store.query("select id from runs")).toEqual([]);
    await expectGuarded(team, `agents/${agent.id}/trigger`, { message: "Hello" }, "editor");
  });

  test("with a model of a server that is not configured returns which setting is missing", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent({ model: "anthropic:claude-x" });
    const { body } = await world.call(`agents/${agent.id}/trigger`, { message: "Hello" });
    expect(body).toMatchObject({ code: "model_not_configured", detail: expect.stringContaining("ANTHROPIC_API_KEY") });
  });

  test("continues a conversation, which can be read", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent();
    world.model.say({ text: "My name is Ada." }, { text: "Ada, as I said." });
    const first = await world.ask(agent, "What is your name?");
    const conversation_id = first.conversation_id;
    const second = await world.ask(agent, "And again?", { conversation_id });
    expect(second.conversation_id).toBe(conversation_id);
    const said = world.model.asked[1].messages.slice(1);
    expect(said.map(({ role, content }: Record<string, string>) => [role, content])).toEqual([
      ["user", "What is your name?"],
      ["assistant", "My name is Ada."],
      ["user", "And again?"],
    ]);
    const other = await world.ask(agent, "Hello");
    const { body: list } = await world.call(`agents/${agent.id}/conversations/list`, {});
    expect(list.results).toMatchObject([
      { conversation_id: other.conversation_id, runs: 1, title: "Hello", last_status: "succeeded" },
      { conversation_id, agent_id: agent.id, runs: 2, last_run_id: second.run_id, title: "What is your name?" },
    ]);
    const { body: read } = await world.call(`agents/${agent.id}/conversations/${conversation_id}/get`);
    expect(read.messages).toMatchObject([
      { run_id: first.run_id, params: { message: "What is your name?" }, reply: "My name is Ada." },
      { run_id: second.run_id, reply: "Ada, as I said." },
    ]);
    // A conversation of another agent looks absent.
    const stranger = await world.agent();
    for (const [path, body] of [
      ["trigger", { message: "Hello", conversation_id }],
      [`conversations/${conversation_id}/get`, {}],
    ] as const) {
      const refused = await world.call(`agents/${stranger.id}/${path}`, body);
      expect([refused.status, refused.body.code]).toEqual([404, "conversation_not_found"]);
    }
  });

  test("is refused while the last run of the conversation has not ended", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent({ approval: "always" });
    world.model.say({ calls: [{ name: "list_deployments", input: {} }] });
    const { run_id, conversation_id } = await world.ask(agent, "Look");
    const refused = await world.call(`agents/${agent.id}/trigger`, { message: "And?", conversation_id });
    expect(refused.body).toMatchObject({ status: 409, code: "conversation_busy", run_id });
  });

  test("stops without its connection, whose impact lists the agent", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent();
    const connection = world.connections.deployment;
    const { body } = await world.call(`connections/${connection}/impact`);
    expect(body.agents).toEqual([{ agent_id: agent.id, name: "Release watch" }]);
    await world.call(`connections/${connection}/remove`);
    world.model.say({ calls: [{ name: "list_deployments", input: {} }] }, { text: "I cannot reach it." });
    expect((await world.ask(agent, "Look")).output).toEqual({ message: "I cannot reach it." });
    expect(JSON.stringify(world.model.asked[1].messages)).toContain("needs_reconnect");
  });

  test("is replayed as a whole, in a conversation of its own", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent();
    const first = await world.ask(agent, "Hello");
    const refused = await world.call(`runs/${first.run_id}/replay`, { from_step: "turn_1" });
    expect(refused.body).toMatchObject({ code: "validation_failed", errors: [{ pointer: "#/from_step" }] });
    const { body } = await world.call(`runs/${first.run_id}/replay`, {});
    const again = await world.once(body.run_id, "succeeded", "failed");
    expect(again).toMatchObject({ status: "succeeded", agent_id: agent.id, params: first.params });
    expect(again.conversation_id).not.toBe(first.conversation_id);
  });
});

describeOnBothStores("an event that reaches an agent with a model", (kind) => {
  test("starts the tool of a matching rule, and calls the model if none matches", async () => {
    const world = await startAgentWorld(kind);
    const inProject = () => ({ as: world.owner, project: world.projectId });
    const tool_id = await newTool({ call: world.app.call, owner: world.owner, inProject });
    const agent = await world.agent({ rules: [{ on: "deployment.failed", tool_id }] });
    const ruled = await world.tell(agent, platformEvent("deployment.error"));
    expect(await world.once(ruled, "succeeded", "failed")).toMatchObject({ tool_id, agent_id: null });
    expect(world.model.asked).toHaveLength(0);

    const event = platformEvent("deployment.succeeded");
    const asked = await world.tell(agent, event);
    expect(await world.once(asked, "succeeded", "failed")).toMatchObject({
      agent_id: agent.id,
      status: "succeeded",
      params: { event: { id: event.id, on: "deployment.completed" } },
    });
    expect(world.model.asked).toHaveLength(1);
    // The same event again returns the first run.
    expect(await world.tell(agent, event)).toBe(asked);
    expect(world.model.asked).toHaveLength(1);
  });

  test("is ignored without a matching rule or a model", async () => {
    const world = await startAgentWorld(kind);
    const agent = await world.agent({ instructions: "" });
    const { status, body } = await sendEvent(world.app, agent, platformEvent("deployment.error"));
    expect([status, body.run_id]).toEqual([202, null]);
    expect(world.model.asked).toHaveLength(0);
  });
});
