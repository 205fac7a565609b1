import { seededRandom } from "../../kill-loop/random.ts";
import type { Findings, HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "./world.ts";
import { Writers } from "./writers.ts";

/** One cycle's fault. */
export interface Fault {
  /** It begins now. Returns how to end it, which may happen in any state of the server. */
  begin(world: World, random: () => number): Promise<() => Promise<void>>;
  /** How long it lasts, in milliseconds. */
  lasts(random: () => number): number;
  /** Looks at the server while the fault lasts. Returns sentences about what is wrong. */
  during?(world: World, writers: Writers): Promise<string[]>;
  /** Whether the process may end by itself. A supervisor then starts it again. */
  mayEnd?: boolean;
}

export interface FaultLoop {
  fault: Fault;
  settings?: NodeJS.ProcessEnv;
  clients?: number;
  descriptionBytes?: number;
  /** The data; a folder of its own by default. */
  world?: World;
}

/** A loop in a world of its own. */
export async function faultLoop(options: HarnessOptions, loop: FaultLoop): Promise<Findings> {
  const world = loop.world ?? (await World.of(options, loop.settings));
  await world.start();
  try {
    return await faultsIn(world, options, loop);
  } finally {
    await world.kill();
  }
}

/** Load, fault, end of the fault, first write that works, comparison; once for each cycle, on the same data. */
export async function faultsIn(
  world: World,
  { cycles, seed, log }: HarnessOptions,
  loop: FaultLoop,
): Promise<Findings> {
  const random = seededRandom(seed);
  const broken: string[] = [];
  const recoverySeconds: number[] = [];
  let [done, lost, doubled] = [0, 0, 0];
  const { clients = 8, descriptionBytes = 500 } = loop;
  const writers = new Writers(world, seed, { clients, descriptionBytes });
  try {
    for (; done < cycles && broken.length === 0; done++) {
      recoverySeconds.push(await oneFault(world, writers, loop.fault, random, broken));
      const verdict = await world.open((store) => writers.judge(store));
      broken.push(...writers.broken, ...verdict.broken, ...(await world.flaws()));
      lost += verdict.lost;
      doubled += verdict.doubled;
      if ((done + 1) % 5 === 0) log(`${done + 1} faults, ${writers.count("acknowledged")} acknowledged`);
    }
  } finally {
    writers.close();
  }
  const unknown = writers.count("unknown");
  const acknowledged = writers.count("acknowledged");
  return { cycles: done, faults: done, acknowledged, lost, doubled, unknown, recoverySeconds, broken };
}

/** Returns the seconds from the end of the fault to the first write that works. */
async function oneFault(
  world: World,
  writers: Writers,
  fault: Fault,
  random: () => number,
  broken: string[],
): Promise<number> {
  let isOver = false;
  const load = writers.until(() => isOver);
  await pause(50 + random() * 200);
  const end = await fault.begin(world, random);
  try {
    await pause(fault.lasts(random));
    broken.push(...((await fault.during?.(world, writers)) ?? []));
  } finally {
    await end();
    isOver = true;
  }
  const endedAt = performance.now();
  await load;
  const printed = await world.startIfEnded();
  if (printed !== null && !fault.mayEnd) broken.push(`The server ended by itself: ${printed.slice(-1000)}`);
  await writers.untilWritten();
  return (performance.now() - endedAt) / 1000;
}
