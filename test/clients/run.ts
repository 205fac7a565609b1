import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sandboxes } from "../../sandboxes/serve.ts";
import { serveSandbox } from "../../sandboxes/server/serve-sandbox.ts";
import type { Client, ClientWorld } from "./client.ts";
import { googleApis } from "./google-apis.ts";
import { vercelCommandLine } from "./vercel-command-line.ts";
import { vercelSdk } from "./vercel-sdk.ts";

/**
 * npm run clients -- [names] [--in FOLDER]
 *
 * Installs the vendors' newest clients into a temporary folder and runs their calls against the sandboxes. With --in, the
 * folder is kept, and a second run installs nothing. Exits with 1 if a call fails that is not left out on purpose.
 */
const clients = [vercelCommandLine, vercelSdk, googleApis];

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

function install({ name, packages }: Client): string {
  const folder = join(root, name);
  if (existsSync(join(folder, "node_modules"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", options, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`npm could not install ${name}; the lines above say why.`);
  return folder;
}
