import { spawn } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/stores.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const passes = `test("holds", () => {});`;
const fails = `test("never holds", () => { throw new Error("no"); });`;
const passesLater = `test("holds by chance", () => {
  if (!existsSync("tried")) { writeFileSync("tried", ""); throw new Error("not yet"); }
});`;

/** `npm test` of a made-up project with these test files. */
function npmTest(files: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const folder = temporaryFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const config = {
    reporters: [join(root, "test/support/runner/plain-reporter.ts")],
    include: ["*.test.js"],
    pool: "threads",
    maxWorkers: 1,
  };
  writeFileSync(join(folder, "vitest.config.js"), `export default ${JSON.stringify({ test: config })};`);
  const head = `import { existsSync, writeFileSync } from "node:fs"; import { test } from "vitest";`;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), `${head} ${text}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "scripts/test.ts")], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH },
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, said }));
  });
}

const again = "Once more, alone: ";

test("npm test runs up to three failing files once more, which decides, and names what passed only then", async () => {
  const byChance = await npmTest({ good: passes, chance: passesLater });
  expect(byChance.code).toBe(0);
  expect(byChance.said).toContain("FLAKY: chance.test.js > holds by chance passed only when run again; fix it");
  expect(byChance.said).toMatch(/2 passed, 0 failed\n$/);

  const broken = await npmTest({ good: passes, chance: passesLater, bad: fails });
  expect(broken.code).toBe(1);
  expect(broken.said).toContain(again);
  expect(broken.said).not.toContain("FLAKY");
  expect(broken.said).toMatch(/2 passed, 1 failed\n$/);
});
