import { afterAll, describe, expect, test } from "vitest";
import { createCompute } from "../untrusted/compute.ts";
import type { ToolDefinition } from "./definition.ts";
import { exportDefinition, importDefinition } from "./definition-yaml.ts";

const compute = createCompute({ processes: 2 });
afterAll(() => compute.close());
const on = { compute, organizationId: "org_us_test" };

describe("a tool as YAML", () => {
  test("an export imports as the same tool, with other connections in place of its own", async () => {
    const definition: ToolDefinition = {
      title: "Lists: twice",
      params_schema: { type: "object" },
      steps: [{ name: "a", step: "list_deployments", connection_id: "con_1", input: { branch: "{{params.b}}" } }],
    };
    const yaml = await exportDefinition(definition, on);
    expect(await importDefinition(yaml, {}, on)).toEqual(definition);
    const [step] = definition.steps;
    const moved = { ...definition, steps: [{ ...step, connection_id: "con_2" }] };
    expect(await importDefinition(yaml, { con_1: "con_2" }, on)).toEqual(moved);
  });

  test.each([
    ["a: b: c", "#/yaml"],
    ["title: .inf\nsteps: []", "#/yaml/title"],
    ["title: x\nsteps:\n  - name: a\n    step: 3", "#/yaml/steps/0/step"],
    ["- a", "#/yaml"],
    ["just a text", "#/yaml"],
  ])("%j is no tool", async (text, pointer) => {
    await expect(importDefinition(text, {}, on)).rejects.toMatchObject({
      code: "validation_failed",
      extras: { errors: [{ pointer }] },
    });
  });

  // Each of these once blocked the whole server for half a minute.
  test.each([
    ["commas", "[".padEnd(240_000, ",")],
    ["wrong escapes", `"${"\\q".repeat(120_000)}`],
    ["tags", "!a ".repeat(80_000)],
    ["aliases", "*a ".repeat(80_000)],
  ])("a text of nothing but %s is refused in time", async (_what, text) => {
    await expect(importDefinition(text, {}, on)).rejects.toMatchObject({
      code: "validation_failed",
      extras: { errors: expect.arrayContaining([expect.objectContaining({ code: "invalid_yaml" })]) },
    });
  });
});
