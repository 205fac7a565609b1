import type { NoLonger } from "../../access/callers/still-allowed.ts";
import type { Evaluator, Values } from "../../expressions/evaluate.ts";
import type { PassingTime } from "../../kernel/passing-time.ts";
import type { Fence } from "../../steps/fence.ts";
import type { StepPorts } from "../../steps/ports.ts";
import type { Db, Store } from "../../store/db.ts";
import type { SharedCommit } from "../../store/share-commits.ts";
import type { Compute } from "../../untrusted/compute.ts";
import type { RunJournal, StepRecord } from "../journal/journal.ts";
import type { Claim, RunEnd } from "../queue/queue.ts";
import type { PlannedRun, Run } from "../run.ts";
import type { RunMemory, RunPart } from "./run-memory.ts";

/** What working on a run takes. */
export interface EnginePorts extends Omit<StepPorts, "journal"> {
  store: Store;
  leaseSeconds: number;
  /** By which leases are held; the machine's own unless told. */
  time?: PassingTime;
  /** Where expressions are evaluated, and params checked. */
  compute: Compute;
  /** Called in the transaction in which a run ends or begins to wait; what it answers runs once that is durable. */
  onLeft?(db: Db, run: Pick<Run, "id" | "organizationId" | "projectId" | "work">, end: RunEnd): Promise<() => void>;
  /** When the store was last put back from a backup: what older runs would write may have been sent after that was taken. */
  restoredAt?: string | null;
  /** What the runs of the process keep in memory; that of the worker alone unless told. */
  memory?: RunMemory;
  /** Works on the runs of agents; a process without it ends them. */
  agents?: AgentWorker;
}

/** Works on the run of an agent until it ends or waits. The engine knows neither the plan nor the model. */
export interface AgentWorker {
  work(hand: RunHand, plan: unknown): Promise<Stopped>;
}

/** How a run leaves its worker. */
export interface Stopped {
  end: RunEnd;
  /** The last step, where it is not kept yet. */
  last: StepRecord | null;
  /** What else is written in the transaction in which the run leaves its worker. */
  inside?: (db: Db) => Promise<void>;
}

/** The same in the hands of a worker, which asks and writes for all its runs together. */
export interface WorkPorts extends EnginePorts {
  /** Whether a run is still wanted, and its owner still there. */
  whyStop(run: { id: string; startedBy: string; projectId: string }): Promise<"cancelled" | NoLonger | null>;
  /** A step of the run is done, and kept. */
  onProgress(claim: Claim): void;
  /** A transaction that shares its commit with those of other runs. */
  commit: SharedCommit;
  memory: RunMemory;
}

/** What expressions of the run may see so far. */
export type RunValues = Values;

/** One run in the hands of one worker. */
export interface RunHand {
  run: PlannedRun;
  journal: RunJournal;
  values: RunValues;
  ports: WorkPorts;
  /** For the run's organization. */
  evaluator: Evaluator;
  /** Whether the run is still this worker's. */
  fence: Fence;
  /** Its part of what runs may keep in memory. */
  part: RunPart;
}
