import type { AccessLoss } from "../../access/callers/still-allowed.ts";
import type { Evaluator, Values } from "../../expressions/evaluate.ts";
import type { Fence } from "../../steps/fence.ts";
import type { StepPorts } from "../../steps/ports.ts";
import type { Db, Store } from "../../store/db.ts";
import type { SharedCommit } from "../../store/share-commits.ts";
import type { Compute } from "../../untrusted/compute.ts";
import type { RunJournal, StepRecord } from "../journal/journal.ts";
import type { Claim, RunEnd } from "../queue/queue.ts";
import type { MemoryShare, RunMemory } from "../queue/run-memory.ts";
import type { PlannedRun, Run } from "../record/run-record.ts";

/** What the engine needs to work on runs. */
export interface EnginePorts extends Omit<StepPorts, "journal"> {
  store: Store;
  leaseSeconds: number;
  /** Evaluates expressions and checks params. */
  compute: Compute;
  /**
   * Called in the transaction in which a run ends or begins to wait. The function that it returns runs once that is
   * durable.
   */
  onLeft?(db: Db, run: Pick<Run, "id" | "organizationId" | "projectId" | "work">, end: RunEnd): Promise<() => void>;
  /** When the store was last restored from a backup. Older runs may have sent writes after that backup. */
  restoredAt?: string | null;
  /** Bounds the memory of the process's runs; by default the worker's own. */
  memory?: RunMemory;
  /** Works on the runs of agents. Without it, their runs fail. */
  agents?: AgentWorker;
}

/** Works on the run of an agent until it ends or waits. The engine knows neither the plan nor the model. */
export interface AgentWorker {
  work(context: RunContext, plan: unknown): Promise<Stopped>;
}

/** How a run leaves its worker. */
export interface Stopped {
  end: RunEnd;
  /** The last step, if it is not saved yet. */
  last: StepRecord | null;
  /** Further writes for the transaction in which the run leaves its worker. */
  inside?: (db: Db) => Promise<void>;
}

/** The ports of one worker, which shares reads and commits among its runs. */
export interface WorkPorts extends EnginePorts {
  /** Whether the run was cancelled, or its owner may no longer act. */
  findStop(run: { id: string; startedBy: string; projectId: string }): Promise<"cancelled" | AccessLoss | null>;
  /** A step of the run is done and saved. */
  onProgress(claim: Claim): void;
  /** A transaction that shares its commit with those of other runs. */
  commit: SharedCommit;
  memory: RunMemory;
}

/** What expressions of the run can see so far. */
export type RunValues = Values;

/** One run while one worker holds it. */
export interface RunContext {
  run: PlannedRun;
  journal: RunJournal;
  values: RunValues;
  ports: WorkPorts;
  evaluator: Evaluator;
  /** Whether this worker still holds the run. */
  fence: Fence;
  /** The run's share of the process's memory. */
  memory: MemoryShare;
}
