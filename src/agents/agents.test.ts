import { expect, test } from "vitest";
import { connectionThatOpensNothing } from "../../test/support/calls/valid-calls.ts";
import { newAgent, newTool, platformEvent, sendEvent } from "../../test/support/runs/agents.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { allPages, aTime, expectGuarded, expectRefused, startTeam, type Team } from "../../test/support/team.ts";

const change = (team: Team, operation: string, body: object = {}) =>
  team.call(operation, body, team.inProject(team.owner));

describeOnBothStores("an agent", (kind) => {
  test("has an address and a secret of its own; the secret is shown once and stored sealed", async () => {
    const team = await startTeam(kind);
    const tool_id = await newTool(team);
    const wanted = {
      name: "Release watch",
      instructions: "Look after releases.",
      tools: [tool_id],
      steps: [{ step: "list_deployments", connection_id: await connectionThatOpensNothing(team, "deployment") }],
      model: "some-model",
      approval: "always",
      rules: [{ on: "deployment.failed", tool_id, params: { id: "{{event.payload.deployment.id}}" } }],
    };
    const { status, body } = await change(team, "agents/create", { ...wanted, webhook_secrets: ["of-the-platform"] });
    expect(status).toBe(200);
    const { webhook_url: url, webhook_secret: secret, ...record } = body;
    expect(record).toEqual({
      ...wanted,
      agent_id: expect.stringMatching(/^agt_us_/),
      project_id: team.projectId,
      max_turns: 20,
      max_tokens: 500_000,
      max_minutes: 60,
      webhook_signature: "required",
      paused: false,
      run_as: team.owner.userId,
      created_by: team.owner.userId,
      created_at: aTime,
      updated_at: aTime,
    });
    expect(url).toMatch(new RegExp(`^http://us.test/latest/agents/${record.agent_id}/webhook/\\w{43}$`));
    expect(secret).toMatch(/^whsec_\w{43}$/);
    expect((await change(team, `agents/${record.agent_id}/get`)).body).toEqual(record);
    expect((await change(team, `agents/${record.agent_id}/webhook`)).body).toEqual({
      agent_id: record.agent_id,
      webhook_url: url,
      refused_signatures: null,
      refused_events: [],
      queued_events: 0,
      registrations: [],
    });
    const kept = JSON.stringify([await team.store.query("select * from agents"), await team.lastAudit(), team.logged]);
    for (const hidden of [secret, url.split("/").at(-1), "of-the-platform"]) expect(kept).not.toContain(hidden);
    expect(await team.lastAudit()).toMatchObject({ action: "agent.created", target: record.agent_id });
  });

  test("needs nothing but a name, and accepts no unsigned event", async () => {
    const team = await startTeam(kind);
    const { body } = await change(team, "agents/create", { name: "Watch" });
    expect(body).toMatchObject({
      instructions: "",
      tools: [],
      steps: [],
      model: null,
      approval: "writes",
      rules: [],
      webhook_signature: "required",
    });
    const sender = { url: body.webhook_url, secret: "unknown" };
    expect((await sendEvent(team, sender, platformEvent("deployment.error"))).status).toBe(401);
  });

  // "`agents/create` takes `name, instructions?, tools?, steps?, …`"
  test("may name a step without a connection if the project has one account of its system, and must name it if there are several", async () => {
    const team = await startTeam(kind);
    const named = { name: "Watch", steps: ["list_deployments"] };
    expect((await change(team, "agents/create", named)).body.errors).toMatchObject([{ code: "unknown_connection" }]);
    const connection_id = await connectionThatOpensNothing(team, "deployment");
    const { body } = await change(team, "agents/create", named);
    expect(body.steps).toEqual([{ step: "list_deployments", connection_id }]);
    const refused = await change(team, `agents/${body.agent_id}/update`, { steps: ["nothing"] });
    expect(refused.body.errors).toMatchObject([{ pointer: "#/steps/0", code: "unknown_step" }]);
    await connectionThatOpensNothing(team, "deployment");
    expect((await change(team, "agents/create", named)).body.errors).toMatchObject([{ code: "which_connection" }]);
  });

  test("that names what does not exist is refused with a pointer at each, and nothing is stored", async () => {
    const team = await startTeam(kind);
    const tool_id = await newTool(team);
    const connection_id = await connectionThatOpensNothing(team, "analytics");
    const rule = (params: unknown) => ({ name: "a", rules: [{ on: "x", tool_id, params }] });
    await expectRefused(team, "agents/create", team.inProject(team.owner), [
      [{}, 400, "malformed_request", "#/name"],
      [{ name: "" }, 422, "validation_failed", "#/name"],
      [{ name: "a", tools: ["tol_us_none"] }, 422, "validation_failed", "#/tools/0"],
      [{ name: "a", steps: [{ step: "none", connection_id }] }, 422, "validation_failed", "#/steps/0/step"],
      [
        { name: "a", steps: [{ step: "run_reports", connection_id: "con_us_none" }] },
        422,
        "validation_failed",
        "#/steps/0/connection_id",
      ],
      [
        { name: "a", steps: [{ step: "list_deployments", connection_id }] },
        422,
        "validation_failed",
        "#/steps/0/connection_id",
      ],
      [{ name: "a", rules: [{ on: "x", tool_id: "tol_us_none" }] }, 422, "validation_failed", "#/rules/0/tool_id"],
      [rule({ a: "{{event.}}" }), 422, "validation_failed", "#/rules/0/params/a"],
      [rule({ a: "x".repeat(300_000) }), 422, "validation_failed", "#/rules"],
      [rule({ a: { b: "{{event.x" } }), 422, "validation_failed", "#/rules/0/params/a/b"],
      [rule({ a: "{{steps.one.output}}" }), 422, "validation_failed", "#/rules/0/params/a"],
      [rule([]), 400, "malformed_request", "#/rules/0/params"],
      [{ name: "a", rules: [{ on: "", tool_id }] }, 422, "validation_failed", "#/rules/0/on"],
      [{ name: "a", rules: [{ on: "deployment.exploded", tool_id }] }, 422, "validation_failed", "#/rules/0/on"],
      [{ name: "a", approval: "sometimes" }, 422, "validation_failed", "#/approval"],
      [{ name: "a", webhook_secrets: ["short"] }, 422, "validation_failed", "#/webhook_secrets/0"],
      [{ name: "a", instructions: "\u0000" }, 422, "validation_failed", "#/instructions"],
    ]);
    expect(await team.store.query("select id from agents")).toEqual([]);
  });

  test("is created, read and changed by editors; another project's looks absent", async () => {
    const team = await startTeam(kind);
    await expectGuarded(team, "agents/create", { name: "Watch" }, "editor");
    const { id } = await newAgent(team);
    const viewer = await team.colleague("viewer", "viewer");
    expect((await team.call(`agents/${id}/get`, {}, team.inProject(viewer))).body.code).toBe("editor_required");
    const next = await team.colleague("editor", "editor");
    const other = await team.project(next, "Another");
    const connection_id = await connectionThatOpensNothing(team, "deployment");
    const edits = ["update", "delete", "webhook", "rotate_secret", "test_event", "pause", "resume", "register_webhook"];
    for (const what of edits) {
      const refused = await team.call(`agents/${id}/${what}`, { connection_id }, team.inProject(viewer));
      expect([what, refused.body.code]).toEqual([what, "editor_required"]);
      const absent = await team.call(`agents/${id}/${what}`, { connection_id }, { as: next, project: other });
      expect([what, absent.body.code]).toEqual([what, "agent_not_found"]);
    }
  });

  test("is changed member by member, listed in pages, and deleted with its secrets", async () => {
    const team = await startTeam(kind);
    const { id } = await newAgent(team, { instructions: "first" });
    await newAgent(team);
    await newAgent(team);
    const changed = await change(team, `agents/${id}/update`, { name: "Other", model: "m" });
    expect(changed.body).toMatchObject({ name: "Other", model: "m", instructions: "first" });
    expect((await change(team, `agents/${id}/update`, { tools: ["tol_us_none"] })).body.code).toBe("validation_failed");
    expect((await change(team, `agents/${id}/update`, { model: null })).body.model).toBeNull();
    const pages = await allPages(team.call, "agents/list", { limit: 2 }, team.inProject(team.owner));
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect((await change(team, `agents/${id}/delete`)).body).toEqual({
      agent_id: id,
      deleted: true,
      left_at_system: [],
    });
    expect((await change(team, `agents/${id}/get`)).body.code).toBe("agent_not_found");
    expect(await team.store.query("select id from agents")).toHaveLength(2);
    expect(await team.lastAudit()).toMatchObject({ action: "agent.deleted", target: id });
  });
});
