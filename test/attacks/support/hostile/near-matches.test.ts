import { describe, expect, test } from "vitest";
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
