import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, startTeam } from "../../test/support/team.ts";

describeOnBothStores("a run that is replayed", (kind) => {
  test("accepts only params that its tool accepts, and fills in the same defaults", async () => {
    const team = await startTeam(kind);
    const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
    const properties = { seconds: { type: "integer" }, note: { type: "string", default: "none" } };
    const params_schema = { type: "object", properties, required: ["seconds"] };
    const steps = [{ name: "rest", step: "wait", input: { seconds: "{{params.seconds}}" } }];
    const { body: tool } = await call("tools/create", { title: "Rests", params_schema, steps });
    const { body: first } = await call(`tools/${tool.tool_id}/trigger`, { params: { seconds: 0 } });
    expect(first.status).toBe("succeeded");
    const refused = await call(`runs/${first.run_id}/replay`, { params: { seconds: "soon" } });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: "#/params/seconds" })],
    ]);
    expect((await call("runs/list")).body.results).toHaveLength(1);
    const { body: again } = await call(`runs/${first.run_id}/replay`, { params: { seconds: 60 } });
    expect((await call(`runs/${again.run_id}/get`)).body.params).toEqual({ seconds: 60, note: "none" });
  });

  // "Single step runs are runs too."
  test("may be a single step: it is sent again as it was, or with another input, in a new run", async () => {
    const platform = await startPlatform(kind);
    const path = "/v6/deployments";
    const params = { project: "web", limit: 2 };
    const { body: first } = await platform.run("list_deployments", params);
    const { status, body } = await platform.call(`runs/${first.run_id}/replay`);
    expect(status).toBe(200);
    const { body: again } = await platform.call(`runs/${body.run_id}/get`);
    expect([again.status, again.step_id, again.params]).toEqual(["succeeded", "list_deployments", params]);
    expect(again.output).toEqual(first.output);
    const { body: other } = await platform.call(`runs/${first.run_id}/replay`, {
      from_step: "list_deployments",
      params: { project: "web", limit: 1 },
    });
    const { body: fewer } = await platform.call(`runs/${other.run_id}/get`);
    expect(fewer.output.deployments).toHaveLength(1);
    const sent = (await platform.sandboxes.deployment.requests(path)).length;

    const wrong = await platform.call(`runs/${first.run_id}/replay`, { params: { limit: "two" } });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, "#/params/limit"]);
    const elsewhere = await platform.call(`runs/${first.run_id}/replay`, { from_step: "other" });
    expect([elsewhere.status, elsewhere.body.errors[0].code]).toEqual([422, "unknown_step"]);
    const asked = await platform.call(`runs/${first.run_id}/approve`, { approved: true });
    expect([asked.status, asked.body.code]).toEqual([409, "run_not_waiting"]);
    expect((await platform.sandboxes.deployment.requests(path)).length).toBe(sent);
  });

  test("with one Idempotency-Key sends a write once more, and leaves an audit row", async () => {
    const platform = await startPlatform(kind);
    const { marketing } = platform.sandboxes;
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    const input = { method: "POST", endpoint, body: { input: { leads: [{ id: marketing.ids.lead_id }] } } };
    const { body: first } = await platform.run("marketing_api_call", input);
    const replay = () => platform.call(`runs/${first.run_id}/replay`, {}, { "idempotency-key": "once" });
    const { body } = await replay();
    expect((await replay()).body).toEqual(body);
    expect(body.run_id).not.toBe(first.run_id);
    expect(await marketing.requests(endpoint)).toHaveLength(2);
    const { body: log } = await platform.call("audit/list", {});
    const rows = log.results.filter(({ action }: { action: string }) => action === "run.replayed");
    expect(rows).toMatchObject([{ target: body.run_id }]);
  });

  test("does not begin after an unfinished step, which would be sent again unasked", async () => {
    const platform = await startPlatform(kind);
    const { marketing } = platform.sandboxes;
    const connection_id = platform.connections.marketing;
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    const body = { input: { leads: [{ id: marketing.ids.lead_id }] } };
    const definition = aTool([
      { name: "fire", step: "marketing_api_call", connection_id, input: { method: "POST", endpoint, body } },
      { name: "rest", step: "wait", input: { seconds: 0 } },
    ]);
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, drop: "after", times: 2 });
    const undone = await queueTool(platform, definition);
    await runOnce(platform, undone, "outcome_unknown");
    await platform.call(`runs/${undone}/resolve`, { outcome: "did_not" });
    // Once a person has settled the outcome, the run needs no further decision.
    expect((await runOnce(platform, undone, "failed")).problem.code).toBe("system_unavailable");
    const runId = await queueTool(platform, definition);
    await runOnce(platform, runId, "outcome_unknown");
    const refused = await platform.call(`runs/${runId}/replay`, { from_step: "rest" });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: "#/from_step", code: "unfinished_step" })],
    ]);
    expect(await marketing.requests(endpoint)).toHaveLength(2);

    // "Each run records every attempt": also those before a person chose to try again.
    await platform.call(`runs/${runId}/resolve`, { outcome: "retry" });
    expect((await runOnce(platform, runId, "succeeded")).steps[0].attempts).toHaveLength(2);
    const { body: again } = await platform.call(`runs/${runId}/replay`, { from_step: "rest" });
    await runOnce(platform, again.run_id, "succeeded");
    expect(await marketing.requests(endpoint)).toHaveLength(3);
  });

  test("needs a new approval: an approval holds for one run only", async () => {
    const platform = await startPlatform(kind);
    const editor = await platform.app.person("editor@example.com", platform.owner);
    await platform.call("auth/invite/create", { email: editor.email, permissions: asRole("editor") });
    const asEditor = (operation: string, body: unknown = {}) =>
      platform.app.call(operation, body, { as: editor, project: platform.projectId });
    const { marketing } = platform.sandboxes;
    const endpoint = "/rest/v1/leads.json";
    const input = { method: "POST", endpoint, body: { input: [{ email: "asked@example.com" }] } };
    const definition = aTool([
      { name: "ask", step: "approve", input: { message: "May I?", role: "admin" } },
      { name: "write", step: "marketing_api_call", connection_id: platform.connections.marketing, input },
      { name: "rest", step: "wait", input: { seconds: 0 } },
    ]);
    const runId = await queueTool(platform, definition, editor);
    await runOnce(platform, runId, "waiting");
    await platform.call(`runs/${runId}/approve`, { approved: true });
    await runOnce(platform, runId, "succeeded");
    expect(await marketing.requests(endpoint)).toHaveLength(1);

    for (const from_step of ["write", "rest"]) {
      const { body: again } = await asEditor(`runs/${runId}/replay`, { from_step });
      const asked = await runOnce(platform, again.run_id, "waiting", "succeeded");
      expect(asked).toMatchObject({ status: "waiting", waiting_for: { kind: "approval" } });
      // A finished step is not shown as one that will be done.
      expect(asked.waiting_for.request === undefined).toBe(from_step === "rest");
      const word = await asEditor(`runs/${again.run_id}/approve`, { approved: true });
      expect(word.body.code).toBe("admin_required");
    }
    expect(await marketing.requests(endpoint)).toHaveLength(1);
  });
});
