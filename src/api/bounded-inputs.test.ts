import { expect, test } from "vitest";
import * as z from "zod";
import { type Described, describeInput } from "../kernel/parse-within.ts";
import { steps } from "../systems/index.ts";
import { operations } from "./index.ts";

/**
 * "Nothing that a caller chooses may take more than 50 ms of the event loop." Every item of a list is checked, and what is wrong
 * with each is written down; so every list and every object with free names says how many it takes. A new one that does not fails here.
 */

/** Any value is accepted, so its content is not checked. */
const isFree = (schema: Described | boolean | undefined): boolean =>
  typeof schema !== "object" || Object.keys(schema).every((name) => name === "description" || name === "title");

function unboundedIn(schema: Described, path: string): string[] {
  const { type, items, additionalProperties: more } = schema;
  const found: string[] = [];
  if (type === "array" && schema.maxItems === undefined && !isFree(items)) found.push(path);
  if (type === "object" && schema.maxProperties === undefined && !isFree(more)) found.push(path);
  const within: [string, Described | boolean | undefined][] = [
    ["[]", items],
    [".*", more],
    ...Object.entries(schema.properties ?? {}).map(([name, each]): [string, Described] => [`.${name}`, each]),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].map((each): [string, Described] => [
      "",
      each,
    ]),
    ...Object.entries(schema.$defs ?? {}).map(([name, each]): [string, Described] => [`#${name}`, each]),
  ];
  for (const [name, each] of within) if (typeof each === "object") found.push(...unboundedIn(each, `${path}${name}`));
  return found;
}

test("every list, and every object with free names, in a request has a limit", () => {
  const inputs: [string, z.ZodType][] = [
    ...operations.map(({ path, input }): [string, z.ZodType] => [path, input]),
    ...steps.map(({ id, input }): [string, z.ZodType] => [`step ${id}`, input]),
  ];
  expect(inputs.length).toBeGreaterThan(100);
  expect(inputs.flatMap(([name, input]) => unboundedIn(describeInput(input), name))).toEqual([]);
});

test("a schema without a limit is found", () => {
  const rule = z.object({
    names: z.array(z.string()),
    more: z.record(z.string(), z.number()),
    free: z.array(z.unknown()),
  });
  expect(unboundedIn(describeInput(z.object({ rules: z.array(rule).max(5) })), "in")).toEqual([
    "in.rules[].names",
    "in.rules[].more",
  ]);
});
