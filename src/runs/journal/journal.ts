import type { Db } from "../../store/db.ts";
import type { SharedCommit } from "../../store/share-commits.ts";
import type { RunPart } from "../engine/run-memory.ts";
import { type Claim, LeaseLost, leaveRun, type RunEnd } from "../queue/queue.ts";
import { settleIntentsOf } from "../reconcile/write-intents.ts";
import {
  copyStepRecords,
  listBareRecords,
  listOpenRecords,
  listShownRecords,
  listStepRecords,
  putLastRecord,
  putOwnRecord,
  putStepRecord,
  type StepRecord,
  weighStepOutputs,
  weighStepRecords,
} from "./journal.store.ts";
import { weightOf } from "./large-outputs.ts";
import { onlyTurn } from "./new-record.ts";

export type { ShownRecord, StepRecord, StepStatus } from "./journal.store.ts";

/** What one worker writes about one run; every transaction of it proves that the run is still its own. */
export interface RunJournal {
  readonly records: readonly StepRecord[];
  /** What the finished ones were given and gave, as `weightUpTo` counts. */
  readonly weight: number;
  find(position: number, turn: number): StepRecord | undefined;
  /** The fence of the last claim under which a step was finished; 0 before the first. */
  readonly progressFence: number;
  /** Durable when it resolves: before a write leaves, and wherever a run stops. */
  keep(record: StepRecord, inside?: ((db: Db) => Promise<void>) | null): Promise<void>;
  /** The same, without anyone waiting for it: what only read may be read again. */
  keepSoon(record: StepRecord): void;
  /** The run leaves this worker, with the last step that it did. */
  leave(end: RunEnd, last: StepRecord | null, inside?: (db: Db) => Promise<() => void>): Promise<void>;
}

/** A run as it left its worker, with everything that was done in it so far. */
export interface RunLeft {
  end: RunEnd;
  records: readonly StepRecord[];
  weight: number;
}

export async function openJournal(
  { store, commit, onProgress }: { store: Db; commit: SharedCommit; onProgress?(claim: Claim): void },
  claim: Claim,
  isFresh: boolean,
  part: Pick<RunPart, "keeps" | "room">,
): Promise<RunJournal> {
  const records = new Map<string, StepRecord>();
  const weights = new Map<string, number>();
  const keyOf = ({ position, turn }: Pick<StepRecord, "position" | "turn">) => `${position}.${turn}`;
  let weight = 0;

  const setWeight = (key: string, now: number): void => {
    weight += now - (weights.get(key) ?? 0);
    weights.set(key, now);
  };

  const remember = (record: StepRecord): void => {
    const key = keyOf(record);
    records.set(key, record);
    if (record.finishedAt === null) return;
    setWeight(key, weightOf(record.input) + weightOf(record.output));
    if (record.turn === onlyTurn && records.has(keyOf({ ...record, turn: 0 }))) forgetRounds(record);
  };

  /** What its rounds gave stands in the whole; nobody goes on from a round of it any more. */
  const forgetRounds = ({ position }: StepRecord): void => {
    for (let turn = 0; ; turn++) {
      const key = keyOf({ position, turn });
      const round = records.get(key);
      if (!round) return;
      records.set(key, { ...round, input: null, output: null });
      setWeight(key, 0);
    }
  };

  if (!isFresh) {
    // All of it comes at once, so its room is asked for before.
    part.keeps(await weighStepRecords(store, claim.runId));
    await part.room();
    for (const record of await listStepRecords(store, claim.runId)) remember(record);
    part.keeps(weight);
  }
  const progressFence = Math.max(
    0,
    ...[...records.values()].map(({ fence = 0, finishedAt }) => (finishedAt ? fence : 0)),
  );
  // What is not written yet, the newest of each. One write at a time takes all of it: two at once would be two connections
  // on PostgreSQL, and the older checkpoint might win.
  let pending = new Map<string, StepRecord>();
  let besides: ((db: Db) => Promise<void>)[] = [];
  let writing: Promise<void> | null = null;
  let failure: unknown;

  const note = (record: StepRecord) => {
    remember(record);
    part.keeps(weight);
    pending.set(keyOf(record), record);
  };

  const put = async (db: Db, record: StepRecord): Promise<void> => {
    if (!(await putOwnRecord(db, record, claim))) throw new LeaseLost(claim.runId);
    await settleIntentsOf(db, record);
  };

  async function writePending(): Promise<void> {
    const taken = [...pending.values()];
    const inside = besides;
    pending = new Map();
    besides = [];
    await commit(
      (db) => Promise.all([...taken.map((record) => put(db, record)), ...inside.map((each) => each(db))]),
      claim.runId,
    );
    if (taken.some(({ finishedAt }) => finishedAt !== null)) onProgress?.(claim);
  }

  /** Goes on until nothing is left to write; what comes meanwhile shares the next write. */
  function writeAll(): Promise<void> {
    writing ??= (async () => {
      try {
        while (pending.size > 0) await writePending();
      } catch (error) {
        failure ??= error;
      }
      writing = null;
    })();
    return writing;
  }

  /** All that was noted so far is durable when it resolves. */
  async function settle(): Promise<void> {
    while (failure === undefined && (writing !== null || pending.size > 0)) await writeAll();
    if (failure !== undefined) throw failure;
  }

  return {
    get records() {
      return [...records.values()];
    },
    get weight() {
      return weight;
    },
    progressFence,
    find: (position, turn) => records.get(keyOf({ position, turn })),
    async keep(record, inside) {
      note(record);
      if (inside) besides.push(inside);
      await settle();
    },
    keepSoon(record) {
      note(record);
      void writeAll();
    },
    async leave(end, last, inside) {
      if (writing !== null) await writing;
      if (failure !== undefined) throw failure;
      if (last) note(last);
      const afterwards = await commit(async (db) => {
        // Sent together, one behind the other. Where the run is another's by now, the first one takes them all back.
        const left = leaveRun(db, claim, end);
        const records = [...pending.values()].map((record) => putLastRecord(db, record, claim.fence));
        await Promise.all([left, ...records]);
        for (const record of pending.values()) await settleIntentsOf(db, record);
        return inside?.(db);
      }, claim.runId);
      afterwards?.();
    },
  };
}

export const listRecords = listStepRecords;
export const listOpenOnes = listOpenRecords;
export const listBareOnes = listBareRecords;
export const copyRecords = copyStepRecords;
export const weighOutputs = weighStepOutputs;
export const showRecords = listShownRecords;

export async function keepRecord(db: Db, record: StepRecord): Promise<void> {
  await putStepRecord(db, record);
  await settleIntentsOf(db, record);
}
