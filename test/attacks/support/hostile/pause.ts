import { setTimeout as sleep } from "node:timers/promises";
import type { HostileWorld } from "./world.ts";

/** "Fails where the loop stood still for 200 ms." */
export const millisecondsMax = 200;
/** "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop." */
export const budgetMilliseconds = 50;
/** A collection of garbage can come at any time; what a call does by itself, it does each time. */
const triesMax = 3;
/** Between the first two calls of the neighbour; then twice as long each time, so that these are not what keeps a slow machine busy. */
const firstGapMilliseconds = 20;

/** What others noticed while something was done. */
export interface Stillness {
  /**
   * How long the loop stood still: on the wall by `monitorEventLoopDelay`, but not longer than its own thread had the processor. Why
   * both: on a busy machine the wall shows pauses that no input has caused, because the thread waits for its turn; its processor time
   * does not grow meanwhile. And processor time by itself is no pause: only a delay of the loop is. What waits without the
   * processor, as for a disk, is on the wall alone, and is reported.
   */
  milliseconds: number;
  cpuMilliseconds: number;
  wallMilliseconds: number;
  /** The slowest call of the neighbour, on the wall: reported, and never a reason to fail, because a busy machine delays it too. */
  neighbourMilliseconds: number;
  /** Other than 200 where the neighbour was refused. */
  neighbourStatus: number;
}

/** Does something while another tenant calls. Returns how the loop stood still, where it does so each time; else null. */
export async function pauseOf(world: HostileWorld, act: () => Promise<unknown>): Promise<string | null> {
  for (let tries = 1; ; tries++) {
    const still = await stillnessOf(world, act);
    if (still.neighbourStatus !== 200) return `the neighbour was answered ${still.neighbourStatus}`;
    if (still.milliseconds <= millisecondsMax) return null;
    if (tries === triesMax) return inWords(still);
  }
}

const inWords = (still: Stillness): string =>
  `${still.milliseconds} ms (${still.wallMilliseconds} ms on the wall, ${still.cpuMilliseconds} ms of processor time; the neighbour waited for ${still.neighbourMilliseconds} ms)`;

/** Does it once, while another tenant calls. How long the loop stood still; without end where the other was refused. */
export async function longestOf(world: HostileWorld, act: () => Promise<unknown>): Promise<number> {
  const { milliseconds, neighbourStatus } = await stillnessOf(world, act);
  return neighbourStatus === 200 ? milliseconds : Number.POSITIVE_INFINITY;
}

/** The least of several times: what it takes by itself, without what happens beside it. */
export async function leastOf(world: HostileWorld, act: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && least > budgetMilliseconds; tries++) {
    least = Math.min(least, (await stillnessOf(world, act)).milliseconds);
  }
  return least;
}

/** Does it once. The neighbour calls at once, and again and again until it is done. */
export async function stillnessOf(world: HostileWorld, act: () => Promise<unknown>): Promise<Stillness> {
  let isDone = false;
  const acted = act().finally(() => {
    isDone = true;
  });
  const answers = [await world.neighbour()];
  for (let gap = firstGapMilliseconds; !isDone; gap *= 2) {
    await Promise.race([acted, sleep(gap)]);
    if (!isDone) answers.push(await world.neighbour());
  }
  await acted;
  const { cpuMilliseconds, wallMilliseconds } = await world.measure();
  return {
    ...{ cpuMilliseconds, wallMilliseconds, milliseconds: Math.min(cpuMilliseconds, wallMilliseconds) },
    neighbourMilliseconds: Math.max(...answers.map(({ milliseconds }) => milliseconds)),
    neighbourStatus: answers.find(({ status }) => status !== 200)?.status ?? 200,
  };
}
