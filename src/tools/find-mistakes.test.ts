import { describe, expect, test } from "vitest";
import { partsOf } from "../untrusted/expression-syntax/split-text.ts";
import { findSchemaMistakes } from "../untrusted/schema-mistakes.ts";
import type { ToolDefinition, ToolStep } from "./definition.ts";
import { parseDefinition } from "./definition-yaml.ts";
import { examine, findTooLarge } from "./find-mistakes.ts";

const known = {
  connectionSystem: (id: string) =>
    id === "con_d" ? ("deployment" as const) : id === "con_a" ? ("analytics" as const) : null,
  read: partsOf,
};

const examineTool = (definition: ToolDefinition) =>
  examine(definition, { ...known, schemaMistakes: findSchemaMistakes(definition.params_schema) });

const list = (name: string, more: Partial<ToolStep> = {}): ToolStep => ({
  name,
  step: "list_deployments",
  connection_id: "con_d",
  input: {},
  ...more,
});

const toolOf = (steps: ToolStep[], more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  title: "A tool",
  params_schema: { type: "object", properties: { branch: { type: "string" } } },
  steps,
  ...more,
});

const found = (steps: ToolStep[], more: Partial<ToolDefinition> = {}) =>
  examineTool(toolOf(steps, more)).mistakes.map(({ pointer, code }) => [pointer, code]);

describe("a tool without mistakes", () => {
  test("the example of the contract has none", () => {
    const steps = [
      list("latest", { input: { limit: 5 } }),
      {
        name: "again",
        step: "create_deployment",
        connection_id: "con_d",
        if: "{{ $count(steps.latest.output.deployments) > 0 }}",
        input: { project: "web", branch: "{{params.branch}}" },
      },
    ];
    expect(found(steps, { output: "{{steps.again.output}}" })).toEqual([]);
  });

  test("built-in steps wait and ask a person", () => {
    const steps = [
      list("latest"),
      { name: "pause", step: "wait", input: { seconds: "{{params.branch}}" } },
      { name: "built", step: "wait_for_deployment", input: { deployment_id: "{{steps.latest.output.id}}" } },
      { name: "asked", step: "approve", input: { message: "Redeploy {{params.branch}}?" } },
      list("each", { foreach: "{{steps.latest.output.deployments}}", input: { branch: "{{foreach.item.branch}}" } }),
    ];
    expect(found(steps)).toEqual([]);
  });
});

