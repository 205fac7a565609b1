import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** What is checked of the project itself, so that `npm test` alone says whether it is in order. */

const root = fileURLToPath(new URL("..", import.meta.url));
const jsonOf = (name: string) => JSON.parse(readFileSync(`${root}${name}`, "utf8"));

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

interface LockEntry {
  version: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optional?: boolean;
}

const lockEntries = (file = "package-lock.json"): [string, LockEntry][] =>
  Object.entries(jsonOf(file).packages as Record<string, LockEntry>).filter(([path]) => path !== "");

/** Answers the exit code, and what was said where it is not zero. */
function run(program: string, args: string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        said += chunk;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, said: code === 0 ? "" : said }));
  });
}

const inOrder = { code: 0, said: "" };

/** They take all cores for a while, and a busy machine has none to spare. */
describe("the project", { timeout: 400_000 }, () => {
  // Threads check what they share once each: together they take twice the processor time of one.
  test("the types fit: tsc has nothing to say", async () => {
    expect(await run(`${root}node_modules/.bin/tsc`, ["--noEmit", "--singleThreaded"])).toEqual(inOrder);
  });

  test("the form fits: biome has nothing to say", async () => {
    expect(await run(`${root}node_modules/.bin/biome`, ["check", "--error-on-warnings"])).toEqual(inOrder);
  });

  test("the generated pages are those of this code", async () => {
    expect(await run(process.execPath, [`${root}scripts/write-docs.ts`, "--check"])).toEqual(inOrder);
  });
});

describe("the dependencies", () => {
  test("every version is exact, and the lock file has the same", () => {
    const manifest = jsonOf("package.json") as Manifest;
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    const locked = new Map(lockEntries());
    for (const [name, text] of Object.entries(wanted)) {
      expect([name, text]).toEqual([name, expect.stringMatching(/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+$/)]);
      const version = text.slice(text.lastIndexOf("@") + 1);
      expect([name, locked.get(`node_modules/${name}`)?.version]).toEqual([name, version]);
    }
  });

  test("the lock file names no address, and pins every package by its content", () => {
    // An address would tie the install to one registry; an install uses the configured one.
    const entries = [...lockEntries(), ...lockEntries("test/generators/package-lock.json")];
    expect(entries.filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
    expect(entries.filter(([, entry]) => !entry.integrity?.startsWith("sha512-"))).toEqual([]);
  });

  test("nothing that running needs asks for an install script", () => {
    const asking = lockEntries().filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
    expect(asking.map(([path]) => path)).toEqual([]);
  });
});
