import type { Log } from "../../kernel/log.ts";

/** What a worker does again and again as long as it lives. */
export interface Heartbeat {
  /** Does it now, too. Resolves when all that is under way has ended; never rejects. */
  beat(): Promise<void>;
  stop(): void;
  /** Resolves when all that is under way has ended. */
  settled(): Promise<void>;
}

export function createHeartbeat(everySeconds: number, work: () => Promise<void>, log: Log): Heartbeat {
  const underWay = new Set<Promise<void>>();
  const settled = async (): Promise<void> => void (await Promise.all(underWay));
  function beat(): Promise<void> {
    const beating = work()
      .catch((error: unknown) =>
        log.warn({ err: error }, "renewing leases or recovering runs failed, will be tried again"),
      )
      .finally(() => underWay.delete(beating));
    underWay.add(beating);
    return settled();
  }
  const timer = setInterval(() => void beat(), everySeconds * 1000).unref();
  return { beat, stop: () => clearInterval(timer), settled };
}
