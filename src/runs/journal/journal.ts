import type { Db } from "../../store/db.ts";
import type { SharedCommit } from "../../store/share-commits.ts";
import type { ValueSize } from "../../untrusted/value-size.ts";
import { type Claim, LeaseLost, leaveRun, type RunEnd } from "../queue/queue.ts";
import type { MemoryShare } from "../queue/run-memory.ts";
import { sizeOf } from "../record/large-outputs.ts";
import {
  deleteOpenRecords,
  listStepRecords,
  putLastRecords,
  putOwnRecord,
  putStepRecord,
  weighStepRecords,
} from "./journal.store.ts";
import { wholeStep } from "./new-record.ts";
import { lastWriteOf } from "./open-write.ts";
import type { StepRecord } from "./step-record.ts";
import { settleIntents, settleIntentsOf } from "./write-intents.ts";

export {
  copyStepRecords,
  listBareRecords,
  listOpenRecords,
  listStepRecords,
  weighStepOutputs,
} from "./journal.store.ts";
export { listShownRecords, type ShownRecord } from "./shown-records.store.ts";
export type { StepRecord, StepStatus } from "./step-record.ts";

/** What one worker writes about one run. Every transaction checks that the worker still holds it. */
export interface RunJournal {
  records(): readonly StepRecord[];
  /** The size of the inputs and outputs of finished steps, as counted by `weightUpTo`. */
  weight(): number;
  find(position: number, turn: number): StepRecord | undefined;
  /** The fence of the last claim that finished a step; 0 before the first. */
  readonly progressFence: number;
  /** Durable when it resolves. Used before a write is sent, and wherever a run stops. */
  save(record: StepRecord, inside?: ((db: Db) => Promise<void>) | null): Promise<void>;
  /**
   * The same without waiting. A step that only read is saved together with what follows shortly, because it may be read
   * again: fast steps share one commit. The outcome of a write is saved at once.
   */
  saveSoon(record: StepRecord): void;
  /** The work has failed: saves what it has done so far, if the run is stored. */
  flush(): Promise<void>;
  /** Makes a run durable that is not stored yet, or begins it, with all that it has done. */
  begin(): Promise<void>;
  /** The run leaves this worker, with its last step. */
  leave(end: RunEnd, last: StepRecord | null, inside?: (db: Db) => Promise<() => void>): Promise<void>;
}

/** A run as it left its worker, with the records of all its steps. */
export interface RunLeft {
  end: RunEnd;
  records: readonly StepRecord[];
  weight: number;
}

/**
 * Stores a run that is not stored yet, or begins one of the queue: one transaction does so, as it leaves its worker if `end` is
 * given, and then does the work.
 */
export type FirstCommit = <T>(end: RunEnd | null, work: (db: Db) => Promise<T>) => Promise<T>;

/**
 * How many steps a run may have done that are not stored yet, and how large they may be if the run itself is stored. Each only
 * read, and would be read again. All of them are written in one slice of the event loop.
 */
const unsavedMax = 16;
const unsavedWeightMax = 64_000;
/** What an attempt may weigh, which has a preview of its response. */
const attemptWeight = 4_000;
/** How long a step that only read may be missing in the store, while its run goes on. */
const soonMilliseconds = 100;

const none: ValueSize = { weight: 0, memory: 0 };

