import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPieces, TooLarge, writePieces } from "./json-pieces.ts";

const again = async (value: unknown): Promise<unknown> =>
  readPieces(structuredClone(await writePieces(value, 64 * 1024 * 1024)));

describe("a value in pieces", () => {
  test("equals the value that JSON would return", async () => {
    // Long texts make small lists large enough to be divided.
    const long = fc.integer({ min: 1, max: 4 }).map((times) => "x".repeat(20_000 * times));
    const { value: json } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), long, tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 6 }),
      object: fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("value"), { maxKeys: 6 }),
    }));
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect(JSON.stringify(await again(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["many small items", Array.from({ length: 200_000 }, (_, index) => index)],
    ["many members", Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, [index]]))],
    ["one long text", { text: "x".repeat(3_000_000), after: 1 }],
    ["a large list far inside", { a: [{ b: { c: Array.from({ length: 30_000 }, () => ({ d: 1 })) } }], e: null }],
  ])("%s", async (_what, value) => {
    expect(await again(value)).toEqual(value);
  });

  test("a value above the limit is refused before all of it is written", async () => {
    const value = Array.from({ length: 100_000 }, () => "x".repeat(100));
    await expect(writePieces(value, 1024 * 1024)).rejects.toBeInstanceOf(TooLarge);
    await expect(writePieces("x".repeat(2_000_000), 1024 * 1024)).rejects.toBeInstanceOf(TooLarge);
  });
});
