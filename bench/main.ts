import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { compareBefore } from "./before.ts";
import { compareSizes } from "./big.ts";
import { measureBodies } from "./bodies.ts";
import { measureConsole } from "./console.ts";
import { compareChains } from "./costs/chains.ts";
import { measureCosts } from "./costs/costs.ts";
import { compareHotRows } from "./costs/hot-rows.ts";
import { measureIdle } from "./idle.ts";
import { measureLatency } from "./latency.ts";
import { saturateMarketing } from "./limiter.ts";
import { isPinned } from "./load/cores.ts";
import { readAllPages } from "./pages.ts";
import { hasN8n } from "./peers/n8n.ts";
import { installPeer } from "./peers/peers.ts";
import { hasNginx } from "./peers/proxies.ts";
import { compareProcesses } from "./processes.ts";
import { profile } from "./profile.ts";
import { measureReach } from "./reach/reach.ts";
import { measureRestarts } from "./restarts.ts";
import { compare } from "./rounds/compare.ts";
import { type Line, printTable } from "./rounds/table.ts";
import { compareRuns } from "./runs.ts";
import { sandboxReads } from "./sandboxes.ts";
import { provisionDirectory } from "./scim.ts";
import { compareProxies } from "./steps.ts";
import { groupCommit } from "./store.ts";
import { makeTempFolder } from "./targets/temp-folder.ts";
import { verifyKeys } from "./verify.ts";

const plan = { rounds: 5, seconds: 3 };
const notMeasured = "could not be installed (no npm registry?)";

const parts = {
  async calls(folder: string): Promise<Line[]> {
    const hasPeer = installPeer("better-auth");
    const lines = await compare(folder, plan, hasPeer);
    if (!hasPeer) left.push(`create project and create invite beside better-auth: it ${notMeasured}.`);
    return lines;
  },
  async verify(folder: string): Promise<Line[]> {
    if (installPeer("better-auth")) return verifyKeys(folder, plan);
    left.push(`verify a key beside better-auth: it ${notMeasured}.`);
    return [];
  },
  store: (folder: string): Promise<Line[]> => groupCommit(folder, plan),
  sandboxes: (_folder: string): Promise<Line[]> => sandboxReads(plan),
  limiter: (folder: string): Promise<Line[]> => saturateMarketing(folder),
  async steps(folder: string): Promise<Line[]> {
    const hasNodeRed = installPeer("node-red");
    if (!hasNodeRed) left.push(`an API Call step beside Node-RED: it ${notMeasured}.`);
    if (!hasNginx()) left.push("an API Call step beside nginx: it is not on this machine.");
    return compareProxies(folder, plan, hasNodeRed);
  },
  async runs(folder: string): Promise<Line[]> {
    const peers = { dbos: installPeer("dbos"), restate: installPeer("restate"), nodeRed: installPeer("node-red") };
    if (!peers.dbos) left.push(`runs beside DBOS: it ${notMeasured}.`);
    if (!peers.restate) left.push(`runs beside Restate: it ${notMeasured}.`);
    if (!peers.nodeRed) left.push(`call in, one call out, respond beside Node-RED: it ${notMeasured}.`);
    if (!hasN8n()) left.push("call in, one call out, respond beside n8n: it is not on this machine.");
    return compareRuns(folder, plan, peers, left);
  },
  latency: (folder: string): Promise<Line[]> => measureLatency(folder, plan),
  idle: (folder: string): Promise<Line[]> => measureIdle(folder, left),
  restarts: (folder: string): Promise<Line[]> => measureRestarts(folder, left),
  cores: (folder: string): Promise<Line[]> => compareProcesses(folder, plan, left),
  chains: (_folder: string): Promise<Line[]> => compareChains(left),
  shared: (_folder: string): Promise<Line[]> => compareHotRows(left),
  async costs(folder: string): Promise<Line[]> {
    await measureCosts(folder, left);
    return [];
  },
  console: (folder: string): Promise<Line[]> => measureConsole(folder, plan),
  pages: (folder: string): Promise<Line[]> => readAllPages(folder),
  scim: (folder: string): Promise<Line[]> => provisionDirectory(folder, plan),
  reach: (folder: string): Promise<Line[]> => measureReach(folder, plan),
  big: (folder: string): Promise<Line[]> => compareSizes(folder, plan),
  bodies: (folder: string): Promise<Line[]> => measureBodies(folder),
  async before(folder: string): Promise<Line[]> {
    if (process.env.BEFORE) return compareBefore(folder, process.env.BEFORE);
    left.push("this version beside another: set BEFORE to the folder of another checkout, with its node_modules.");
    return [];
  },
  async profile(folder: string): Promise<Line[]> {
    await profile(folder, plan);
    return [];
  },
};
type Part = keyof typeof parts;
const isPart = (word: string): word is Part => Object.hasOwn(parts, word);

/** The ratios that could not be measured here, and why. */
const left: string[] = [];

const words = process.argv.slice(2);
const unknown = words.find((word) => !isPart(word));
if (unknown !== undefined) {
  console.error(`There is no "${unknown}" to measure; there are ${Object.keys(parts).join(", ")}.`);
  process.exit(1);
}
const wanted: Part[] = words.length > 0 ? words.filter(isPart) : ["calls", "verify", "store", "limiter"];

if (!isPinned) console.log("Without taskset or a second core, server and load share what there is.\n");
const folder = makeTempFolder();
const lines: Line[] = [];
for (const part of wanted) lines.push(...(await parts[part](folder)));
console.log();
if (lines.length > 0) printTable(lines);
for (const line of left) console.log(`Not measured: ${line}`);
keep(lines);
process.exit(0);

/** The figures for a program to read; where they were taken belongs to them. */
function keep(kept: Line[]): void {
  const results = new URL("./results/", import.meta.url);
  mkdirSync(results, { recursive: true });
  const at = new Date().toISOString();
  const file = new URL(`${at.slice(0, 19).replaceAll(":", "-")}.json`, results);
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem() };
  writeFileSync(file, `${JSON.stringify({ at, parts: wanted, plan, machine, lines: kept, left }, null, 2)}\n`);
}
