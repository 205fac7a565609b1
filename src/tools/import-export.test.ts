import { expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { connectionThatOpensNothing } from "../../test/support/calls/valid-calls.ts";
import { redeploy, startWithTool, waiting } from "../../test/support/runs/tools.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { expectGuarded, expectRefused } from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";

describeOnBothStores("export and import", (kind) => {
  test("an exported tool can be imported as the same tool, here or elsewhere", async () => {
    const { team, call } = await startWithTool(kind);
    const given = redeploy(await connectionThatOpensNothing(team, "deployment"));
    const { body: made } = await call("tools/create", given);
    const { body: exported } = await call(`tools/${made.tool_id}/export`);
    const { status, body } = await call("tools/import", { yaml: exported.yaml });
    expect([status, body]).toEqual([200, expect.objectContaining(given)]);
    expect(body.tool_id).not.toBe(made.tool_id);
    expect((await call(`tools/${body.tool_id}/export`)).body.yaml).toBe(exported.yaml);

    const other = await team.project(team.owner, "Other");
    const there = await connectionThatOpensNothing({ ...team, projectId: other }, "deployment");
    const inOther = { as: team.owner, project: other };
    const refused = await team.call("tools/import", { yaml: exported.yaml }, inOther);
    expectProblem(refused, "validation_failed");
    expect(refused.body.errors[0]).toMatchObject({
      pointer: "#/yaml/steps/0/connection_id",
      code: "unknown_connection",
    });
    const connections = { [given.steps[0]?.connection_id as string]: there };
    const mapped = await team.call("tools/import", { yaml: exported.yaml, connections }, inOther);
    expect(mapped.body.steps.map((step: { connection_id: string }) => step.connection_id)).toEqual([there, there]);
  });

  test("an import into an existing tool becomes its draft", async () => {
    const { team, call, toolId, options } = await startWithTool(kind);
    await call(`tools/${toolId}/publish`);
    const yaml = "title: From a file\nsteps:\n  - name: rest\n    step: wait\n    input: {seconds: 2}\n";
    const { body } = await call("tools/import", { yaml, tool_id: toolId, revision: 2 });
    expect(body).toMatchObject({ tool_id: toolId, title: "From a file", published_version: 1, revision: 3 });
    expect((await call(`tools/${toolId}/export`)).body).toMatchObject({
      version: 1,
      yaml: expect.stringMatching(/^title: Waits/),
    });
    expect((await call(`tools/${toolId}/export`, { version: "draft" })).body.version).toBeNull();
    await expectRefused(team, "tools/import", options, [
      [{ yaml, tool_id: toolId, revision: 2 }, 409, "tool_changed"],
      [{ yaml, tool_id: newId("tool", "us") }, 404, "tool_not_found"],
      [{ yaml: "title: [" }, 422, "validation_failed", "#/yaml"],
      [{ yaml: "" }, 422, "validation_failed", "#/yaml"],
      [{}, 400, "malformed_request", "#/yaml"],
    ]);
    await expectGuarded(team, "tools/import", { yaml }, "editor");
  });
});

describeOnBothStores("validate a tool", (kind) => {
  test("returns every mistake and every warning, and saves nothing", async () => {
    const { team, call } = await startWithTool(kind);
    expect((await call("tools/validate", waiting)).body).toEqual({ valid: true, errors: [], warnings: [] });
    const { body } = await call("tools/validate", { title: 3, steps: [{ name: "A", step: "wait" }] });
    expect([body.valid, body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      false,
      ["#/title", "#/steps/0/name"],
    ]);
    const doubtful = { ...waiting, params_schema: { properties: { a: {} } }, output: "{{params.b}}" };
    expect((await call("tools/validate", doubtful)).body).toMatchObject({
      valid: true,
      warnings: [{ pointer: "#/output", code: "unknown_param" }],
    });
    expect((await call("tools/list")).body.results).toHaveLength(1);
    await expectGuarded(team, "tools/validate", waiting, "editor");
  });
});
