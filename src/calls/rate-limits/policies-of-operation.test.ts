import { describe, expect, test } from "vitest";
import { operations } from "../../api/index.ts";
import { policiesOf } from "./policies-of-operation.ts";

const pathsWith = (policy: string) =>
  operations.filter((each) => (policiesOf(each) as string[]).includes(policy)).map(({ path }) => path);

describe("the limits of an operation", () => {
  test("every call counts as `default`", () => {
    expect(pathsWith("default")).toHaveLength(operations.length);
  });

  test("only changes of projects, people and organizations count as `write`", () => {
    const changes = operations.filter(({ audit }) => audit !== null).map(({ path }) => path);
    expect(pathsWith("write")).toEqual(
      changes.filter((path) => /^\/latest\/(projects|auth|organizations)\//.test(path)),
    );
    expect(pathsWith("write")).toContain("/latest/auth/invite/create");
    expect(pathsWith("write")).not.toContain("/latest/projects/list");
    expect(pathsWith("write")).not.toContain("/latest/tools/create");
  });

  test("runs of steps, tools and agents count as `run`, and never as `write`", () => {
    expect(pathsWith("run").sort()).toEqual([
      "/latest/agents/{agent_id}/test_event",
      "/latest/agents/{agent_id}/trigger",
      "/latest/events/{event_id}/replay",
      "/latest/runs/{run_id}/replay",
      "/latest/steps/{step_id}/read",
      "/latest/steps/{step_id}/run",
      "/latest/tools/{tool_id}/trigger",
      "/latest/tools/{tool_id}/trigger_async",
    ]);
    expect(pathsWith("run").filter((path) => pathsWith("write").includes(path))).toEqual([]);
  });
});
