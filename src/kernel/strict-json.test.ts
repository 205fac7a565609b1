import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, JsonRefused, JsonTooLarge, parseJson } from "./strict-json.ts";

const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);

describe("strict JSON", () => {
  test("reads every value as any other parser does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    "",
    "{",
    "{'a':1}",
    '{"a":1,}',
    "NaN",
    "undefined",
    '{"a":01}',
    '"\u0000"',
    "{} {}",
    "// no\n{}",
    "\ufeff{}",
  ])("%j is not valid JSON", (text) => {
    expect(() => parseJson(text)).toThrow(new JsonRefused("The body is not valid JSON."));
  });

  test.each([
    ["side by side", '{"a":1,"a":1}'],
    ["far apart", '{"a":1,"b":{"c":2},"a":3}'],
    ["one of them escaped", '{"a":1,"\\u0061":2}'],
    ["both escaped, in two ways", '{"\\/":1,"\\u002f":2}'],
    ["with a quote in the name", '{"\\"":1,"\\u0022":2}'],
    ["with a colon in the name", '{"a:b":1,"a\\u003ab":2}'],
    ["with a backslash at the end of the name", '{"a\\\\":1,"a\\\\":2}'],
    ["deep inside", '[{"x":[{"a":1,"a":2}]}]'],
    ["called __proto__", '{"__proto__":1,"__proto__":2}'],
    ["called like a number", '{"1":1,"\\u0031":2}'],
    ["with an empty name", '{"":1,"":2}'],
  ])("a member named twice %s is refused: two readers could see two requests", (_how, text) => {
    expect(() => parseJson(text)).toThrow(new JsonRefused("The body names a member of an object twice."));
  });

  // "Nothing that a caller chooses may take more than 50 ms of the event loop": four megabytes of these took half a second.
  test.each([
    ["empty objects", `[${"{},".repeat(70_000)}{}]`],
    ["empty lists", `{"a":[${"[],".repeat(70_000)}[]]}`],
    ["items", `[${"1,".repeat(200_001)}1]`],
    ["members", `{${Array.from({ length: 70_000 }, (_, index) => `"${index}":1`).join(",")}}`],
  ])("more %s than the limit are refused before they are parsed", (_what, text) => {
    expect(() => parseJson(text)).toThrow(new JsonRefused("The body holds too many values: send fewer at a time."));
  });

  test("a large nested text is refused before it is parsed, and one of few values is parsed", () => {
    const deep = nested(100_000);
    expect(() => parseJson(deep)).toThrow(new JsonRefused("The body is nested too deeply."));
    for (const text of [`["${'\\"[{,:'.repeat(100_000)}"]`, `[${"1,".repeat(100_000)}{}]`, `[${" ".repeat(100_000)}]`])
      expect(parseJson(text)).toEqual(JSON.parse(text));
    for (const text of [`["${"a".repeat(100_000)}`, `${"]".repeat(100_000)}`, `"${"\\".repeat(100_001)}"`])
      expect(() => parseJson(text)).toThrow(new JsonRefused("The body is not valid JSON."));
  });

  test.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":1,"A":2}',
    '{"a":":","b":"\\":","c":"\\\\"}',
    '{"a:b":"c:d:e"}',
    '{"constructor":1,"toString":2,"__proto__":{"x":1}}',
  ])("%s has no repeated member", (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test("any member repeated anywhere in any object is found", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 });
    fc.assert(
      fc.property(object, fc.nat(), fc.jsonValue({ maxDepth: 2 }), (members, pick, value) => {
        const names = Object.keys(members);
        const name = names[pick % names.length];
        const repeated = `${JSON.stringify(members).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;
        expect(() => parseJson(repeated)).toThrow(JsonRefused);
      }),
    );
  });

  test("32 levels are parsed, 33 are not, of lists or objects", () => {
    expect(() => parseJson(nested(32))).not.toThrow();
    const tooDeep = new JsonRefused("The body is nested too deeply.");
    expect(() => parseJson(nested(33))).toThrow(tooDeep);
    expect(() => parseJson(`${'{"a":'.repeat(32)}{}${"}".repeat(32)}`)).toThrow(tooDeep);
    expect(() => parseJson(nested(3), 2)).toThrow(tooDeep);
  });

  test("a body of nothing but brackets is refused like any other", () => {
    expect(() => parseJson(nested(30_000))).toThrow(JsonRefused);
    expect(() => parseJson("[".repeat(60_000))).toThrow(JsonRefused);
    expect(() => parseJson(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)).toThrow(JsonRefused);
  });

  test("a member called __proto__ is a member, and changes no prototype", () => {
    const value = parseJson('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value.admin).toBeUndefined();
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});

describe("canonical JSON", () => {
  test("the order of members and white space do not matter", () => {
    expect(canonicalJson(JSON.parse('{ "b": [1, {"d": null, "c": "x"}], "a": true }'))).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
  });

  test("the order of a list does, and so does every value", () => {
    const texts = [[1, 2], [2, 1], ["1", 2], [1], { 0: 1 }, {}, null, "", [[1], 2], [1, [2]]].map(canonicalJson);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("it is JSON of the same value, and the same for every order of members", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(parsed))).toEqual(parsed);
        expect(canonicalJson(reversed(parsed))).toBe(canonicalJson(parsed));
      }),
    );
  });

  test("a text with more different names than it may hold is refused, and one with the same few names is not", () => {
    const max = { weight: 1_000_000, names: 100 };
    const objects = (names: number) =>
      `[${Array.from({ length: 20_000 }, (_, index) => `{"name ${index % names}" : ${index}}`).join(",")}]`;
    expect(() => parseJson(objects(101), 32, max)).toThrow(JsonTooLarge);
    expect(parseJson(objects(100), 32, max)).toHaveLength(20_000);
    // What stands in a value is no name, whatever it looks like.
    const values = `[${Array.from({ length: 20_000 }, (_, index) => `"\\"${index}\\":"`).join(",")}]`;
    expect(parseJson(values, 32, max)).toHaveLength(20_000);
  });
});

/** The same value with the members of each object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
