import { describe, expect, test } from "vitest";
import { checkParams, findSchemaMistakes, readParams } from "./tool-params.ts";
import { isQuickPattern } from "./tool-patterns.ts";

const schema = {
  type: "object",
  properties: {
    branch: { type: "string", minLength: 1 },
    count: { type: "integer", minimum: 1, default: 3 },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    sha: { type: "string", pattern: "^[0-9a-f]{7,40}$" },
    deep: { type: "object", properties: { when: { type: ["string", "null"] } }, required: ["when"] },
  },
  required: ["branch"],
};

const errorsOf = (params: unknown) => checkParams({ params_schema: schema }, params).map(({ pointer }) => pointer);

describe("params are checked by the tool's schema", () => {
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
    [{ branch: "main", sha: "xyz" }, ["/sha"]],
    [{ branch: "main", deep: {} }, ["/deep/when"]],
    [{ branch: "main", sha: "a".repeat(501) }, ["/sha"]],
    [null, [""]],
    [[], [""]],
    ["text", [""]],
  ])("%j", (params, pointers) => {
    expect(errorsOf(params)).toEqual(pointers);
  });

  test("defaults of the schema are filled in", () => {
    expect(readParams({ params_schema: schema }, { branch: "main" })).toEqual({ params: { branch: "main", count: 3 } });
  });

  test("what is required is asked for, described or not", () => {
    const bare = { type: "object", required: ["a", "b"], properties: { b: {}, c: { required: ["d"] } } };
    const pointers = (params: unknown) => checkParams({ params_schema: bare }, params).map(({ pointer }) => pointer);
    expect(pointers({}).sort()).toEqual(["/a", "/b"]);
    expect(pointers({ a: null, b: 1, c: {} })).toEqual(["/c/d"]);
    expect(pointers({ a: 1, b: 2 })).toEqual([]);
  });

  test("an empty schema takes every object", () => {
    expect(checkParams({ params_schema: {} }, { anything: [1] })).toEqual([]);
    expect(checkParams({ params_schema: {} }, 1)).toHaveLength(1);
  });
});

describe("a schema that cannot be used is refused", () => {
  test.each([
    [{ type: "array" }, "/type"],
    [{ type: "object", properties: { a: { type: "strange" } } }, ""],
    [{ $ref: "https://example.com/schema.json" }, ""],
    [{ properties: { a: { type: "string", pattern: "(a+)+$" } } }, "/properties/a/pattern"],
    [{ properties: { a: { anyOf: [{ pattern: "(" }] } } }, "/properties/a/anyOf/0/pattern"],
    [{ patternProperties: { "(x|x)*y": {} } }, "/patternProperties/(x|x)*y"],
  ])("%j", (given, pointer) => {
    expect(findSchemaMistakes(given as Record<string, unknown>).map((mistake) => mistake.pointer)).toEqual([pointer]);
  });

  test("two tools may give their schemas the same id", () => {
    for (let i = 0; i < 2; i++) expect(findSchemaMistakes({ $id: "mine", id: "mine", properties: {} })).toEqual([]);
  });
});

describe("patterns run against whatever is sent, so only quick ones are taken", () => {
  test.each([
    ["^[0-9a-f]{7,40}$", true],
    ["^feature/.+$", true],
    ["^(main|master)$", true],
    ["^v\\d+\\.\\d+$", true],
    ["^(?:a|b)?c$", false],
    ["^[a-z]+(-[a-z]+)*$", false],
    ["(a+)+", false],
    ["(a*)*", false],
    ["(a|a)*", false],
    ["(a?){50}", false],
    ["a*a*a*b", false],
    ["(a)\\1", false],
    ["(?=a)b", false],
    ["[", false],
    ["x".repeat(201), false],
  ])("%s: %s", (pattern, expected) => {
    expect(isQuickPattern(pattern)).toBe(expected);
  });
});
