import { describe, expect, test } from "vitest";
import { isLinearPattern, withLinearPatterns } from "./linear-pattern.ts";

describe("only patterns that match in linear time are accepted, because callers choose their input", () => {
  test.each([
    ["^[0-9a-f]{7,40}$", true],
    ["^feature/.+$", true],
    ["^(main|master)$", true],
    ["^v\\d+\\.\\d+$", true],
    ["^(?:a|b)?c$", true],
    ["^[a-z]+(-[a-z]+)*$", true],
    ["(a+)+", true],
    ["a*a*a*b", true],
    ["^\\u0041\\/(?<name>b)$", true],
    ["(a)\\1", false],
    ["(?=a)b", false],
    ["(?<!a)b", false],
    ["[", false],
    ["a{1001}", false],
  ])("%s: %s", (pattern, expected) => {
    expect(isLinearPattern(pattern)).toBe(expected);
  });

  test.each([
    ["a group that repeats what it repeats", "^(a+)+$"],
    ["repetitions one after the other", `^${"(a{0,10})".repeat(8)}$`],
  ])("%s is matched at once", (_what, pattern) => {
    const made = withLinearPatterns(() => new RegExp(pattern));
    const before = process.cpuUsage();
    expect(made.test(`${"a".repeat(60)}b`)).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
    expect(made.test("aaaa")).toBe(true);
    expect(/a/.constructor).toBe(RegExp);
  });
});
