import { describe, expect, test } from "vitest";
import * as z from "zod";
import { anyObject } from "./any-object.ts";

const schema = z.object({ params: anyObject().default({}) });

describe("an object with any members", () => {
  test("is the object itself, which is not copied", () => {
    const params = { a: 1, b: { c: [] } };
    expect(schema.parse({ params }).params).toBe(params);
    expect(schema.parse({}).params).toEqual({});
  });

  test.each([
    ["a string", "x"],
    ["a number", 1],
    ["an array", []],
    ["null", null],
  ])("is not %s", (name, params) => {
    const { error } = schema.safeParse({ params });
    const shape = { code: "custom", params: { kind: "shape", code: "invalid_type" } };
    expect(error?.issues).toMatchObject([{ ...shape, message: `Expected an object, received ${name}.` }]);
  });

  test("is required without a default", () => {
    const { error } = z.object({ params: anyObject() }).safeParse({});
    expect(error?.issues).toMatchObject([{ path: ["params"], message: "This member is required." }]);
  });

  test("has no member that sets a prototype", () => {
    const { error } = schema.safeParse({ params: JSON.parse('{"__proto__":{"a":1}}') });
    expect(error?.issues).toMatchObject([{ message: 'A member cannot have the name "__proto__".' }]);
  });

  test("is described as any object", () => {
    const described = z.toJSONSchema(anyObject().meta({ description: "d" }), { unrepresentable: "any" });
    const expected = z.toJSONSchema(z.record(z.string(), z.unknown()).meta({ description: "d" }));
    expect(described).toEqual(expected);
  });
});
