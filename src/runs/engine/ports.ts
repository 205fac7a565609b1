import type { NoLonger } from "../../access/callers/still-allowed.ts";
import type { Models } from "../../agents/models/model.ts";
import type { Evaluator, Values } from "../../expressions/evaluate.ts";
import type { PassingTime } from "../../kernel/passing-time.ts";
import type { Fence } from "../../steps/fence.ts";
import type { StepPorts } from "../../steps/ports.ts";
import type { Db, Store } from "../../store/db.ts";
import type { SharedCommit } from "../../store/share-commits.ts";
import { type StepProblem, type StepProblemCode, stepProblems } from "../../systems/problems.ts";
import type { Compute } from "../../untrusted/compute.ts";
import type { RunJournal } from "../journal/journal.ts";
import type { Claim, RunEnd, ToolRun } from "../queue/queue.ts";

/** What working on a run takes. */
export interface EnginePorts extends Omit<StepPorts, "journal"> {
  store: Store;
  leaseSeconds: number;
  /** By which leases are held; the machine's own unless told. */
  time?: PassingTime;
  /** Where expressions are evaluated, and params checked. */
  compute: Compute;
  /** Called in the transaction in which a run ends or begins to wait; what it answers runs once that is durable. */
  onLeft?(
    db: Db,
    run: Pick<ToolRun, "id" | "organizationId" | "projectId" | "toolId">,
    end: RunEnd,
  ): Promise<() => void>;
  /** When the store was last put back from a backup: what older runs would write may have been sent after that was taken. */
  restoredAt?: string | null;
  /** For runs of agents; without it there is no model to ask. */
  models?: Models;
}

/** The same in the hands of a worker, which asks and writes for all its runs together. */
export interface WorkPorts extends EnginePorts {
  /** Whether a run is still wanted, and its owner still there. */
  whyStop(run: { id: string; startedBy: string; projectId: string }): Promise<"cancelled" | NoLonger | null>;
  /** A step of the run is done, and kept. */
  onProgress(claim: Claim): void;
  /** A transaction that shares its commit with those of other runs. */
  commit: SharedCommit;
}

/** What expressions of the run may see so far. */
export type RunValues = Values;

/** One run in the hands of one worker. */
export interface RunHand {
  run: ToolRun;
  journal: RunJournal;
  values: RunValues;
  ports: WorkPorts;
  /** For the run's organization. */
  evaluator: Evaluator;
  /** Whether the run is still this worker's. */
  fence: Fence;
}

/** A problem that arose here, before anything was sent. */
export const stepProblem = (code: StepProblemCode, detail: string): StepProblem => {
  const { fault, retry, remedy } = stepProblems[code];
  return { code, detail, remedy, fault, retry };
};
