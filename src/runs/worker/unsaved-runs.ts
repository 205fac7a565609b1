import type { ElapsedTime } from "../../kernel/elapsed-time.ts";
import { type Lease, leaseFrom } from "../../steps/fence.ts";
import type { Db } from "../../store/db.ts";
import type { FirstCommit, RunJournal, RunLeft } from "../journal/journal.ts";
import { type Claim, insertPlannedRun, type RunEnd } from "../queue/queue.ts";
import type { PlannedRun } from "../record/run-record.ts";
import type { StartedRun, StoreIn, TakenRun } from "./started-run.ts";

/*
 * A run that a caller waits for is not stored before its first write, its first wait or its end: until then nothing has
 * happened that could be lost or happen twice, and nobody but its caller waits for it. So most runs cost one commit. A run
 * that takes longer is stored meanwhile, so that people see it and can cancel it.
 */

/** The run could not be stored, as far as anybody knows. `cause` is the error that its caller gets. */
export class NotStored extends Error {
  constructor(cause: unknown) {
    super("A run could not be stored.", { cause });
  }
}

/** What the worker does for them. */
interface UnsavedPorts {
  /** How long a run may go on before it is stored. */
  unsavedSeconds: number;
  time: ElapsedTime;
  leaseSeconds: number;
  leaseUntil(): string;
  /** From now on another worker could claim the run: its lease is renewed. */
  onStored(claim: Claim, lease: Lease): void;
  /** Its commit failed, or the answer to it got lost. */
  onRefused(runId: string, error: unknown): void;
  take(taken: TakenRun): Promise<RunLeft | null>;
}

/** The runs of this process that are not stored yet. */
export interface UnsavedRuns {
  start(run: PlannedRun, claim: Claim, storeIn: StoreIn): StartedRun;
  /** Stores all of them, so that other workers continue them. */
  stop(): Promise<void>;
}

export function createUnsavedRuns({ unsavedSeconds, time, leaseSeconds, ...worker }: UnsavedPorts): UnsavedRuns {
  const unsaved = new Map<Claim, { since: number; save(): Promise<unknown> }>();
  /** A run that cannot be stored tells its own caller. */
  const saveUntil = async (startedAt: number): Promise<void> => {
    const due = [...unsaved.values()].filter(({ since }) => since <= startedAt);
    await Promise.allSettled(due.map(({ save }) => save()));
  };
  const timer = setInterval(() => {
    if (unsaved.size > 0) void saveUntil(performance.now() - unsavedSeconds * 1000);
  }, unsavedSeconds * 500).unref();

  return {
    start(run, claim, storeIn) {
      const lease = leaseFrom(time.mark(), leaseSeconds, time);
      let journal: RunJournal | null = null;
      let storing: Promise<unknown> = Promise.resolve();
      const firstCommit: FirstCommit = (end, work) => {
        const stored = storeRun(end, work);
        storing = stored;
        return stored;
      };
      const storeRun: FirstCommit = async (end, work) => {
        const askedAt = time.mark();
        const stored = end ? runAsLeft(run, end) : { ...run, leaseUntil: worker.leaseUntil() };
        const insert = async (db: Db) => {
          await insertPlannedRun(db, stored);
          return work(db);
        };
        const hasEnded = end !== null && end.finishedAt !== null;
        const value = await storeIn(insert, run.id, hasEnded).catch((cause: unknown) => {
          worker.onRefused(run.id, cause);
          throw new NotStored(cause);
        });
        unsaved.delete(claim);
        lease.renewed(askedAt, leaseSeconds);
        if (end === null) worker.onStored(claim, lease);
        return value;
      };
      const onOpened = (opened: RunJournal) => {
        journal = opened;
      };
      const isStored = async () => {
        // A run that fails meanwhile may still be stored. Nobody would work on it, and its lease would be renewed for ever.
        await Promise.allSettled([storing]);
        return !unsaved.has(claim);
      };
      const save = () => (journal ? journal.begin().catch(throwCause) : left);
      unsaved.set(claim, { since: performance.now(), save });
      const taken = { run, claim, lease, isFresh: true, unsaved: { firstCommit, onOpened, isStored } };
      const left = worker.take(taken).finally(() => unsaved.delete(claim));
      return { run, left, save };
    },
    stop() {
      clearInterval(timer);
      return saveUntil(Number.POSITIVE_INFINITY);
    },
  };
}

/** The caller learns why its run was not stored. */
export function throwCause(error: unknown): never {
  throw error instanceof NotStored ? error.cause : error;
}

/** A run that left its worker before it was stored, as `endRun` would leave it. */
const runAsLeft = (run: PlannedRun, end: RunEnd): PlannedRun => ({
  ...run,
  ...end,
  worker: null,
  leaseUntil: null,
  claimsWithoutProgress: 0,
});
