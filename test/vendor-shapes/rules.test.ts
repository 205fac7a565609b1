import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** The cells of every row whose first cell begins with a rule, by table. */
const [sources, tests] = readFileSync(new URL("rules.md", import.meta.url), "utf8")
  .split("\n## ")
  .slice(1)
  .map((part) =>
    part
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2)
      .map((line) =>
        line
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
  );

const ruleOf = ([cell = ""]: readonly string[]): number => Number.parseInt(cell, 10);
const rules = Array.from({ length: 16 }, (_, at) => at + 1);

/** The name as the file has it, quoted in any way. */
function hasTest(file: string, name: string): boolean {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return ['"', "`", "'"].some((quote) => text.includes(`${quote}${name}${quote}`));
}

describe("the rules of the vendors", () => {
  test("each has a source", () => {
    expect(sources?.map(ruleOf)).toEqual(rules);
    expect(sources?.filter(([, source = ""]) => source.length < 20)).toEqual([]);
  });

  test("each is kept in the product, and seen by the vendor's own client unless a reason says why not", () => {
    const rulesAt = (...where: string[]) => {
      const rows = tests?.filter((row) => ruleOf(row) > 0 && where.includes(row[1] ?? "")) ?? [];
      return [...new Set(rows.map(ruleOf))].sort((a, b) => a - b);
    };
    expect(rulesAt("product")).toEqual(rules);
    expect(rulesAt("client", "none")).toEqual(rules);
    expect(rulesAt("none")).toEqual([12, 13, 15, 16]);
  });

  test("each test that is named exists", () => {
    const named = tests?.filter(([, where]) => where !== "none") ?? [];
    expect(named.length).toBeGreaterThan(70);
    const missing = named.filter(([, , name = "", file = ""]) => !hasTest(file.slice(1, -1), name.slice(1, -1)));
    expect(missing).toEqual([]);
    expect(hasTest("test/vendor-shapes/judge.ts", "each has a source")).toBe(false);
  });
});
