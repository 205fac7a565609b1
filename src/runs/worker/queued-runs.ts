import type { ElapsedTime } from "../../kernel/elapsed-time.ts";
import type { Lease } from "../../steps/fence.ts";
import type { SharedCommit } from "../../store/share-commits.ts";
import type { FirstCommit, RunJournal, RunLeft } from "../journal/journal.ts";
import { beginQueuedRun, type Claim, leaveQueuedRun } from "../queue/queue.ts";
import type { PlannedRun } from "../record/run-record.ts";
import type { TakenRun } from "./started-run.ts";

/*
 * A claim from the queue changes the run's short entry there, and not the run. The run is changed with its first write, its
 * first wait or its end, or a moment later; so the row of a fast run changes once. Until then the run is `queued`, and nothing
 * has happened that could happen twice: it has only read. The first worker that changes it holds it. Another one, which has
 * claimed the entry because the lease had ended, can write nothing.
 */

/** A run that takes longer becomes `running`, so that people see it and can cancel it. */
const beginMilliseconds = 100;

/** What the worker does for them. */
interface QueuedPorts {
  commit: SharedCommit;
  time: ElapsedTime;
  leaseSeconds: number;
  leaseUntil(): string;
  /** From now on the run is held: its lease is renewed. */
  onBegun(claim: Claim, lease: Lease): void;
  take(taken: TakenRun): Promise<RunLeft | null>;
}

/** Runs of the queue that this process works on, until they begin. */
export interface QueuedRuns {
  /** Rejects if the run cannot be begun. Then its entry is claimed again once the lease has ended. */
  take(taken: TakenRun): Promise<RunLeft | null>;
}

export function createQueuedRuns({ commit, time, leaseSeconds, ...worker }: QueuedPorts): QueuedRuns {
  return {
    async take({ run: queued, claim, lease }) {
      const run: PlannedRun = {
        ...queued,
        ...{ status: "running", worker: claim.worker, fence: claim.fence, claimsWithoutProgress: 1, runAt: null },
      };
      let journal: RunJournal | null = null;
      let [hasBegun, isOverdue] = [false, false];
      const firstCommit: FirstCommit = async (end, work) => {
        const askedAt = time.mark();
        const leaseUntil = worker.leaseUntil();
        const value = await commit(async (db) => {
          await (end ? leaveQueuedRun(db, claim, end) : beginQueuedRun(db, claim, leaseUntil));
          return work(db);
        }, run.id);
        hasBegun = true;
        lease.renewed(askedAt, leaseSeconds);
        if (end === null) worker.onBegun(claim, lease);
        return value;
      };
      const begin = async (): Promise<void> => {
        if (journal) await journal.begin();
        else await firstCommit(null, async () => {});
      };
      // Its last worker died before it began the run, perhaps because of it. Deaths of workers that have begun a run are
      // counted.
      if (queued.claimsWithoutProgress > 1 && !queued.cancelAsked) {
        await begin();
        return worker.take({ run, claim, lease, isFresh: false });
      }
      const beginSoon = () => {
        isOverdue = true;
        // A failure stays in the journal: the run hears of it with its next write.
        journal?.begin().catch(() => {});
      };
      const timer = setTimeout(beginSoon, beginMilliseconds).unref();
      const unsaved = {
        firstCommit,
        onOpened(opened: RunJournal) {
          journal = opened;
          if (isOverdue) beginSoon();
        },
        async isStored() {
          // A run that has failed goes back to the queue with a backoff, and only one that has begun can. Any other is claimed
          // again once the lease of its entry has ended.
          if (!hasBegun) await begin().catch(() => {});
          return hasBegun;
        },
      };
      return worker.take({ run, claim, lease, isFresh: false, unsaved }).finally(() => clearTimeout(timer));
    },
  };
}
