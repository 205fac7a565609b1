import { type Moment, type PassingTime, passingTime } from "../kernel/passing-time.ts";

/** Another has the run by now, or may have it any moment: whatever this process still wanted to write or send, it may not. */
export class LeaseLost extends Error {}

/**
 * Whether a run is surely still this process's. It is asked last, when the connection is there and before the first byte of a write:
 * a process may have stood still at any moment before that, and another may have taken its run over and written meanwhile.
 */
export interface Fence {
  isHeld(): boolean;
}

/** A fence that holds as long as a lease, as it was last made durable. */
export interface Lease extends Fence {
  /** `asked` was marked before the statement that renewed it was sent; called once that is committed. */
  renewed(asked: Moment, seconds: number): void;
}

/**
 * A lease is given up a little before it ends: clocks of nodes differ, and so do those of one machine. It is a quarter of a short
 * lease, which tests have.
 */
const marginMilliseconds = 2000;

export function leaseFrom(asked: Moment, seconds: number, time: PassingTime = passingTime): Lease {
  let held = heldFrom(asked, seconds);
  return {
    isHeld: () => time.millisecondsSince(held.from) < held.milliseconds,
    renewed(again, moreSeconds) {
      held = heldFrom(again, moreSeconds);
    },
  };
}

const heldFrom = (from: Moment, seconds: number) => ({
  from,
  milliseconds: seconds * 1000 - Math.min(marginMilliseconds, seconds * 250),
});
