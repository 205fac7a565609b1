import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { harnesses } from "./list.ts";

const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");

test("every harness has a name of its own, a short version that exists, and its row in the README", () => {
  expect(new Set(harnesses.map(({ name }) => name)).size).toBe(harnesses.length);
  for (const { id, name, shortTest } of harnesses) {
    expect([shortTest, existsSync(shortTest)]).toEqual([shortTest, true]);
    expect(readme).toContain(`| ${id} | \`${name}\` | \`npm run harness -- ${name}\` | \`${shortTest}\` |`);
  }
});
