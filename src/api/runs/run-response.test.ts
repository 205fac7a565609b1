import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { newAgent, newTool, platformEvent, sendEvent } from "../../../test/support/runs/agents.ts";
import { runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";

describeOnBothStores("the record of a run", (kind) => {
  test("shows no secret of its params, which its steps still receive", async () => {
    const team = await startTeam(kind);
    const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
    const password = "correct horse battery";
    const steps = [{ name: "rest", step: "wait", if: `{{ params.password = "${password}" }}`, input: { seconds: 0 } }];
    const tool_id = await newTool(team, { steps, output: { password: "{{params.password}}", id: "{{params.id}}" } });
    const agent = await newAgent(team, { rules: [{ on: "deployment.failed", tool_id }] });
    const event = platformEvent("deployment.error", { password });
    const { body: received } = await sendEvent(team, agent, event);
    const run = await runOnce(
      { app: team, owner: team.owner, projectId: team.projectId, call },
      received.run_id,
      "succeeded",
    );
    expect(run).toMatchObject({
      params: { id: event.id, password: "[secret]" },
      output: { id: event.id, password: "[secret]" },
      steps: [{ status: "succeeded" }],
    });
    const { body: triggered } = await call(`tools/${tool_id}/trigger`, { params: { password } });
    const { text } = await call(`runs/${triggered.run_id}/get`);
    expect(JSON.stringify(triggered) + text).not.toContain(password);
    const { body: again } = await call(`runs/${triggered.run_id}/replay`);
    const replayed = await runOnce(
      { app: team, owner: team.owner, projectId: team.projectId, call },
      again.run_id,
      "succeeded",
    );
    expect(replayed.steps[0].status).toBe("succeeded");
  });

  test("stores no value of a variable of the deployment platform, sent or read, and passes none on", async () => {
    const platform = await startPlatform(kind);
    const { app, call, connections } = platform;
    const value = "correct-horse-battery";
    const ask = (name: string, input: object) => ({
      name,
      step: "deployment_api_call",
      connection_id: connections.deployment,
      input,
    });
    const path = "/v10/projects/web/env";
    const body = { key: "HIDDEN", value: "{{params.value}}", type: "encrypted", target: ["preview"] };
    const read = { method: "GET", path: "/v9/projects/web/env", query: { decrypt: "true" } };
    const onward = { ...body, key: "COPY", value: "{{steps.look.output.body.envs[key='HIDDEN'].value}}" };
    const steps = [
      ask("write", { method: "POST", path, body }),
      ask("look", read),
      ask("copy", { method: "POST", path, body: onward }),
    ];
    const { body: tool } = await call("tools/create", { title: "Copies", params_schema: { type: "object" }, steps });
    const { body: run } = await call(`tools/${tool.tool_id}/trigger`, { params: { value } });
    expect(run).toMatchObject({ status: "failed", problem: { code: "invalid_input" } });
    expect(run.steps.map(({ status }: { status: string }) => status)).toEqual(["succeeded", "succeeded", "failed"]);
    const { body: seen } = await platform.run("deployment_api_call", read);
    // The caller gets the values; the stored record omits them.
    expect(JSON.stringify(seen.output)).toContain(value);
    const shown = await Promise.all([run.run_id, seen.run_id].map((id) => call(`runs/${id}/get`)));
    // Params must be stored, so that the run can be replayed, and this name does not mark a secret.
    const records = shown.map(({ body: { params, ...record } }) => record);
    const rows = await app.store.query("select * from run_steps");
    expect(JSON.stringify([records, rows, run.steps, app.logged])).not.toContain(value);
  });

  test('"records every attempt: … what it waited for, limits and tokens used", of each step of a tool', async () => {
    const { call, connections } = await startPlatform(kind);
    const report = {
      property_id: "1001",
      metrics: ["activeUsers"],
      date_range: { start_date: "7daysAgo", end_date: "yesterday" },
    };
    const steps = [
      { name: "report", step: "run_reports", connection_id: connections.analytics, input: report },
      { name: "deployments", step: "list_deployments", connection_id: connections.deployment, input: { limit: 1 } },
      {
        name: "leads",
        step: "marketing_api_call",
        connection_id: connections.marketing,
        input: { method: "GET", endpoint: "/rest/v1/lists.json" },
      },
    ];
    const { body: tool } = await call("tools/create", { title: "Looks", params_schema: { type: "object" }, steps });
    const { body: triggered } = await call(`tools/${tool.tool_id}/trigger`, {});
    expect(triggered.status).toBe("succeeded");
    const { body: run } = await call(`runs/${triggered.run_id}/get`);
    const [analytics, deployment, marketing] = run.steps.map((step: { attempts: object[] }) => step.attempts.at(-1));
    expect(analytics.limits).toEqual(
      expect.arrayContaining([expect.objectContaining({ left: expect.any(Number), used: expect.any(Number) })]),
    );
    expect(Object.keys(analytics.counted)).toEqual(expect.arrayContaining([expect.stringContaining("tokens")]));
    expect(deployment.limits[0]).toMatchObject({ left: expect.any(Number), resets_at: expect.any(String) });
    expect(marketing.counted).toMatchObject({ burst: 1, daily: 1 });
    expect(marketing.waited_ms).toEqual(expect.any(Number));
  });
});
