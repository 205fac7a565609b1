import { uptime } from "node:os";

/*
 * Measures how much time has passed, even while this process or the machine did not run. No single clock shows that:
 * - CLOCK_MONOTONIC, `performance.now()`, stops while Linux is suspended, and continues while a process is stopped;
 * - CLOCK_BOOTTIME, `uptime()`, counts suspended time, in steps of ten milliseconds;
 * - the wall clock is corrected after a host paused its virtual machine, which the others may not notice, but an
 *   administrator can set it back.
 * Each of them may show too little. So the one that shows the most counts.
 */

/** A moment to measure from. */
export type Moment = Readonly<Record<keyof Clocks, number>>;

/** Milliseconds each. */
export interface Clocks {
  awake(): number;
  booted(): number;
  wall(): number;
}

export interface ElapsedTime {
  mark(): Moment;
  /** The largest time that any clock shows. */
  millisecondsSince(moment: Moment): number;
}

/** Reading the uptime costs as much as a small query. An older value errs on the safe side. */
const bootedMillisecondsKept = 100;

export function createElapsedTime(clocks: Clocks): ElapsedTime {
  let kept = { at: Number.NEGATIVE_INFINITY, booted: 0 };
  return {
    mark() {
      const awake = clocks.awake();
      if (awake - kept.at > bootedMillisecondsKept) kept = { at: awake, booted: clocks.booted() };
      return { awake, booted: kept.booted, wall: clocks.wall() };
    },
    millisecondsSince({ awake, booted, wall }) {
      // Kept, or a mark right after a suspension would count it once more.
      kept = { at: clocks.awake(), booted: clocks.booted() };
      return Math.max(kept.at - awake, kept.booted - booted, clocks.wall() - wall);
    },
  };
}

const machine: Clocks = {
  awake: () => performance.now(),
  booted: () => uptime() * 1000,
  wall: () => Date.now(),
};

export const elapsedTime = createElapsedTime(machine);

/** By the clocks that nobody can set: tells whether the wall clock was. */
export const steadyTime = createElapsedTime({ ...machine, wall: () => 0 });
