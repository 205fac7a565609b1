import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sandboxes } from "../../sandboxes/serve.ts";
import { serveSandbox } from "../../sandboxes/server/serve-sandbox.ts";
import type { Client, ClientWorld } from "./client.ts";
import { googleApis } from "./google-apis.ts";
import { googleApiPython, marketoPython, pythonOf } from "./python-clients.ts";
import { vercelCommandLine } from "./vercel-command-line.ts";
import { vercelSdk } from "./vercel-sdk.ts";

/**
 * npm run clients -- [names] [--in FOLDER]
 *
 * Installs the vendors' newest clients into a temporary folder and runs their calls against the sandboxes. With --in, the
 * folder is kept, and a second run installs nothing. Exits with 1 if a call fails that is not left out on purpose.
 */
const clients = [vercelCommandLine, vercelSdk, googleApis, googleApiPython, marketoPython];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { in: { type: "string" } } });
const unknown = positionals.find((word) => clients.every(({ name }) => name !== word));
if (unknown !== undefined) {
  console.error(`There is no client ${unknown}: there are ${clients.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const root = values.in === undefined ? mkdtempSync(join(tmpdir(), "signalbox-clients-")) : resolve(values.in);
const wanted = clients.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
let failures = 0;
try {
  for (const client of wanted) failures += await judge(client);
} finally {
  if (values.in === undefined) rmSync(root, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);

async function judge(client: Client): Promise<number> {
  const folder = install(client);
  const served = await serveSandbox(sandboxes[client.sandbox], 0);
  const listed = (await (await fetch(`${served.url}/_sandbox`)).json()) as Pick<ClientWorld, "credentials" | "ids">;
  const [failed, leftOut]: [string[], string[]] = [[], []];
  let passed = 0;
  for await (const { name, send } of client.calls({ ...listed, folder, served })) {
    const problem = await problemOf(send);
    if (problem === null) passed++;
    else if (name in client.leftOut) leftOut.push(`${name}: ${client.leftOut[name]}`);
    else failed.push(`${name}: ${problem}`);
  }
  await served.stop();
  const total = passed + failed.length + leftOut.length;
  console.log(`${client.title}: ${passed} of ${total} pass`);
  for (const line of leftOut) console.log(`  left out  ${line}`);
  for (const line of failed) console.log(`  FAILED    ${line}`);
  return failed.length;
}

async function problemOf(send: () => Promise<unknown>): Promise<string | null> {
  try {
    await send();
    return null;
  } catch (error) {
    return String(error instanceof Error ? error.message : error).slice(0, 300);
  }
}

function install({ name, packages, from, overrides }: Client): string {
  const folder = join(root, name);
  if (existsSync(join(folder, "installed"))) return folder;
  mkdirSync(folder, { recursive: true });
  if (from === "npm") {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages, overrides }));
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  } else {
    run("python3", ["-m", "venv", "python"], folder);
    const wanted = Object.entries(packages).map(([each, version]) =>
      version.startsWith("git+") ? `${each} @ ${version}` : `${each}==${version}`,
    );
    run(pythonOf(folder), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...wanted], folder);
  }
  writeFileSync(join(folder, "installed"), "");
  return folder;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? "the lines above say why"}.`);
}
