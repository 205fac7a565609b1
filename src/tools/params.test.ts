import { afterAll, describe, expect, test } from "vitest";
import { createCompute } from "../untrusted/compute.ts";
import { isOrdinary } from "../untrusted/ordinary-schema.ts";
import { findSchemaMistakes as findMistakes, readParams as read } from "./params.ts";

const compute = createCompute({ processes: 2 });
afterAll(() => compute.close());
const on = { compute, organizationId: "org_us_test" };

type Schema = Record<string, unknown>;
const readParams = (params_schema: Schema, params: unknown) => read({ params_schema }, params, on);
const errorsOf = async (schema: Schema, params: unknown) => {
  const result = await readParams(schema, params);
  return "errors" in result ? result.errors : [];
};
const pointersOf = async (schema: Schema, params: unknown) =>
  (await errorsOf(schema, params)).map(({ pointer }) => pointer);
const findSchemaMistakes = (schema: Schema) => findMistakes(schema, on);

const properties = {
  branch: { type: "string", minLength: 1 },
  count: { type: "integer", minimum: 1, default: 3 },
  tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
  deep: { type: "object", properties: { when: { type: ["string", "null"] } }, required: ["when"] },
};
const plain = { type: "object", properties, required: ["branch"] };
const sha = { type: "string", pattern: "^[0-9a-f]{7,40}$" };
const withPattern = { type: "object", properties: { ...properties, sha }, required: ["branch"] };

describe.each([
  ["in the server", plain],
  ["in another process", withPattern],
])("params are checked by the tool's schema, %s", (_where, schema) => {
  test.each([
    [{ branch: "main" }, []],
    [{ branch: "main", other: 1 }, []],
    [{ branch: "main", deep: { when: null } }, []],
    [{}, ["/branch"]],
    [{ branch: "" }, ["/branch"]],
    [{ branch: 7 }, ["/branch"]],
    [{ branch: "main", count: 0 }, ["/count"]],
    [{ branch: "main", count: 1.5 }, ["/count"]],
    [{ branch: "main", tags: ["a", "c"] }, ["/tags/1"]],
    [{ branch: "main", deep: {} }, ["/deep/when"]],
    [null, [""]],
    [[], [""]],
    ["text", [""]],
  ])("%j", async (params, pointers) => {
    expect(await pointersOf(schema, params)).toEqual(pointers);
  });

  test("defaults of the schema are filled in", async () => {
    expect(await readParams(schema, { branch: "main" })).toEqual({ params: { branch: "main", count: 3 } });
  });
});