describe("mistakes are found before anything runs, each with a pointer", () => {
  test.each<[string, ToolStep[], [string, string][]]>([
    ["an unknown step", [list("a", { step: "list_deployment" })], [["#/steps/0/step", "unknown_step"]]],
    [
      "an unknown connection",
      [list("a", { connection_id: "con_x" })],
      [["#/steps/0/connection_id", "unknown_connection"]],
    ],
    [
      "another system's connection",
      [list("a", { connection_id: "con_a" })],
      [["#/steps/0/connection_id", "wrong_system"]],
    ],
    [
      "no connection",
      [{ name: "a", step: "list_deployments", input: {} }],
      [["#/steps/0/connection_id", "missing_connection"]],
    ],
    [
      "no connection to wait with",
      [{ name: "a", step: "wait_for_deployment", input: { deployment_id: "dpl_1" } }],
      [["#/steps/0/connection_id", "missing_connection"]],
    ],
    ["a name twice", [list("a"), list("a")], [["#/steps/1/name", "duplicate_name"]]],
    [
      "a later step",
      [list("a", { input: { branch: "{{steps.b.output.x}}" } }), list("b")],
      [["#/steps/0/input/branch", "later_step"]],
    ],
    [
      "the step itself",
      [list("a", { input: { branch: "{{steps.a.output.x}}" } })],
      [["#/steps/0/input/branch", "later_step"]],
    ],
    ["a missing step", [list("a", { if: "{{ steps.gone.output }}" })], [["#/steps/0/if", "missing_step"]]],
    [
      "output forgotten",
      [list("a"), list("b", { input: { branch: "{{steps.a.branch}}" } })],
      [["#/steps/1/input/branch", "unknown_name"]],
    ],
    [
      "a name that stands for nothing",
      [list("a", { input: { branch: "{{param.branch}}" } })],
      [["#/steps/0/input/branch", "unknown_name"]],
    ],
    [
      "foreach where there is none",
      [list("a", { input: { branch: "{{foreach.item}}" } })],
      [["#/steps/0/input/branch", "unknown_name"]],
    ],
    [
      "an answer that is not there when its question is asked",
      [
        { name: "ask", step: "approve", input: { message: "May I?" } },
        { name: "rest", step: "wait", input: { seconds: 1 } },
        list("a", { input: { branch: "{{steps.ask.output.approved_by}}" } }),
        list("b", { input: { branch: "{{steps.ask.output.approved_by}}" } }),
      ],
      [["#/steps/2/input/branch", "own_approval"]],
    ],
    [
      "an event where there is none",
      [list("a", { input: { branch: "{{event.x}}" } })],
      [["#/steps/0/input/branch", "unknown_name"]],
    ],
    [
      "an expression that cannot be read",
      [list("a", { input: { branch: "{{params.}}" } })],
      [["#/steps/0/input/branch", "invalid_expression"]],
    ],
    [
      "braces that are not closed",
      [list("a", { input: { branch: "{{params.branch" } })],
      [["#/steps/0/input/branch", "invalid_expression"]],
    ],
    ["$eval", [list("a", { input: { branch: "{{$eval('1')}}" } })], [["#/steps/0/input/branch", "invalid_expression"]]],
    [
      "an input of the wrong type",
      [list("a", { input: { limit: "many" } })],
      [["#/steps/0/input/limit", "invalid_type"]],
    ],
    ["an input out of range", [list("a", { input: { limit: 0 } })], [["#/steps/0/input/limit", "too_small"]]],
    [
      "an input that the step does not have",
      [list("a", { input: { lmit: 5 } })],
      [["#/steps/0/input/lmit", "unrecognized_keys"]],
    ],
    [
      "a required input that is missing",
      [{ name: "a", step: "cancel_deployment", connection_id: "con_d", input: {} }],
      [["#/steps/0/input/deployment_id", "invalid_type"]],
    ],
    ["a condition without braces", [list("a", { if: "params.x" })], [["#/steps/0/if", "not_an_expression"]]],
    ["a condition of two", [list("a", { if: "{{true}} {{false}}" })], [["#/steps/0/if", "not_an_expression"]]],
    ["foreach without braces", [list("a", { foreach: "params.x" })], [["#/steps/0/foreach", "not_an_expression"]]],
    [
      "foreach over a word",
      [{ name: "a", step: "wait", foreach: [1], input: { seconds: 1 } }],
      [["#/steps/0/foreach", "not_repeatable"]],
    ],
    [
      "a wait that says both",
      [{ name: "a", step: "wait", input: { seconds: 1, until: "2026-01-01T00:00:00Z" } }],
      [["#/steps/0/input", "custom"]],
    ],
  ])("%s", (_, steps, expected) => {
    expect(found(steps)).toEqual(expected);
  });

  test("in the output, every step has run", () => {
    expect(found([list("a")], { output: { x: ["{{steps.a.output}}", "{{steps.b.output}}"] } })).toEqual([
      ["#/output/x/1", "missing_step"],
    ]);
  });

  test("all of them at once", () => {
    const steps = [list("a", { step: "nothing", connection_id: "con_x", input: { b: "{{oops.}}" } })];
    expect(found(steps, { output: "{{steps.z.output}}" })).toHaveLength(3);
  });

  test("a value that an expression may still change is not judged", () => {
    const input = { limit: "{{params.limit}}", since: "{{params.since}}", project: "{{params.a}}-{{params.b}}" };
    expect(found([list("a", { input })])).toEqual([]);
  });

  test("a param that the schema rules out", () => {
    const schema = { type: "object", properties: { a: {} }, additionalProperties: false };
    const steps = [list("a", { input: { branch: "{{params.b}}" } })];
    expect(found(steps, { params_schema: schema })).toEqual([["#/steps/0/input/branch", "unknown_param"]]);
  });

  test("a definition that is too large", () => {
    const input = { branch: "x".repeat(200_000) };
    expect(findTooLarge(toolOf([list("a", { input })]))).toMatchObject([{ pointer: "#", code: "too_big" }]);
    const many = { list: Array.from({ length: 300_000 }, () => 1) };
    expect(findTooLarge(toolOf([list("a", { input: many })]))).toMatchObject([{ pointer: "#", code: "too_big" }]);
    expect(findTooLarge(toolOf([list("a", { input: { branch: "x".repeat(100_000) } })]))).toEqual([]);
  });
});

test("what is allowed but probably wrong is a warning", () => {
  const input = { branch: "{{ steps.a.output.deployments[id = params.id].branch }}", project: "{{params.proj}}" };
  const { mistakes, warnings } = examineTool(toolOf([list("a"), list("b", { input })]));
  expect(mistakes).toEqual([]);
  expect(warnings.map(({ pointer, code }) => [pointer, code])).toEqual([
    ["#/steps/1/input/branch", "misplaced_name"],
    ["#/steps/1/input/project", "unknown_param"],
  ]);
});

describe("the shape of a definition", () => {
  test.each([
    [{ title: "", steps: [list("a")] }, "#/title"],
    [{ title: "x\ny", steps: [list("a")] }, "#/title"],
    [{ title: "x", steps: [] }, "#/steps"],
    [{ title: "x", steps: [{ ...list("a"), name: "A b" }] }, "#/steps/0/name"],
    [{ title: "x", steps: [{ ...list("a"), name: "null" }] }, "#/steps/0/name"],
    [{ title: "x", steps: [{ ...list("a"), name: "__proto__" }] }, "#/steps/0/name"],
    [{ title: "x", steps: [{ ...list("a"), timeout: 0 }] }, "#/steps/0/timeout"],
    [{ title: "x", steps: [{ ...list("a"), retries: 3 }] }, "#/steps/0"],
    [{ title: "x", steps: [list("a")], step: [] }, "#"],
    ["a text", "#"],
  ])("%j is refused", (given, pointer) => {
    const read = parseDefinition(given);
    expect("errors" in read && read.errors[0]?.pointer).toBe(pointer);
  });

  test("input and params_schema may be left out", () => {
    const read = parseDefinition({ title: " x ", steps: [{ name: "a", step: "wait" }] });
    expect(read).toEqual({
      definition: { title: "x", params_schema: { type: "object" }, steps: [{ name: "a", step: "wait", input: {} }] },
    });
  });
});
