import { seededRandom } from "../../kill-loop/random.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";
import { type Injection, injectInto } from "./inject.ts";

/** The calls with which SQLite and Node write files, and the ways in which they fail. */
const calls = ["pwrite64", "write", "fsync", "fdatasync", "rename,renameat,renameat2", "ftruncate"];
const errors = ["EIO", "ENOSPC", "EROFS"];
/** The Nth call fails, or every second or third from it on, or all from it on. */
const lengths = ["", "+2", "+3", "+1"];
/** The clients' writes of one scenario, one round after another. */
const rounds = 6;

export const syscallSweep: Harness = {
  id: "H2",
  name: "syscall-sweep",
  title: "the Nth write, fsync or rename of the server fails, for each N, during one fixed scenario",
  needs: ["strace"],
  stores: ["sqlite"],
  fullCycles: 200,
  shortCycles: 3,
  shortTest: "test/harness/short.test.ts",
  run,
};

interface Step {
  injection: Injection;
  /** What was refused a moment ago must not be there after a crash either. */
  isKilled: boolean;
  name: string;
}

const stepOf = (calls: string, what: string, isKilled: boolean): Step => ({
  injection: { calls, what },
  isKilled,
  name: `${calls} ${what}${isKilled ? ", then killed" : ""}`,
});

/** Always the first: a commit that is whole in the log, and was refused because its fsync failed. */
const failedFsync = stepOf("fsync,fdatasync", "error=EIO:when=1", true);

function anyFault(cycle: number, cycles: number, random: () => number): Step {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const [call, length] = [pick(calls), pick(lengths)];
  const n = call === "pwrite64" || call === "write" ? nOf(cycle, cycles) : 1 + (cycle % 12);
  // A disk that refuses everything until the end of the process cannot even be told that a commit has failed.
  const isKilled = random() < 0.5 && length !== "+1";
  return stepOf(call, `error=${pick(errors)}:when=${n}${length}`, isKilled);
}

/** With few cycles, N still covers all of 1 to 200. */
const nOf = (cycle: number, cycles: number): number => 1 + Math.floor((cycle * 200) / Math.max(cycles, 200));

async function run(options: HarnessOptions): Promise<Findings> {
  const world = await World.of(options);
  await world.start();
  try {
    return await sweep(options, world);
  } finally {
    await world.kill();
  }
}

/** On the server of this world, which is started again where it ends. */
export async function sweep({ cycles, seed, log }: HarnessOptions, world: World): Promise<Findings> {
  const random = seededRandom(seed);
  const writers = new Writers(world, seed, { clients: 4 });
  const found = { cycles: 0, faults: 0, lost: 0, doubled: 0, recoverySeconds: [] as number[], broken: [] as string[] };
  try {
    for (let cycle = 0; cycle < cycles && found.broken.length === 0; cycle++) {
      const { injection, isKilled, name } = cycle === 0 ? failedFsync : anyFault(cycle, cycles, random);
      const broken = await oneFault(world, writers, injection, isKilled, found);
      found.broken.push(...broken.map((sentence) => `${name}: ${sentence}`));
      found.cycles++;
      if (found.cycles % 10 === 0) log(`${found.cycles} places, ${found.faults} calls failed`);
    }
  } finally {
    writers.close();
  }
  return { ...found, acknowledged: writers.count("acknowledged"), unknown: writers.count("unknown") };
}

async function oneFault(
  world: World,
  writers: Writers,
  injection: Injection,
  isKilled: boolean,
  found: Pick<Findings, "faults" | "lost" | "doubled" | "recoverySeconds">,
): Promise<string[]> {
  const tracer = await injectInto(world.server.pid, [injection]);
  for (let round = 0; round < rounds; round++) {
    const writes = await writers.once();
    // The next commit that works would clean up after one that failed, so the crash comes first.
    if (isKilled && writes.some(({ state }) => state === "refused")) break;
  }
  if (isKilled) await world.kill();
  await tracer.detach();
  found.faults = (found.faults ?? 0) + tracer.faults();
  const endedAt = performance.now();
  if (isKilled) await world.start();
  else await world.startIfEnded();
  await writers.untilWritten();
  found.recoverySeconds.push((performance.now() - endedAt) / 1000);
  const verdict = await world.open((store) => writers.judge(store));
  found.lost = (found.lost ?? 0) + verdict.lost;
  found.doubled = (found.doubled ?? 0) + verdict.doubled;
  return [...writers.broken.splice(0), ...verdict.broken, ...(await world.flaws())];
}
