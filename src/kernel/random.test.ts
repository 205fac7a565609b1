import fc from "fast-check";
import { expect, test } from "vitest";
import { randomBase62, randomByte, toBase62 } from "./random.ts";

test("random text has the wanted length and only digits and letters", () => {
  fc.assert(
    fc.property(fc.nat({ max: 200 }), (length) => {
      const text = randomBase62(length);
      expect(text).toHaveLength(length);
      expect(text).toMatch(/^[0-9A-Za-z]*$/);
    }),
  );
});

test("every byte and every character occurs: neither the pool nor the reduction to 62 drops any", () => {
  expect(new Set(Array.from({ length: 20_000 }, randomByte)).size).toBe(256);
  expect(new Set(randomBase62(20_000)).size).toBe(62);
});

test("no character is favoured: of 62,000 each comes about 1,000 times", () => {
  const counts = new Map<string, number>();
  for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  // Seven standard deviations: a fair source misses this once in a hundred thousand million runs. Folding all 256
  // bytes to 62 would give the first eight characters a quarter more.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(222);
});

test("two texts are never the same", () => {
  expect(new Set(Array.from({ length: 5000 }, () => randomBase62(43))).size).toBe(5000);
});

test.each([
  [0, 6, "000000"],
  [61, 1, "z"],
  [62, 2, "10"],
  [0xffffffff, 6, "4gfFC3"],
])("%d in %d characters of base 62 is %s", (number, characters, text) => {
  expect(toBase62(number, characters)).toBe(text);
});

test("different checksums never share a text", () => {
  fc.assert(
    fc.property(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffffffff }), (a, b) => {
      expect(toBase62(a, 6) === toBase62(b, 6)).toBe(a === b);
    }),
  );
});
