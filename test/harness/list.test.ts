import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Source, sourcesIn } from "../support/source/source-files.ts";
import { harnesses } from "./list.ts";

const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
const [, standIns = ""] = readme.split("\n## Stand-ins\n");

describe("every harness", () => {
  test("has a name of its own, a short version that exists, and its row in the README", () => {
    expect(new Set(harnesses.map(({ name }) => name)).size).toBe(harnesses.length);
    for (const { id, name, shortTest, isStandIn } of harnesses) {
      expect([shortTest, existsSync(shortTest)]).toEqual([shortTest, true]);
      const short = isStandIn ? `a stand-in: \`${shortTest}\`` : `\`${shortTest}\``;
      expect(readme).toContain(`| ${id} | \`${name}\` | \`npm run harness -- ${name}\` | ${short} |`);
    }
  });

  test("runs in its short version, unless the README says what stands in for it, and what that leaves out", () => {
    const sources = sourcesIn("test");
    for (const { name, shortTest, isStandIn, stores } of harnesses) {
      if (isStandIn) expect(standIns).toContain(`\`${name}\``);
      // Harnesses of tests run these very files.
      else if (!stores.includes("both")) expect([name, sharesCode(sources, name, shortTest)]).toEqual([name, true]);
    }
  });
});

/** Whether the test imports the file of the harness, or what that file imports itself, but for what all of them import. */
function sharesCode(sources: readonly Source[], name: string, shortTest: string): boolean {
  const own = sources.find(({ path, text }) => path.startsWith("test/harness/") && text.includes(`  name: "${name}",`));
  const imported = sources.find(({ path }) => path === shortTest)?.imports ?? [];
  const code = [own?.path, ...(own?.imports ?? [])].filter(
    (path) => !/^test\/(support|harness\/(frame|load))\//.test(path ?? ""),
  );
  return code.some((path) => imported.includes(path ?? ""));
}
