import { describe, expect, test } from "vitest";
import { createPart, createSample } from "./deal.ts";
import { nearMatchesOf } from "./near-matches.ts";

describe("the deal", () => {
  const nearMatches = ["a+", "(?:b|c)+d", "[ef]*g"].flatMap((source) => nearMatchesOf({ source, flags: "" }));

  test("gives one of every expression before a second one of any", () => {
    const deal = createSample(nearMatches, 1);
    expect(deal.undealt()).toEqual(["/a+/", "/(?:b|c)+d/", "/[ef]*g/"]);
    expect(new Set([...deal.nearMatches(2), ...deal.nearMatches(1)].map(({ of }) => of)).size).toBe(3);
    expect(deal.undealt()).toEqual([]);
  });

  test("is the same for the same seed, and another for another one", () => {
    const dealt = (seed: number) => createSample(nearMatches, seed).nearMatches(6);
    expect(dealt(1)).toEqual(dealt(1));
    expect([2, 3, 4, 5].some((seed) => JSON.stringify(dealt(seed)) !== JSON.stringify(dealt(1)))).toBe(true);
  });

  test("gives everything in parts, and nothing twice", () => {
    const parts = [0, 1, 2].map((part) => createPart(nearMatches, part, 3));
    for (let place = 0; place < 4; place++) {
      expect(parts.flatMap((deal) => deal.some([1, 2, 3, 4, 5], 1)).sort()).toEqual([1, 2, 3, 4, 5]);
      const dealt = parts.flatMap((deal) => deal.nearMatches(1));
      expect([dealt.length, new Set(dealt)]).toEqual([nearMatches.length, new Set(nearMatches)]);
    }
    const [deal] = parts;
    expect([deal?.places(["a", "b"], 1), deal?.either(1, ["a", "b"])]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("gives what many expressions have in common once, where it gives everything", () => {
    const alike = ["^a+$", "a+"].flatMap((source) => nearMatchesOf({ source, flags: "" }));
    expect(new Set(alike.map(({ of }) => of)).size).toBe(2);
    expect(createPart(alike, 0, 1).nearMatches(1).length).toBeLessThan(alike.length);
  });
});
