import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseInSlices } from "./parse-in-slices.ts";
import { JsonTooLarge } from "./strict-json.ts";

const limits = { depth: 100, weight: 10_000_000, members: 1_000_000 };
const filler = `"${"x".repeat(700)}"`;

/** The same text with so much in it that it is parsed in many slices: every comma is followed by another part. */
const large = (value: unknown): string => {
  const text = JSON.stringify(value, null, 1);
  return `{"before":${text},"list":[${`${text},${filler},`.repeat(200)}{"a":${text}}],"after":${text},"deep":[[[${`${filler},`.repeat(200)}${text}]]]}`;
};

async function outcome(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    return error instanceof SyntaxError ? "no JSON" : String(error);
  }
}

describe("a large text of JSON", () => {
  test("gives the same value as JSON.parse", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const text = large(value);
        expect(await parseInSlices(text, limits)).toEqual(JSON.parse(text));
        const small = JSON.stringify(value);
        expect(await parseInSlices(` ${small}\n`, limits)).toEqual(JSON.parse(small));
      }),
      { numRuns: 60 },
    );
  });

  test("is refused wherever JSON.parse refuses it", async () => {
    const good = large({ a: [1, { b: 'c, ] } \\" [' }], d: {} });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(good.length - 1),
        fc.constantFrom("", ",", ",,", "]", "}", "[", "{", ":", '"', "x", "]]", "[]", "{}", " ", "\\", ",]", "},{"),
        fc.boolean(),
        async (at, put, isInstead) => {
          const text = good.slice(0, at) + put + good.slice(isInstead ? at + 1 : at);
          expect(await outcome(() => parseInSlices(text, limits))).toEqual(await outcome(() => JSON.parse(text)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    ["", "0 1", "[1] 2", "[,]", "[1,]", '{"a":1,}', "[", "]", '"', "nul", "{}{}", "[1 2]", '{"a" 1}', "[}"],
    [`[${`${filler},`.repeat(200)}]`, `[${`${filler},`.repeat(200)}1`, `[${`${filler},`.repeat(200)},1]`],
    [`[[${`${filler},`.repeat(200)}1] 2]`, `[[${`${filler},`.repeat(200)}1]x,2]`, `{[${`${filler},`.repeat(200)}1]}`],
    [
      `[[${`${filler},`.repeat(200)}1][2]]`,
      `{"a":1 "b":[${`${filler},`.repeat(200)}1]}`,
      `{"a":[${`${filler},`.repeat(200)}1],}`,
    ],
  ])("is refused as %j is", async (...texts) => {
    for (const text of texts) {
      expect([text.slice(0, 30), await outcome(() => parseInSlices(text, limits))]).toEqual([
        text.slice(0, 30),
        await outcome(() => JSON.parse(text)),
      ]);
    }
  });

  test("may name a member twice, or call it __proto__", async () => {
    const many = (member: string) => `{${Array(300).fill(`${member}:${filler}`).join(",")},"b":1,${member}:{"x":1}}`;
    for (const text of [many('"a"'), many('"__proto__"'), many('"1"')]) {
      const value = (await parseInSlices(text, limits)) as object;
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  test("that is too deep or holds too much is refused for that", async () => {
    const deep = `[${`${filler},`.repeat(200)}${"[".repeat(100)}${"]".repeat(100)}]`;
    await expect(parseInSlices(deep, limits)).rejects.toThrow(JsonTooLarge);
    const wide = `[1,{${Array.from({ length: 6_000 }, (_, index) => `"${index}":{"a":1}`).join(",")}}]`;
    await expect(parseInSlices(wide, { ...limits, members: 5_000 })).rejects.toThrow(JsonTooLarge);
    expect(await parseInSlices(wide, { ...limits, members: 6_000 })).toEqual(JSON.parse(wide));
    await expect(parseInSlices(`[${"{},".repeat(100_000)}{}]`, { ...limits, weight: 200_000 })).rejects.toThrow(
      JsonTooLarge,
    );
  });

  test("yields to the event loop", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await parseInSlices(`[${'{"a":[1,2,{}]},'.repeat(300_000)}{}]`, limits);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
