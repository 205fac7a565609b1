import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];

/** A test may be reworded: a line of the file has at least half of the name's words. */
function hasTest(file: string, name: string): boolean {
  const words = [...new Set(wordsOf(name))];
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.some((line) => {
    const there = new Set(wordsOf(line));
    return words.filter((word) => there.has(word)).length * 2 >= words.length;
  });
}

test("every rule of the vendors names a test that exists", () => {
  const table = readFileSync(new URL("rules.md", import.meta.url), "utf8");
  const rows = [...table.matchAll(/^\|.*\| ("[^|]*"|`[^|]*`) \| `([^`]*)` \|$/gm)];
  expect(rows.length).toBeGreaterThan(55);
  const missing = rows.filter(([, name = "", file = ""]) => !hasTest(file, name)).map(([row]) => row);
  expect(missing).toEqual([]);
  expect(hasTest("test/vendor-shapes/judge.ts", "accounts of all systems are removed at their hosts")).toBe(false);
});
