import type { LimitClock } from "./state/clock.ts";

/** A process without a heartbeat for this long counts as dead. */
export const heartbeatMilliseconds = 15_000;
const every = heartbeatMilliseconds / 3;
/** Other nodes may decide that this process is dead a little earlier than it would itself. */
const spare = 2000;

/** Writes a heartbeat while this process has calls under way, and releases the reservations of processes without one. */
export interface Heartbeat {
  /** A call is under way until the returned function is called. */
  begin(): () => void;
  /** A call waits here, perhaps for reservations of a dead process. */
  notice(): void;
  /** Whether the store knows that this process lives. */
  isKnown(): boolean;
  /** Other nodes may count this process as dead. */
  isLate(): boolean;
  close(): Promise<void>;
}

export function createHeartbeat(options: {
  clock: LimitClock;
  isWaiting(): boolean;
  /** Resolves once the heartbeat is durable. */
  beat(): Promise<void>;
  /** Releases what dead processes hold. */
  releaseDead(): Promise<void>;
  /** This process has no calls under way: its heartbeat is deleted. */
  leave(): Promise<void>;
  failed(error: unknown): void;
  /** The heartbeat could not be deleted at the end. */
  notDeleted(error: unknown): void;
}): Heartbeat {
  const { clock } = options;
  let underWay = 0;
  let confirmedAt: number | null = null;
  let running = false;
  let closed = false;
  let cancelTimer: (() => void) | null = null;

  async function beat(): Promise<void> {
    const sentAt = clock.steady();
    await options.beat();
    confirmedAt = sentAt;
  }

  /** A failure is retried with the next beat. */
  async function tick(): Promise<void> {
    cancelTimer = null;
    running = true;
    try {
      if (underWay > 0) await beat();
      else if (confirmedAt !== null) {
        confirmedAt = null;
        await options.leave();
      }
      if (isNeeded()) await options.releaseDead();
      // A call may have begun meanwhile.
      if (underWay > 0 && confirmedAt === null) await beat();
    } catch (error) {
      // While the store is away, no other node can release our reservations either.
      options.failed(error);
    }
    running = false;
    if (!closed && (isNeeded() || confirmedAt !== null)) cancelTimer = clock.after(every, () => void tick());
  }

  const isNeeded = (): boolean => underWay > 0 || options.isWaiting();

  function notice(): void {
    if (!running && !cancelTimer && !closed) void tick();
  }

  return {
    begin() {
      underWay++;
      // A process that only waited so far has no heartbeat yet.
      if (confirmedAt === null) cancelTimer?.();
      if (confirmedAt === null) cancelTimer = null;
      notice();
      let isOver = false;
      return () => {
        if (!isOver) underWay--;
        isOver = true;
      };
    },
    notice,
    isKnown: () => confirmedAt !== null,
    isLate: () => confirmedAt !== null && clock.steady() - confirmedAt > heartbeatMilliseconds - spare,
    async close() {
      closed = true;
      cancelTimer?.();
      if (confirmedAt !== null) await options.leave().catch((error) => options.notDeleted(error));
    },
  };
}
