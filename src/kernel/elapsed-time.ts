import { uptime } from "node:os";

/*
 * How much time has passed, whether or not anything of us ran meanwhile. No single clock of a machine tells that:
 * - CLOCK_MONOTONIC, which is `performance.now()`, stands still while Linux is suspended, and goes on while a process is stopped;
 * - CLOCK_BOOTTIME, which is `uptime()` there, counts suspended time, in steps of ten milliseconds;
 * - the wall clock is set right after a virtual machine was paused by its host, of which the others may know nothing, and can be
 *   set back by anybody.
 * Each of them may show too little. So whichever shows the most is believed.
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
      return Math.max(clocks.awake() - awake, clocks.booted() - booted, clocks.wall() - wall);
    },
  };
}

export const elapsedTime = createElapsedTime({
  awake: () => performance.now(),
  booted: () => uptime() * 1000,
  wall: () => Date.now(),
});
