import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callTo, measurables } from "./calls.ts";
import type { Plan } from "./compare.ts";
import { type SeededAccount, seed } from "./seed.ts";
import { startSignalbox } from "./signalbox-server.ts";
import { startLoad } from "./target.ts";

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const shownFunctions = 30;
const root = fileURLToPath(new URL("../", import.meta.url));

/** Where the time of a loaded server goes: for each of the measured calls, the functions with the most time of their own. */
export async function profile(folder: string, plan: Plan): Promise<void> {
  const load = await startLoad();
  for (const [index, what] of measurables.entries()) {
    const home = join(folder, `profile-${index}`);
    const { home: seeded, accounts } = await seed(0);
    cpSync(seeded, home, { recursive: true });
    const server = await startSignalbox(home, ["--cpu-prof", `--cpu-prof-dir=${home}`, "--cpu-prof-interval=500"]);
    const loaded = { target: server, calls: [callTo(what, accounts[0] as SeededAccount)] };
    const measured = await load.measure(loaded, plan.rounds * plan.seconds);
    await server.stop();
    console.log(`\n${what}: ${Math.round(measured.perSecond)} a second while being watched\n`);
    for (const line of topOf(readProfile(home))) console.log(line);
  }
  await load.stop();
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
  const place = url.replace("file://", "").replace(root, "");
  return `${functionName || "(anonymous)"}${place ? `  ${place}:${lineNumber + 1}` : ""}`;
}
