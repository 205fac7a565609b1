import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLarge, writeInSlices } from "./write-in-slices.ts";

const filler = "x".repeat(500);
const large = (value: unknown) => ({
  list: [...Array.from({ length: 500 }, () => [value, filler]), value, undefined, { deep: [Array(9_000).fill(value)] }],
  object: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${index % 2 ? "m" : ""}${index}`, value])),
  none: undefined,
  date: new Date(0),
  "a name": value,
});

describe("a large value as JSON", () => {
  test("is the same text as from JSON.stringify", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        expect(await writeInSlices(large(value))).toBe(JSON.stringify(large(value)));
        expect(await writeInSlices(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 25 },
    );
    const proto = JSON.parse(`{"__proto__":[${"1,".repeat(9_000)}1],"a":2}`);
    expect(await writeInSlices(proto)).toBe(JSON.stringify(proto));
    for (const value of [[], {}, [[]], [undefined], "", 0, null, { a: undefined }, Array(9_000).fill(undefined)])
      expect(await writeInSlices(value)).toBe(JSON.stringify(value));
  });

  test("is the same text where long texts are written in pieces", async () => {
    const filled = (start: string, unit: string) => start + unit.repeat(70_000);
    for (const unit of ["x", '"', "\\", "😀", "\ud800", "\udc00", "\ud800😀", "é\n"]) {
      for (const start of ["", "a"]) {
        const text = filled(start, unit);
        for (const value of [text, [text, 1], { text, b: { [unit]: text } }])
          expect((await writeInSlices(value)) === JSON.stringify(value), JSON.stringify([unit, start])).toBe(true);
      }
    }
  });

  test("is known by its items, its members and its texts", () => {
    for (const value of [1, "short", null, [1, 2], { a: { b: [] } }, "x".repeat(300_000)])
      expect(isLarge(value)).toBe(false);
    const members = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [index, 1]));
    for (const value of [
      "x".repeat(500_000),
      Array(30_000).fill(1),
      members,
      [[[members]]],
      { ["n".repeat(500_000)]: 1 },
    ])
      expect(isLarge(value)).toBe(true);
  });

  test("yields to the event loop", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await writeInSlices(Array.from({ length: 300_000 }, () => ({ a: [1, {}] })));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});
