import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callTo, measurables } from "./calls.ts";
import type { Plan } from "./rounds/compare.ts";
import { measuredInput } from "./steps.ts";
import { startConnected, startUpstream, triggerOfOneStep } from "./targets/connected.ts";
import { type SeededAccount, seed } from "./targets/seed.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";
import { type Load, type Loaded, startLoad } from "./targets/target.ts";

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const shownFunctions = 30;
const root = fileURLToPath(new URL("../", import.meta.url));

const watched = (home: string): string[] => ["--cpu-prof", `--cpu-prof-dir=${home}`, "--cpu-prof-interval=500"];

/** Where the time of a loaded server goes: for each of the measured calls, the functions with the most time of their own. */
export async function profile(folder: string, plan: Plan): Promise<void> {
  const load = await startLoad();
  for (const [index, what] of measurables.entries()) {
    const home = join(folder, `profile-${index}`);
    const { home: seeded, accounts } = await seed(0);
    cpSync(seeded, home, { recursive: true });
    const target = await startSignalbox(home, watched(home));
    await watch(what, { target, calls: [callTo(what, accounts[0] as SeededAccount)] }, load, home, plan);
  }
  await profileSteps(folder, plan, load);
  await profileTool(folder, plan, load);
  await load.stop();
}

export async function profileSteps(folder: string, plan: Plan, load: Load): Promise<void> {
  const home = join(folder, "profile-steps");
  const upstream = await startUpstream();
  const { signalbox, callWith } = await startConnected(home, upstream, watched(home));
  await watch("API Call step", { target: signalbox, calls: [callWith(measuredInput)] }, load, home, plan);
  await upstream.stop();
}

async function profileTool(folder: string, plan: Plan, load: Load): Promise<void> {
  const home = join(folder, "profile-tool");
  const upstream = await startUpstream();
  const { signalbox, callWith } = await startConnected(home, upstream, watched(home));
  const call = await triggerOfOneStep(signalbox, callWith(measuredInput));
  await watch("tool of one step", { target: signalbox, calls: [call] }, load, home, plan);
  await upstream.stop();
}

async function watch(what: string, loaded: Loaded, load: Load, home: string, plan: Plan): Promise<void> {
  const measured = await load.measure(loaded, plan.rounds * plan.seconds);
  await loaded.target.stop();
  console.log(`\n${what}: ${Math.round(measured.perSecond)} a second while being watched\n`);
  for (const line of topOf(readProfile(home))) console.log(line);
}

function readProfile(home: string): CpuProfile {
  const name = readdirSync(home).find((each) => each.endsWith(".cpuprofile"));
  if (!name) throw new Error("The server left no profile behind.");
  return JSON.parse(readFileSync(join(home, name), "utf8")) as CpuProfile;
}

function topOf({ nodes, samples, timeDeltas }: CpuProfile): string[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? "";
    if (name.startsWith("(idle)") || name.startsWith("(root)")) continue;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFunctions)
    .map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
}

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const file = url.replace("file://", "").replace(root, "");
  return `${functionName || "(anonymous)"}${file ? `  ${file}:${lineNumber + 1}` : ""}`;
}
