import { type ElapsedTime, elapsedTime, type Moment } from "../kernel/elapsed-time.ts";

/** Another worker holds the run, or may claim it any moment: this process may neither write to it nor send for it. */
export class LeaseLost extends Error {}

/**
 * Whether this process surely still holds a run. The transport checks it last, with the connection open and before the
 * first byte of a write: the process may have been paused at any time before, while another worker claimed the run.
 */
export interface Fence {
  isHeld(): boolean;
}

/** A fence that holds as long as the durable lease. */
export interface Lease extends Fence {
  /** `askedAt` is the time before the renewing statement was sent. Called once that is committed. */
  renewed(askedAt: Moment, seconds: number): void;
}

/**
 * A process stops using a lease a little before it ends, because clocks differ. For a short lease, as in tests, it is a
 * quarter.
 */
const marginMilliseconds = 2000;

export function leaseFrom(askedAt: Moment, seconds: number, time: ElapsedTime = elapsedTime): Lease {
  let held = heldFrom(askedAt, seconds);
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

/** Twice this is less than the time by which a process stops using a lease before it ends. */
const watchMilliseconds = 250;

/**
 * Another worker takes the run over when its lease ends, and then counts how long the system may still be at work on a
 * request that was cut off. So a process that can no longer renew the lease, such as one that lost the database, cuts its
 * write off before that. After a pause of the process, the response may have arrived, and the lease may be renewed: the
 * second look in a row decides.
 */
export function cutOffUnless(isHeld: () => boolean): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let wasHeld = true;
  const timer = setInterval(() => {
    const isHeldNow = isHeld();
    if (!isHeldNow && !wasHeld) controller.abort();
    wasHeld = isHeldNow;
  }, watchMilliseconds).unref();
  return { signal: controller.signal, end: () => clearInterval(timer) };
}
