import type { HostileWorld } from "./world.ts";

/** "Fails where the loop stood still for 200 ms." */
export const millisecondsMax = 200;
/** A collection of garbage can come at any time; what a call does by itself, it does each time. */
const triesMax = 3;

/** Does something while another tenant calls. Returns how the loop stood still, where it does so each time; else null. */
export async function pauseOf(world: HostileWorld, act: () => Promise<unknown>): Promise<string | null> {
  for (let tries = 1; ; tries++) {
    const { neighbour, cpuMilliseconds } = await actOnce(world, act);
    if (neighbour !== 200) return `the neighbour was answered ${neighbour}`;
    if (cpuMilliseconds <= millisecondsMax) return null;
    if (tries === triesMax) return `${cpuMilliseconds} ms`;
  }
}

/** Does it once, while another tenant calls. How long the loop stood still; without end where the other was refused. */
export async function longestOf(world: HostileWorld, act: () => Promise<unknown>): Promise<number> {
  const { neighbour, cpuMilliseconds } = await actOnce(world, act);
  return neighbour === 200 ? cpuMilliseconds : Number.POSITIVE_INFINITY;
}

async function actOnce(world: HostileWorld, act: () => Promise<unknown>) {
  const [, neighbour] = await Promise.all([act(), world.neighbour()]);
  const { cpuMilliseconds } = await world.measure();
  return { neighbour, cpuMilliseconds };
}