export async function openJournal(
  { store, commit, onProgress }: { store: Db; commit: SharedCommit; onProgress?(claim: Claim): void },
  claim: Claim,
  isFresh: boolean,
  share: Pick<MemoryShare, "resize" | "whenRoom" | "forgetAnswers">,
  firstCommit: FirstCommit | null = null,
): Promise<RunJournal> {
  const records = new Map<string, StepRecord>();
  const sizes = new Map<string, ValueSize>();
  const keyOf = ({ position, turn }: Pick<StepRecord, "position" | "turn">) => `${position}.${turn}`;
  let weight = 0;
  let memory = 0;

  const setSize = (key: string, now: ValueSize): void => {
    const before = sizes.get(key) ?? none;
    weight += now.weight - before.weight;
    memory += now.memory - before.memory;
    sizes.set(key, now);
  };

  const remember = (record: StepRecord): void => {
    const key = keyOf(record);
    records.set(key, record);
    if (record.finishedAt === null) return;
    const [input, output] = [sizeOf(record.input), sizeOf(record.output)];
    setSize(key, { weight: input.weight + output.weight, memory: input.memory + output.memory });
    if (record.turn === wholeStep && records.has(keyOf({ ...record, turn: 0 }))) dropIterations(record);
  };

  /** The output of the whole step holds those of its iterations. */
  const dropIterations = ({ position }: StepRecord): void => {
    for (let turn = 0; ; turn++) {
      const key = keyOf({ position, turn });
      const iteration = records.get(key);
      if (!iteration) return;
      records.set(key, { ...iteration, input: null, output: null });
      setSize(key, none);
    }
  };

  if (!isFresh) {
    // All records are read at once, so their memory is reserved first.
    share.resize(await weighStepRecords(store, claim.runId));
    await share.whenRoom();
    for (const record of await listStepRecords(store, claim.runId)) remember(record);
    share.resize(weight, memory);
  }
  const progressFence = Math.max(
    0,
    ...[...records.values()].map(({ fence = 0, finishedAt }) => (finishedAt ? fence : 0)),
  );
  // The newest unsaved version of each record. One write at a time takes all of them: two at once would use two
  // connections on PostgreSQL, and the older checkpoint might win.
  let pending = new Map<string, StepRecord>();
  let soon: NodeJS.Timeout | undefined;
  let inTransaction: ((db: Db) => Promise<void>)[] = [];
  let writing: Promise<void> | null = null;
  let failure: unknown;
  // Null once the run is stored.
  let first = firstCommit;
  let leaving: Promise<unknown> | null = null;

  const note = (record: StepRecord) => {
    remember(record);
    share.resize(weight, memory);
    // From here on the output is counted, and the answers that it was made of are not.
    if (record.finishedAt !== null) share.forgetAnswers();
    pending.set(keyOf(record), record);
  };

  const put = async (db: Db, record: StepRecord): Promise<void> => {
    if (!(await putOwnRecord(db, record, claim))) throw new LeaseLost(claim.runId);
    await settleIntentsOf(db, record);
  };

  /** Saves steps in the transaction that inserts the run, or in which it leaves its worker: that has checked the claim. */
  const putLast = async (db: Db, taken: readonly StepRecord[], beside: readonly Promise<unknown>[]): Promise<void> => {
    await Promise.all([...beside, putLastRecords(db, taken, claim.fence)]);
    for (const record of taken) await settleIntentsOf(db, record);
  };

  const pendingWeight = (): number => {
    let sum = 0;
    for (const [key, { attempts }] of pending) sum += (sizes.get(key)?.weight ?? 0) + attempts.length * attemptWeight;
    return sum;
  };

  const takePending = (): StepRecord[] => {
    clearTimeout(soon);
    soon = undefined;
    const taken = [...pending.values()];
    pending = new Map();
    return taken;
  };

  async function writePending(): Promise<void> {
    const taken = takePending();
    const inside = inTransaction;
    inTransaction = [];
    const others = (db: Db) => inside.map((each) => each(db));
    if (first) {
      await first(null, (db) => putLast(db, taken, others(db)));
      first = null;
    } else {
      await commit((db) => Promise.all([...taken.map((record) => put(db, record)), ...others(db)]), claim.runId);
    }
    if (taken.some(({ finishedAt }) => finishedAt !== null)) onProgress?.(claim);
  }

  /** Writes until nothing is pending. Records that arrive meanwhile share the next write. */
  function writeAll(): Promise<void> {
    writing ??= (async () => {
      try {
        // A journal that has failed writes nothing more: its worker gives the run up, or has already.
        if (failure === undefined) {
          do await writePending();
          while (pending.size > 0);
        }
      } catch (error) {
        failure ??= error;
      }
      writing = null;
    })();
    return writing;
  }

  /** Resolves when everything noted so far is durable. */
  async function settle(): Promise<void> {
    while (failure === undefined && (writing !== null || pending.size > 0)) await writeAll();
    if (failure !== undefined) throw failure;
  }

  return {
    // Not getters: V8 gives an object literal with a getter a hidden class of its own, which lives, with all that the getter
    // sees, until the next major collection.
    records: () => [...records.values()],
    weight: () => weight,
    progressFence,
    find: (position, turn) => records.get(keyOf({ position, turn })),
    async save(record, inside) {
      note(record);
      if (inside) inTransaction.push(inside);
      await settle();
    },
    saveSoon(record) {
      note(record);
      const isStored = first === null;
      const isUrgent = lastWriteOf(record) !== undefined || pendingWeight() > unsavedWeightMax;
      if (pending.size > unsavedMax || (isStored && isUrgent)) void writeAll();
      else if (isStored) soon ??= setTimeout(() => void writeAll(), soonMilliseconds).unref();
    },
    async flush() {
      if (first === null) await settle();
    },
    async begin() {
      if (first === null) return;
      await (leaving ?? writeAll());
      // A later write may have failed, too; then the run is stored, and its worker deals with it.
      if (first !== null && failure !== undefined) throw failure;
    },
    async leave(end, last, inside) {
      if (writing !== null) await writing;
      if (failure !== undefined) throw failure;
      if (last) note(last);
      const taken = takePending();
      const work = async (db: Db, beside: Promise<unknown>[]) => {
        await putLast(db, taken, beside);
        return inside?.(db);
      };
      const left = first
        ? first(end, (db) => work(db, []))
        : // The statements are pipelined. If another worker holds the run by now, the first one rolls all of them back.
          commit((db) => work(db, [leaveRun(db, claim, end)]), claim.runId);
      leaving = left;
      const afterwards = await left.catch((error: unknown) => {
        // A step that has ended is not done again. One that waits began its wait in that transaction.
        for (const record of taken) if (record.finishedAt !== null) pending.set(keyOf(record), record);
        throw error;
      });
      first = null;
      afterwards?.();
    },
  };
}

export async function saveRecord(db: Db, record: StepRecord): Promise<void> {
  await putStepRecord(db, record);
  await settleIntentsOf(db, record);
}

/** The run has sent nothing: its open steps are no writes that somebody must look for. */
export async function forgetUnsent(db: Db, runId: string): Promise<void> {
  for (const { position, turn } of await deleteOpenRecords(db, runId))
    await settleIntents(db, `${runId}.${position}.${turn}`, "failed", "");
}
