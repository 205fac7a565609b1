import { describe, expect, test } from "vitest";
import { createPart, createSample } from "./deal.ts";
import { nearMatchesOf, textNear } from "./near-matches.ts";

/** What `hostile-input.test.ts` sends is only as good as what is made here. */

const textsNear = (source: string, flags = ""): string[] =>
  nearMatchesOf({ source, flags }).map((near) => textNear(near, 12));

describe("near-matches of a regular expression", () => {
  test.each([
    ["the beginning of a match, again and again", String.raw`\beyJ[\w-]+\.`, "eyJ-eyJ-eyJ!"],
    ["the inside of a match", String.raw`\beyJ[\w-]+\.`, "eyJaaaaaaaa!"],
    ["white space before an end", String.raw`\s+$`, "           !"],
    ["a repeat within a repeat", "^(?:a+)+$", "aaaaaaaaaaa!"],
    ["each of several ways", "^(?:x|yz)*$", "yzyzyzyzyzy!"],
    ["a repeat after a group", String.raw`(ab)c*\1`, "abccccccccc!"],
    ["what is not in a class", "<[^>]*>", "<aaaaaaaaaa!"],
    ["marks above letters", String.raw`\p{M}+x`, `${"\u0301".repeat(11)}!`],
  ])("%s", (_, source, expected) => {
    expect(textsNear(source, source.includes("\\p") ? "u" : "")).toContain(expected);
  });

  test("do not match", () => {
    for (const source of ["^a+$", "^(?:[a-z]+,)*$", "^-?\\d+$", "^[^!]+$"]) {
      for (const near of nearMatchesOf({ source, flags: "" })) {
        expect([source, new RegExp(source).test(textNear(near, 50))]).toEqual([source, false]);
      }
    }
  });

  test("have the size that is wanted, down to a single character", () => {
    const [near] = nearMatchesOf({ source: "^ab{2}(?:cde)+f", flags: "" });
    for (const size of [1, 2, 7, 100, 1001]) expect(near && textNear(near, size)).toHaveLength(size);
  });
});

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
