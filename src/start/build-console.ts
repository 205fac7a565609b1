import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The built console: its folder is named after its sources, so a changed source means a new build. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = ["src/console", "src/client", "src/http/look"];
const builds = join(root, "dist");

/** Read in one go: four hundred small files one after the other, each awaited, took four times as long at every start. */
export function consoleFolder(): string {
  const hash = createHash("sha256");
  const files = [
    ...sources.flatMap((folder) => filesIn(folder).filter((name) => !/\.test\.tsx?$/.test(name))),
    // Of the systems, only how the console shows them.
    ...filesIn("src/systems").filter((name) => ["presentation.ts", "presented-systems.ts"].includes(basename(name))),
  ];
  for (const file of files) hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
  hash.update(readFileSync(join(root, "package.json")));
  return join(builds, `console-${hash.digest("hex").slice(0, 16)}`);
}

function filesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort();
}

/** Builds the console where its sources have changed since the last build. Returns its folder. */
export async function ensureConsole(onBuild: () => void = () => {}): Promise<string> {
  const folder = consoleFolder();
  if (existsSync(join(folder, "index.html"))) return folder;
  onBuild();
  await runBuild(folder);
  await removeOthers(folder);
  return folder;
}

function runBuild(folder: string): Promise<void> {
  const program = join(root, "src/console/build.ts");
  const child = spawn(process.execPath, [program, folder], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => void said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The console cannot be built: ${Buffer.concat(said).toString().slice(0, 4000)}`));
    });
  });
}

/** Builds of earlier sources are not needed any more. Another process may be writing one of the same sources. */
async function removeOthers(folder: string): Promise<void> {
  const keep = basename(folder);
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith("console-") && !name.startsWith(keep)) {
      await rm(join(dirname(folder), name), { recursive: true, force: true });
    }
  }
}
