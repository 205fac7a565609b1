import { expect, test } from "vitest";
import { operations } from "../../api/index.ts";
import { answerSchemaOf } from "../../api/reference/schemas.ts";
import { rowsOf } from "./rows.ts";

interface ListSchema {
  properties?: { results?: { items?: { properties?: Record<string, unknown> } } };
}

test("every column of a list is a member that its records have", () => {
  const wrong: string[] = [];
  let described = 0;
  for (const operation of operations) {
    const known = (answerSchemaOf(operation) as ListSchema).properties?.results?.items?.properties;
    if (!known) continue;
    const read = new Set<string>();
    const record = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
    rowsOf(operation, [record]);
    described += read.size > 0 ? 1 : 0;
    wrong.push(...[...read].filter((name) => !(name in known)).map((name) => `${operation.path}: ${name}`));
  }
  expect(described).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test("a row of runs names the step, the tool or the agent, and a limit says what is left", () => {
  const path = (name: string) => ({ path: `/latest/${name}` as const });
  const runs = [
    { run_id: "run_1", step_id: null, tool_id: "tol_1", status: "failed", problem: { code: "timed_out" } },
    { run_id: "run_2", step_id: "run_reports", tool_id: null, status: "succeeded" },
  ];
  expect(rowsOf(path("runs/list"), runs)).toEqual([
    { run_id: "run_1", step_or_tool: "tol_1", status: "failed", problem: "timed_out" },
    { run_id: "run_2", step_or_tool: "run_reports", status: "succeeded" },
  ]);
  const limit = { name: "daily", left: 5, used: 2, subject: "marketing|x", waiting: [{}], connection_id: "con_1" };
  expect(rowsOf(path("limits/list"), [limit])).toEqual([
    { name: "daily", used: 2, left: 5, waiting: 1, connection_id: "con_1" },
  ]);
});
