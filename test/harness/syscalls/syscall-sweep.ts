import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";
import { createRandoms } from "../simulation/random.ts";
import { countIn, type Injection, injectInto } from "./inject.ts";

/** The calls with which SQLite and Node write files: which of them occur depends on the machine and on the scenario. */
const calls = ["pwrite64", "write", "fsync", "fdatasync", "rename", "renameat", "renameat2", "ftruncate"];
const errors = ["EIO", "ENOSPC", "EROFS"];
/** The Nth call fails, or every second or third from it on, or all from it on. */
const lengths = ["", "+2", "+3", "+1"];
/** The clients' writes of one scenario, one round after another. */
const rounds = 6;

export const syscallSweep: Harness = {
  id: "H2",
  name: "syscall-sweep",
  title: "each write and each fsync that the server makes in one fixed scenario fails, one after another",
  needs: ["strace"],
  stores: ["sqlite"],
  // It ends when each place has had its turn.
  fullCycles: 500,
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

/** Every place of the scenario, in an order by the seed. How each fails follows from the seed, too, however many others there are. */
function stepsOf(counts: ReadonlyMap<string, number>, seed: number): Step[] {
  const randomOf = createRandoms(seed);
  const steps = [...counts].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, index) => {
      const random = randomOf(`${call} ${index + 1}`);
      return { order: random(), steps: stepsAt(call, index + 1, random) };
    }),
  );
  return [failedFsync, ...steps.sort((one, other) => one.order - other.order).flatMap((each) => each.steps)];
}

function stepsAt(call: string, n: number, random: () => number): Step[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  // What an fsync decides shows after a crash, and there are few of them.
  const ways = /sync$/.test(call) ? [true, false] : [random() < 0.5];
  return ways.map((isKilled) => {
    const length = pick(lengths);
    // A disk that refuses everything until the end of the process cannot even be told that a commit has failed.
    return stepOf(call, `error=${pick(errors)}:when=${n}${length}`, isKilled && length !== "+1");
  });
}

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
  const writers = new Writers(world, seed, { clients: 4 });
  const found = { cycles: 0, faults: 0, lost: 0, doubled: 0, recoverySeconds: [] as number[], broken: [] as string[] };
  let missed = 0;
  try {
    const counts = await rehearse(world, writers);
    const steps = stepsOf(counts, seed);
    for (const { injection, isKilled, name } of steps.slice(0, cycles)) {
      const before = found.faults;
      const broken = await oneFault(world, writers, injection, isKilled, found);
      found.broken.push(...broken.map((sentence) => `${name}: ${sentence}`));
      found.cycles++;
      if (found.faults === before) missed++;
      if (found.cycles % 10 === 0) log(`${found.cycles} of ${steps.length} calls, ${found.faults} failed`);
      if (found.broken.length > 0) break;
    }
    const note = noteOf(counts, steps.length, missed);
    return { ...found, acknowledged: writers.count("acknowledged"), unknown: writers.count("unknown"), note };
  } finally {
    writers.close();
  }
}

/** The scenario without a fault: how often the server makes each call. */
async function rehearse(world: World, writers: Writers): Promise<Map<string, number>> {
  // Not every machine has all of them.
  const counter = await countIn(world.server.pid, calls.map((call) => `?${call}`).join(","));
  for (let round = 0; round < rounds; round++) await writers.once();
  await counter.detach();
  return counter.counts();
}

function noteOf(counts: ReadonlyMap<string, number>, steps: number, missed: number): string {
  const places = [...counts].map(([call, count]) => `${call} 1 to ${count}`).join(", ");
  const absent = calls.filter((call) => !counts.has(call)).join(", ");
  return `${steps} calls: ${places}; the scenario has no ${absent}; ${missed} cycles in which the call did not occur`;
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
