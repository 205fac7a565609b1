import { moveMailsBack } from "../../access/mails/move-mails-back.ts";
import { moveKeysBack } from "../../calls/idempotency-leases.ts";
import type { Log } from "../../kernel/log.ts";
import { movePrunerLeaseBack } from "../../retention/pruner-lease.ts";
import { moveRunsBack } from "../../runs/queue/move-runs-back.ts";
import { createClockWatch } from "../../schedules/clock-set-back.ts";
import type { Store } from "../../store/db.ts";
import { moveConnectionsBack } from "../../vault/move-checks-back.ts";
import { moveDeliveriesBack } from "../../webhooks/move-deliveries-back.ts";

interface TimesBackParts {
  store: Store;
  leaseSeconds: number;
  log: Log;
  now: () => Date;
  /** Called once work is due that was not before. */
  wake(): void;
}

export interface TimesBack {
  begin(): void;
  /** Resolves when a pass that is under way has ended. */
  stop(): Promise<void>;
}

const everyMilliseconds = 1_000;
/** A clock that is set forth and back within a second is not noticed, so everything is read once an hour as well. */
const atLeastEachLooks = 3_600;
/** A pass that fails, such as in an outage, reads much before it does. */
const againAfterLooks = 60;

/**
 * "Work that was queued while the clock was ahead stands still for years after it is set back." At each start, and when the clock was set back, times
 * that are further ahead than their kind can have are moved back. Schedules do it themselves.
 */
export function watchForClockSetBack(parts: TimesBackParts): TimesBack {
  const wasSetBack = createClockWatch(parts.now);
  let mayBeAhead = true;
  let looks = 0;
  let underway: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (wasSetBack() || ++looks % atLeastEachLooks === 0) mayBeAhead = true;
    if (!mayBeAhead || underway) return;
    mayBeAhead = false;
    underway = moveAllBack(parts)
      .catch((error: unknown) => {
        looks = -againAfterLooks;
        parts.log.warn({ err: error }, "times of a clock that was ahead could not be moved back, will be tried again");
      })
      .finally(() => {
        underway = null;
      });
  };
  return {
    begin() {
      timer = setInterval(look, everyMilliseconds).unref();
      look();
    },
    async stop() {
      clearInterval(timer);
      await underway;
    },
  };
}

export async function moveAllBack({ store, leaseSeconds, log, now, wake }: TimesBackParts): Promise<void> {
  const moved = {
    runs: await moveRunsBack(store, now(), leaseSeconds),
    deliveries: await moveDeliveriesBack(store, now()),
    mails: await moveMailsBack(store, now()),
    connections: await moveConnectionsBack(store, now()),
    idempotency_keys: await moveKeysBack(store, now()),
    leases: await movePrunerLeaseBack(store, now()),
  };
  if (Object.values(moved).every((count) => count === 0)) return;
  log.warn(moved, "the clock was set back: what would have waited for the time of the clock that was ahead continues");
  wake();
}
