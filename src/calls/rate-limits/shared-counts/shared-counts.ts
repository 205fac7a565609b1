import type { AttemptRate } from "../../../identity/passwords/attempt-limiter.ts";
import { createSharedAttempts } from "../../../identity/passwords/shared-attempts.ts";
import type { Log } from "../../../kernel/log.ts";
import { randomBase62 } from "../../../kernel/random.ts";
import type { Store } from "../../../store/db.ts";
import { createExactCounts, type ExactCounts } from "./count-exactly.ts";
import { type Ask, type CountClock, createWindowSharing, type WindowSharing } from "./share-windows.ts";
import { changeCounts, deleteEnded, deleteProcess, putProcess } from "./shared-counts.store.ts";

/** Our own rate limits as several nodes count them together. */
export interface SharedCounts {
  windows: WindowSharing;
  exact: ExactCounts;
  /** How many processes use the database; 0 while that is unknown. */
  processes(): number;
  close(): Promise<void>;
}

const aliveMilliseconds = 30_000;
const renewMilliseconds = 10_000;
const pruneMilliseconds = 60_000;
const rowsMax = 1_000_000;

const realClock: CountClock = {
  now: () => performance.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Everything that nodes on one database count together. */
export function shareLimits(store: Store, log: Log) {
  return {
    counts: createSharedCounts(store, log),
    signInAttempts: (rate: AttemptRate) => createSharedAttempts(store, rate),
  };
}

/** For a PostgreSQL that several nodes share. */
export function createSharedCounts(store: Store, log: Log, clock: CountClock = realClock): SharedCounts {
  const process = randomBase62(12);
  let processes = 0;
  let prunedAt = clock.now();
  let cancel: (() => void) | null = null;
  let isClosed = false;
  const logged = (limits: string) => ({
    failed: (error: unknown) =>
      log.warn({ err: error, limits }, "the database does not count calls: this process counts rate limits for itself"),
    back: () => log.info({ limits }, "the database counts calls again: this process shares rate limits"),
  });
  const windows = createWindowSharing({
    clock,
    change: (asks) => store.transaction((db) => changeCounts(db, asks)),
    processes: () => processes,
    ...logged("approximate"),
  });
  // Behind slow statements, a wrong key or password must be counted as soon as it is checked.
  const change = (asks: readonly Ask[]) => changeCounts(store.reserve, asks);
  const exact = createExactCounts({ clock, change, ...logged("exact") });

  /** Others divide the overrun by the number of processes, so each shows that it lives. */
  async function renew(): Promise<void> {
    try {
      processes = await putProcess(store.reserve, process, aliveMilliseconds);
      if (clock.now() - prunedAt > pruneMilliseconds) {
        prunedAt = clock.now();
        await store.transaction((db) => deleteEnded(db, rowsMax));
      }
    } catch (error) {
      log.warn({ err: error }, "the shared rate limits could not be renewed, will be tried again");
    }
    if (!isClosed) cancel = clock.after(renewMilliseconds, () => void renew());
  }
  const first = renew();

  return {
    windows,
    exact,
    processes: () => processes,
    async close() {
      isClosed = true;
      exact.close();
      await first;
      cancel?.();
      await windows.close();
      // A row that stays ends by itself; until then the others divide by one process too many.
      await store.transaction((db) => deleteProcess(db, process)).catch(() => {});
    },
  };
}
