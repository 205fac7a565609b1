import { expect, test } from "vitest";
import { findStep } from "../../systems/index.ts";
import { readDefinition } from "../../tools/stored-definition.ts";
import { parseInput } from "./parse-input.ts";

const [apiCall, analyticsCall] = ["deployment_api_call", "analytics_api_call"].map((id) => {
  const step = findStep(id);
  if (!step) throw new Error(`There is no step ${id}.`);
  return step;
}) as [Parameters<typeof parseInput>[0], Parameters<typeof parseInput>[0]];

const input = { method: "GET", path: "/v9/projects", query: { limit: "5" } };
const inputOf = (text: string) => readDefinition(text).steps[0]?.input;
const definition = JSON.stringify({ title: "One call", params_schema: {}, steps: [{ name: "ask", input }] });

test("the input of a definition is checked once, and no run can change what the others get", () => {
  const parsed = parseInput(apiCall, inputOf(definition));
  expect(parseInput(apiCall, inputOf(definition))).toBe(parsed);
  expect(parsed.data).toMatchObject(input);
  const { query } = parsed.data as typeof input;
  expect(() => Object.assign(query, { limit: "6" })).toThrow(TypeError);
});

test("an input that may change is checked each time", () => {
  const filledIn = structuredClone(input);
  expect(parseInput(apiCall, filledIn).success).toBe(true);
  Object.assign(filledIn, { method: 7 });
  expect(parseInput(apiCall, filledIn).success).toBe(false);
});

test("each step has its own check, and a wrong input stays wrong", () => {
  const wrong = JSON.stringify({ title: "Wrong", params_schema: {}, steps: [{ name: "ask", input: { path: 7 } }] });
  const shared = inputOf(definition);
  expect(parseInput(apiCall, shared)).not.toBe(parseInput(analyticsCall, shared));
  expect(parseInput(apiCall, inputOf(wrong)).success).toBe(false);
  expect(parseInput(apiCall, inputOf(wrong)).success).toBe(false);
});
