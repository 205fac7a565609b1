import { describe, expect, test } from "vitest";
import * as z from "zod";
import { anyObject } from "./any-object.ts";
import { parseWithin } from "./parse-within.ts";

const scalar = z.union([z.string(), z.number()]);
const query = z.record(z.string(), z.union([scalar, z.array(scalar).max(5)])).meta({ maxProperties: 3 });
const schema = z.strictObject({
  name: z.string().optional(),
  tags: z.array(z.string().max(3)).max(4).optional(),
  rows: z
    .array(z.object({ cells: z.array(z.number()).max(2) }))
    .max(3)
    .optional(),
  query: query.refine((all) => Object.keys(all).length <= 3, "At most 3 parameters.").optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  either: z.union([z.array(z.string()).max(1), z.array(z.number()).max(3)]).optional(),
  open: z.union([z.array(z.string()).max(1), z.unknown()]).optional(),
});

const issuesOf = (value: unknown) => parseWithin(schema, value).error?.issues ?? [];

describe("a check of what callers send", () => {
  test("returns a valid value unchanged", () => {
    const value = { tags: ["a"], rows: [{ cells: [1] }], query: { a: ["x"], b: 1 }, free: { x: Array(99).fill(1) } };
    expect(parseWithin(schema, value)).toEqual(schema.safeParse(value));
    expect(parseWithin(schema, { open: [1, 2, 3] }).success).toBe(true);
    expect(parseWithin(schema, { either: [1, 2, 3] }).success).toBe(true);
  });

  test.each([
    ["a list", { tags: Array(100_000).fill(7) }, ["tags"]],
    ["a list in a list", { rows: [{ cells: Array(100_000).fill("x") }] }, ["rows", 0, "cells"]],
    ["a list among any members", { query: { a: Array(100_000).fill({}) } }, ["query", "a"]],
  ])("of %s that is too long visits one item too many, and no more", (_what, value, path) => {
    const issues = issuesOf(value);
    expect(issues.length).toBeLessThan(10);
    const text = JSON.stringify(issues);
    expect(text).toContain("too_big");
    expect(issues[0]?.path.slice(0, path.length)).toEqual(path);
  });

  test("of too many members says so", () => {
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, 1]));
    expect(issuesOf({ query: members })).toMatchObject([{ path: ["query"], message: "At most 3 parameters." }]);
  });

  test("of an object with a fixed set of names keeps what it has, and names a few of the others", () => {
    const others = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, 1]));
    const [issue, ...more] = issuesOf({ ...others, name: 1, tags: ["a"] });
    expect(issue).toMatchObject({ path: ["name"], code: "invalid_type" });
    expect(more).toMatchObject([{ path: [], code: "unrecognized_keys" }]);
    expect(more[0]).toHaveProperty("keys.length", 21);
  });

  test("drops unknown members before it copies an object, where the schema drops them", () => {
    const others = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, 1]));
    const dropping = z.object({ name: z.string(), tags: z.array(z.string()).max(2) });
    expect(parseWithin(dropping, { ...others, name: "a", tags: ["a"] }).data).toEqual({ name: "a", tags: ["a"] });
    const issues = parseWithin(dropping, { ...others, name: "a", tags: [1, 2, 3, 4] }).error?.issues;
    expect(issues?.map(({ path }) => path)).toContainEqual(["tags"]);
  });

  test("cuts nothing that one of several forms takes", () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${index}`, [1, 2, 3]]));
    const narrow = z.strictObject({ kind: z.literal("a"), m1: z.array(z.number()).max(2).optional() });
    for (const wide of [z.record(z.string(), z.unknown()), anyObject(), z.looseObject({ kind: z.literal("b") })])
      expect(parseWithin(z.union([narrow, wide]), { kind: "b", ...many }).data).toEqual({ kind: "b", ...many });
    const list = z.union([z.array(z.string()).max(1), z.array(z.unknown())]);
    expect(parseWithin(list, [1, 2, 3]).data).toEqual([1, 2, 3]);
  });

  test("of anything but lists and objects is that of the schema", () => {
    for (const value of [
      null,
      1,
      "x",
      [],
      { tags: "x" },
      { tags: null },
      { rows: [null, 1] },
      { query: [] },
      { odd: 1 },
    ])
      expect(issuesOf(value)).toEqual(schema.safeParse(value).error?.issues ?? []);
  });

  test("a member called __proto__ stays one", () => {
    const value = JSON.parse('{"query":{"__proto__":[1,2,3,4,5,6,7,8]}}');
    expect(parseWithin(schema, value)).toEqual(schema.safeParse(value));
    expect(({} as Record<string, unknown>)[0]).toBeUndefined();
  });
});
