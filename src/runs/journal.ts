import type { Db, Store } from "../store/db.ts";
import { listStepRecords, putStepRecord, type StepRecord } from "./journal.store.ts";
import { type Claim, leaveRun, type RunEnd, requireHold } from "./tool-runs.ts";

export type { StepRecord, StepStatus } from "./journal.store.ts";

/** What one worker writes about one run; every write proves first that the run is still its own. */
export interface RunJournal {
  records: readonly StepRecord[];
  /** Somebody wants the run to stop, as far as the last write has told. */
  isCancelled(): boolean;
  /** Durable when it resolves: before a write leaves, and wherever a run stops. */
  keep(record: StepRecord): Promise<void>;
  /** The same, without anyone waiting for it: what only read may be read again. */
  keepSoon(record: StepRecord): void;
  /** All that was kept so far is durable when it resolves. */
  settled(): Promise<void>;
  /** The run leaves this worker, with the last step that it did. */
  leave(end: RunEnd, last: StepRecord | null, inside?: (db: Db) => Promise<() => void>): Promise<void>;
}

export async function openJournal(
  store: Store,
  claim: Claim,
  leaseUntil: () => string,
  isFresh: boolean,
): Promise<RunJournal> {
  const records = new Map<string, StepRecord>();
  const keyOf = ({ position, turn }: StepRecord) => `${position}.${turn}`;
  if (!isFresh) for (const record of await listStepRecords(store, claim.runId)) records.set(keyOf(record), record);
  let keeping: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  let cancelled = false;

  const write = (work: (db: Db) => Promise<void>): Promise<void> =>
    store.transaction(async (db) => {
      const { cancelAsked } = await requireHold(db, claim, leaseUntil());
      cancelled ||= cancelAsked;
      await work(db);
    });

  async function settled(): Promise<void> {
    await keeping;
    if (failure !== undefined) throw failure;
  }

  return {
    get records() {
      return [...records.values()];
    },
    isCancelled: () => cancelled,
    async keep(record) {
      records.set(keyOf(record), record);
      await settled();
      await write((db) => putStepRecord(db, record));
    },
    keepSoon(record) {
      records.set(keyOf(record), record);
      const writing = write((db) => putStepRecord(db, record)).catch((error) => {
        failure ??= error;
      });
      keeping = Promise.all([keeping, writing]);
    },
    settled,
    async leave(end, last, inside) {
      if (last) records.set(keyOf(last), last);
      await settled();
      const afterwards = await store.transaction(async (db) => {
        if (last) await putStepRecord(db, last);
        await leaveRun(db, claim, end);
        return inside?.(db);
      });
      afterwards?.();
    },
  };
}

export const listRecords = listStepRecords;
export const keepRecord = putStepRecord;
