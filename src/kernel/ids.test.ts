import { describe, expect, test } from "vitest";
import { type IdKind, kindOfId, newId, newInviteCode, regionOfId } from "./ids.ts";
import { isRegion, regions } from "./regions.ts";

describe("an id", () => {
  test.each([
    ["organization", "org"],
    ["project", "prj"],
    ["user", "usr"],
    ["invite", "inv"],
    ["key", "key"],
    ["mail", "mail"],
  ] as [IdKind, string][])("of a %s begins with %s_ and its region", (kind, prefix) => {
    for (const region of regions) {
      const id = newId(kind, region);
      expect(id).toMatch(new RegExp(`^${prefix}_${region}_[0-9a-hjkmnp-tv-z]{26}$`));
      expect(regionOfId(id)).toBe(region);
      expect(kindOfId(id)).toBe(kind);
    }
  });

  test("comes after every id made before it, in plain text order", () => {
    const ids = Array.from({ length: 20_000 }, () => newId("project", "eu"));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("of another kind shares the order, and the region does not disturb it", () => {
    const stamps = Array.from({ length: 100 }, (_, i) =>
      newId(i % 2 ? "user" : "key", i % 3 ? "us" : "au").slice(7, 21),
    );
    expect([...stamps].sort()).toEqual(stamps);
  });

  test("ends in 60 random bits, so that the next one cannot be guessed", () => {
    const tails = Array.from({ length: 2000 }, () => newId("key", "us").slice(-12));
    expect(new Set(tails).size).toBe(tails.length);
  });

  test.each([
    ["prj_us_0123", "us"],
    ["mail_au_x", "au"],
    ["prj_xx_0123", null],
    ["prj_us", null],
    ["prj_US_0123", null],
    ["us_prj_0123", null],
    ["whatever", null],
    ["", null],
    ["__proto__", null],
  ])("%j names the region %s", (id, region) => {
    expect(regionOfId(id)).toBe(region);
  });
});

test.each(["", "_", "key", "keys_us_1", "constructor_us_1", "__proto__"])("%j names nothing of ours", (id) => {
  expect(kindOfId(id)).toBe(null);
});

describe("an invite code", () => {
  test("carries 43 random characters after its time part", () => {
    const codes = Array.from({ length: 500 }, () => newInviteCode("us"));
    for (const code of codes) expect(code).toMatch(/^inv_us_[0-9a-z]{14}[0-9A-Za-z]{43}$/);
    expect([...codes].sort()).toEqual(codes);
    expect(new Set(codes.map((code) => code.slice(-43))).size).toBe(codes.length);
  });
});

test.each([
  ["us", true],
  ["eu", true],
  ["au", true],
  ["US", false],
  ["", false],
  ["toString", false],
])("%j is a region: %s", (word, expected) => expect(isRegion(word)).toBe(expected));
