import { expect, test } from "vitest";
import { type Harness, noFindings } from "./harness.ts";
import { tableBegin, tableEnd, withResults } from "./results-table.ts";
import type { Outcome } from "./run-harnesses.ts";

const outcome = (name: string, changes: Partial<Outcome> = {}): Outcome => ({
  harness: { id: "H3", name } as Harness,
  store: "sqlite",
  seed: 7,
  command: `npm run harness -- ${name}`,
  seconds: 3,
  findings: { ...noFindings(), cycles: 1200, recoverySeconds: [3, 1, 2] },
  why: null,
  ...changes,
});

const empty = `# Reliability\n\n${tableBegin}\n${tableEnd}\n\nAfter it.\n`;

test("results replace the row of the same harness and store, and keep all others", () => {
  const first = withResults(empty, [outcome("one"), outcome("two")], "abc", "2026-01-01");
  expect(first).toContain(
    "| H3 one | SQLite | 1,200 | 0 | 0 | 0 | 0 | 0 | 2.0 s, 3.0 s | kept | 7 | abc | 2026-01-01 |",
  );
  const second = withResults(
    first,
    [outcome("one", { seed: 8 }), outcome("one", { store: "postgres" })],
    "def",
    "2026-02-02",
  );
  const rows = second.split("\n").filter((line) => line.startsWith("| H3"));
  expect(rows.map((row) => row.split(" | ").filter((_, i) => [0, 1, 10, 11].includes(i)))).toEqual([
    ["| H3 one", "PostgreSQL", "7", "def"],
    ["| H3 one", "SQLite", "8", "def"],
    ["| H3 two", "SQLite", "7", "abc"],
  ]);
  expect([second.startsWith("# Reliability\n"), second.endsWith("\n\nAfter it.\n")]).toEqual([true, true]);
});

test("a skipped harness writes no row, a broken one says so", () => {
  const skipped = withResults(empty, [outcome("one", { findings: null, why: "no strace" })], "abc", "2026-01-01");
  expect(skipped).not.toContain("H3 one");
  const broken = { ...noFindings(), broken: ["A write was lost."] };
  expect(withResults(empty, [outcome("one", { findings: broken })], "abc", "2026-01-01")).toContain("| 1 broken |");
});

test("a document without the place for the results is refused", () => {
  expect(() => withResults("# Other", [outcome("one")], "abc", "2026-01-01")).toThrow("has lost the comments");
});
