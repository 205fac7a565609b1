import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { regions } from "../../kernel/regions.ts";
import { hashOfKey, newApiKey } from "./api-key-format.ts";
import { readAuthorization } from "./authorization-header.ts";

const key = newApiKey("us");
const inEurope = newApiKey("eu");
const changedAt = (index: number) => key.slice(0, index) + (key[index] === "x" ? "y" : "x") + key.slice(index + 1);

describe("the Authorization header", () => {
  // Authentication, rule 3, gives the first three forms; the contract adds the fourth.
  test.each([
    ["Bearer :<key>", `Bearer :${key}`, null],
    ["Bearer <project>:<key>", `Bearer prj_1:${key}`, "prj_1"],
    ["<project>:<key>", `prj_1:${key}`, "prj_1"],
    ["<project>:<key>:<region>", `prj_1:${key}:us`, "prj_1"],
    ["Bearer <project>:<key>:<region>", `Bearer prj_1:${key}:us`, "prj_1"],
    [":<key>", `:${key}`, null],
    ["Bearer <key>", `Bearer ${key}`, null],
    ["the scheme in any case", `bEaReR prj_1:${key}`, "prj_1"],
    ["several spaces", `Bearer   prj_1:${key}`, "prj_1"],
    ["a project of 64 characters", `${"p".repeat(64)}:${key}`, "p".repeat(64)],
    ["a project that looks like the scheme", `bearer:${key}`, "bearer"],
  ])("reads %s", (_shape, header, projectId) => {
    expect(readAuthorization(header)).toEqual({
      by: "key",
      projectId,
      keyHash: hashOfKey(key),
      keyPrefix: key.slice(0, 15),
      region: "us",
    });
  });

  test.each(regions)("knows the region %s from the key's own text", (region) => {
    expect(readAuthorization(`Bearer :${newApiKey(region)}`)?.region).toBe(region);
  });

  test.each([
    ["nothing", ""],
    ["the scheme alone", "Bearer"],
    ["no key", "Bearer prj_1:"],
    ["the bare key", key],
    ["another scheme", `Basic prj_1:${key}`],
    ["another scheme in Base64", `Basic ${Buffer.from(`prj_1:${key}`).toString("base64")}`],
    ["a tab behind the scheme", `Bearer\tprj_1:${key}`],
    ["a space in front", ` Bearer :${key}`],
    ["a space behind", `Bearer :${key} `],
    ["a line break behind", `Bearer :${key}\n`],
    ["a space at the colon", `Bearer prj_1: ${key}`],
    ["a NUL", `Bearer prj\u0000:${key}`],
    ["percent signs", `Bearer prj%5F1:${key}`],
    ["a project of 65 characters", `${"p".repeat(65)}:${key}`],
    ["a dot in the project", `Bearer prj.1:${key}`],
    ["two colons with an empty middle", `Bearer prj_1::${key}`],
    ["an empty region", `prj_1:${key}:`],
    ["a region without a project", `:${key}:us`],
    ["another region than the key's", `prj_1:${key}:eu`],
    ["an unknown region", `prj_1:${key}:xx`],
    ["the region in capitals", `prj_1:${key}:US`],
    ["a third colon", `prj_1:${key}:us:us`],
    ["the prefix in capitals", `Bearer :${key.replace("sbk", "SBK")}`],
    ["the key's region in capitals", `Bearer :${key.replace("_us_", "_US_")}`],
    ["a key whose region was changed", `Bearer :${key.replace("_us_", "_eu_")}`],
    ["a key of an unknown region", `Bearer :${key.replace("_us_", "_xx_")}`],
    ["a truncated key", `Bearer :${key.slice(0, -1)}`],
    ["a key with one character more", `Bearer :${key}0`],
    ["a key with a changed first character", `Bearer :${changedAt(7)}`],
    ["a key with a changed checksum", `Bearer :${changedAt(55)}`],
    ["two keys", `Bearer :${key}, Bearer :${inEurope}`],
    ["more than 512 bytes", `Bearer ${" ".repeat(500)}:${key}`],
  ])("refuses %s", (_name, header) => {
    expect(readAuthorization(header)).toBeNull();
  });

  test("refuses every text that does not end in a valid key", () => {
    const text = fc.oneof(
      fc.array(fc.nat({ max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
      fc.tuple(fc.string(), fc.stringMatching(/^sbk_(au|eu|us)_[0-9A-Za-z]{49}$/)).map((parts) => parts.join(":")),
    );
    fc.assert(fc.property(text, (header) => readAuthorization(header) === null));
  });

  test("refuses a valid header with anything added to it", () => {
    const good = `Bearer prj_1:${key}`;
    const grammar = /^(?:Bearer +)?[A-Za-z0-9_-]{0,64}$/i;
    fc.assert(
      fc.property(fc.nat({ max: good.length }), fc.string({ minLength: 1, maxLength: 8 }), (at, noise) => {
        const header = good.slice(0, at) + noise + good.slice(at);
        const before = header.endsWith(`:${key}`) ? header.slice(0, -key.length - 1) : null;
        const isInGrammar = before !== null && grammar.test(before);
        expect(readAuthorization(header) !== null).toBe(isInGrammar || header === `${good}:us`);
      }),
    );
  });

  test("returns exactly the named project", () => {
    const project = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    fc.assert(
      fc.property(project, fc.constantFrom("", "Bearer ", "bearer  "), (projectId, scheme) => {
        expect(readAuthorization(`${scheme}${projectId}:${key}`)?.projectId).toBe(projectId);
      }),
    );
  });
});

describe("a new key", () => {
  test.each(regions)("of %s has the published form, which scanners look for", (region) => {
    const made = newApiKey(region);
    expect(made).toMatch(/^sbk_(?:au|eu|us)_[0-9A-Za-z]{49}$/);
    expect(made).toHaveLength(56);
    expect(made.startsWith(`sbk_${region}_`)).toBe(true);
  });

  test("is unique", () => {
    expect(new Set(Array.from({ length: 1000 }, () => newApiKey("au"))).size).toBe(1000);
  });
});
