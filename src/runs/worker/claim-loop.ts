import type { ElapsedTime } from "../../kernel/elapsed-time.ts";
import type { Log } from "../../kernel/log.ts";
import { isoTime } from "../../kernel/times.ts";
import type { Store } from "../../store/db.ts";
import { createDueQueue } from "../queue/due-queue.ts";
import type { HeldLeases } from "../queue/held-leases.ts";
import type { TakenRun } from "./started-run.ts";
import type { WorkerCapacity } from "./worker-capacity.ts";

/** Claims due runs, as many as the worker has capacity for. */
export interface ClaimLoop {
  /** From now on it claims: now, when a run becomes due, and every few seconds. Resolves after the first claim. */
  begin(): Promise<void>;
  /** A run may be due: claim now. */
  wake(): void;
  /** A run has left the worker. `mayBeDue`: it, or another one, may be due soon. */
  onLeft(mayBeDue: boolean): void;
  /** A run went to the queue because there was no capacity for it. */
  leftInQueue(): void;
  /** Claims nothing more. Resolves when a claim that is under way has ended. */
  stop(): Promise<void>;
}

export interface ClaimLoopParts {
  store: Store;
  /** The worker's name in the rows that it holds. */
  name: string;
  log: Log;
  now: () => Date;
  time: ElapsedTime;
  capacity: WorkerCapacity;
  leases: HeldLeases;
  /** How often to claim runs that no `wake` announced: those of other processes, and released leases. */
  pollSeconds: number;
  take(taken: TakenRun): void;
  /** A run of which only the entry in the queue is claimed. */
  takeQueued(taken: TakenRun): void;
}

/** Of the worker that begins a run. */
const firstFence = 1;

/** Runs of a full worker leave one after the other. So many are replaced by one claim, or all that leave within a moment. */
const claimedTogether = 8;
const pauseMilliseconds = 5;

export function createClaimLoop({
  store,
  name,
  log,
  now,
  time,
  capacity,
  leases,
  ...parts
}: ClaimLoopParts): ClaimLoop {
  const pollMilliseconds = parts.pollSeconds * 1000;
  const due = createDueQueue(store, name);
  let claiming: Promise<void> | null = null;
  let again = false;
  /** Whether due runs may have been left in the queue because there was no capacity for them. */
  let isShort = false;
  let begun = false;
  let stopped = false;
  let polling: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pausing: NodeJS.Timeout | undefined;

  function wakeAfterPause(): void {
    pausing = undefined;
    wake();
  }

  function wake(): void {
    if (!begun || stopped) return;
    if (claiming) {
      again = true;
      return;
    }
    claiming = claimDue()
      .catch((error: unknown) => log.warn({ err: error }, "claiming runs failed, will be tried again"))
      .finally(() => {
        claiming = null;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  async function claimDue(): Promise<void> {
    const free = capacity.free();
    const full = capacity.full();
    isShort = free <= 0 || full.length > 0;
    if (free <= 0) return;
    const at = isoTime(now());
    const askedAt = time.mark();
    const { runs, haveBegun, next } = await due.claim({ now: at, leaseUntil: leases.until() }, free, full);
    for (const run of runs) {
      const lease = leases.from(askedAt);
      const fence = haveBegun ? run.fence : firstFence;
      const taken = { run, claim: { runId: run.id, worker: name, fence }, lease, isFresh: false };
      if (haveBegun) parts.take(taken);
      else parts.takeQueued(taken);
    }
    if (runs.length > 0) again = true;
    else if (next !== null && next > at) scheduleAt(next);
  }

  function scheduleAt(next: string): void {
    clearTimeout(timer);
    const milliseconds = Math.max(5, new Date(next).getTime() - now().getTime());
    if (milliseconds <= pollMilliseconds) timer = setTimeout(wake, milliseconds).unref();
  }

  return {
    async begin() {
      begun = true;
      polling = setInterval(() => {
        due.rescan();
        wake();
      }, pollMilliseconds).unref();
      wake();
      await claiming;
    },
    wake,
    onLeft(mayBeDue) {
      if (!mayBeDue && !isShort) return;
      if (capacity.free() >= claimedTogether) wake();
      else pausing ??= setTimeout(wakeAfterPause, pauseMilliseconds).unref();
    },
    leftInQueue() {
      isShort = true;
      wake();
    },
    async stop() {
      stopped = true;
      clearInterval(polling);
      clearTimeout(timer);
      clearTimeout(pausing);
      await claiming;
    },
  };
}
