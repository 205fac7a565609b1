import type { LimitClock } from "./clock.ts";

/** Whoever was not heard of for so long is taken for dead. */
export const heartbeatMilliseconds = 15_000;
const every = heartbeatMilliseconds / 3;
/** Others may take this process for dead a little earlier than it would itself. */
const spare = 2000;

/** Tells the store that this process lives, for as long as calls of it are under way, and looks for those that do not any more. */
export interface Heartbeat {
  /** A call is under way from now on, until what this answers is called. */
  begin(): () => void;
  /** Somebody waits here, perhaps for places of the dead. */
  notice(): void;
  /** Others may have taken this process for dead. */
  isLate(): boolean;
  close(): Promise<void>;
}

export function createHeartbeat(options: {
  clock: LimitClock;
  isWaiting(): boolean;
  /** Resolves once it is durable that this process lives. */
  beat(): Promise<void>;
  /** Those who are dead hold nothing any longer. */
  releaseDead(): Promise<void>;
  /** Nobody need know any longer whether this process lives. */
  leave(): Promise<void>;
}): Heartbeat {
  const { clock } = options;
  let underWay = 0;
  let heardAt: number | null = null;
  let running = false;
  let closed = false;
  let cancelTimer: (() => void) | null = null;

  /** What fails is tried again with the next beat. */
  async function tick(): Promise<void> {
    cancelTimer = null;
    running = true;
    try {
      if (underWay > 0) {
        const asked = clock.steady();
        await options.beat();
        heardAt = asked;
      } else if (heardAt !== null) {
        heardAt = null;
        await options.leave();
      }
      if (isNeeded()) await options.releaseDead();
    } catch {
      // The store is away: nobody can take this process for dead there meanwhile.
    }
    running = false;
    if (!closed && (isNeeded() || heardAt !== null)) cancelTimer = clock.after(every, () => void tick());
  }

  const isNeeded = (): boolean => underWay > 0 || options.isWaiting();

  function notice(): void {
    if (!running && !cancelTimer && !closed) void tick();
  }

  return {
    begin() {
      underWay++;
      // Whoever only waited so far has not said yet that it lives.
      if (heardAt === null) cancelTimer?.();
      if (heardAt === null) cancelTimer = null;
      notice();
      let isOver = false;
      return () => {
        if (!isOver) underWay--;
        isOver = true;
      };
    },
    notice,
    isLate: () => heardAt !== null && clock.steady() - heardAt > heartbeatMilliseconds - spare,
    async close() {
      closed = true;
      cancelTimer?.();
      if (heardAt !== null) await options.leave().catch(() => {});
    },
  };
}