describe("params", () => {
  test("are matched against patterns, however long they are", async () => {
    expect(await pointersOf(withPattern, { branch: "main", sha: "abcdef0" })).toEqual([]);
    expect(await pointersOf(withPattern, { branch: "main", sha: "xyz" })).toEqual(["/sha"]);
    expect(await pointersOf(withPattern, { branch: "x".repeat(100_000), sha: "abcdef0" })).toEqual([]);
    const named = { patternProperties: { "^x-": { type: "number" } }, additionalProperties: false };
    expect(await pointersOf(named, { "x-a": 1 })).toEqual([]);
    expect(await pointersOf(named, { "x-a": "1" })).toEqual(["/x-a"]);
    expect(await errorsOf(named, { y: 1 })).toMatchObject([{ code: "unrecognized_keys" }]);
  });

  test("required members are required, described or not", async () => {
    const bare = { type: "object", required: ["a", "b"], properties: { b: {}, c: { required: ["d"] } } };
    expect((await pointersOf(bare, {})).sort()).toEqual(["/a", "/b"]);
    expect(await pointersOf(bare, { a: null, b: 1, c: {} })).toEqual(["/c/d"]);
    expect(await pointersOf(bare, { a: 1, b: 2 })).toEqual([]);
  });

  test("an empty schema accepts every object", async () => {
    expect(await errorsOf({}, { anything: [1] })).toEqual([]);
    expect(await errorsOf({}, 1)).toHaveLength(1);
  });

  test("a schema that refers to itself checks values of any depth", async () => {
    const tree = {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
      },
    };
    expect(await findSchemaMistakes(tree)).toEqual([]);
    expect(await pointersOf(tree, { children: [{ name: "a", children: [{ name: 1 }] }] })).toEqual([
      "/children/0/children/0/name",
    ]);
  });

  test("thousands of mistakes are reported in a few short sentences", async () => {
    const values = Array.from({ length: 5_000 }, (_, index) => `value ${index}`);
    const schema = { properties: { list: { type: "array", items: { enum: values } } } };
    const errors = await errorsOf(schema, { list: Array.from({ length: 50_000 }, () => "wrong") });
    expect(errors).toHaveLength(100);
    expect(errors[0]?.detail).toMatch(/^It must be one of "value 0", .* and 4980 more\.$/);
    expect(Math.max(...errors.map(({ detail }) => detail.length))).toBeLessThan(1_000);
  });

  test("a schema that takes too long to check is a mistake, not an endless wait", async () => {
    const $defs: Schema = { d0: { type: "string" } };
    for (let depth = 1; depth <= 25; depth++) {
      const before = { $ref: `#/$defs/d${depth - 1}` };
      $defs[`d${depth}`] = { oneOf: [before, before] };
    }
    const schema = { $defs, properties: { a: { $ref: "#/$defs/d25" } } };
    expect(await findSchemaMistakes(schema)).toEqual([]);
    expect(await errorsOf(schema, { a: 1 })).toEqual([
      { pointer: "", code: "slow_schema", detail: expect.stringContaining("takes too long to check") },
    ]);
  });

  test("a saved schema that is no longer allowed is reported as a mistake of the tool", async () => {
    const [error] = await errorsOf({ properties: { a: { type: "string", pattern: "(?=x)x" } } }, { a: "x" });
    expect(error).toMatchObject({ pointer: "", code: "unusable_schema" });
  });
});

describe("a schema that cannot be used is refused", () => {
  test.each([
    [{ type: "array" }, "/type"],
    [{ type: "object", properties: { a: { type: "strange" } } }, ""],
    [{ $ref: "https://example.com/schema.json" }, ""],
    [{ properties: { a: { type: "string", pattern: "(?=a)b" } } }, "/properties/a/pattern"],
    [{ properties: { a: { type: "string", pattern: "(a)\\1" } } }, "/properties/a/pattern"],
    [{ properties: { a: { anyOf: [{ pattern: "(" }] } } }, "/properties/a/anyOf/0/pattern"],
    [{ patternProperties: { "(?!x)y": {} } }, "/patternProperties/(?!x)y"],
    [{ $ref: "#" }, ""],
    [{ $defs: { a: { $ref: "#/$defs/a" } }, properties: { x: { $ref: "#/$defs/a" } } }, "/properties/x"],
    [{ properties: { x: { $ref: "#/$defs/a" } }, $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } }, "/properties/x"],
  ])("%j", async (given, pointer) => {
    const mistakes = await findSchemaMistakes(given as Schema);
    expect(mistakes.map((mistake) => mistake.pointer)).toEqual([pointer]);
  });

  test("two tools may give their schemas the same id", async () => {
    for (let i = 0; i < 2; i++)
      expect(await findSchemaMistakes({ $id: "mine", id: "mine", properties: {} })).toEqual([]);
  });

  test("one that is nested too deeply is a mistake too", async () => {
    let schema: Schema = { type: "string" };
    for (let depth = 0; depth < 5_000; depth++) schema = { items: schema };
    expect(await findSchemaMistakes({ properties: { a: schema } })).toHaveLength(1);
  });
});

test("a schema is judged again after it was changed, unless it is frozen and cannot change", async () => {
  const schema: Schema = { type: "object", properties: { sha: { type: "string" } } };
  expect(isOrdinary(schema)).toBe(true);
  Object.assign(schema, { properties: { sha } });
  expect(isOrdinary(schema)).toBe(false);
  const frozen = Object.freeze({ type: "object", format: "date" });
  const long = { text: "a".repeat(2000) };
  for (const params of [{}, long, long]) expect(isOrdinary(frozen, params)).toBe(params !== long);
});
