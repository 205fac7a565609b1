import type { Lease } from "../../steps/fence.ts";
import type { Db } from "../../store/db.ts";
import type { ClaimedRun } from "../engine/engine.ts";
import type { RunLeft } from "../journal/journal.ts";
import type { PlannedRun } from "../record/run-record.ts";

/**
 * Runs the transaction that makes a run durable, if that writes more than the run. `hasEnded` says that the run is stored once
 * it has ended.
 */
export type StoreIn = <T>(store: (db: Db) => Promise<T>, runId: string, hasEnded: boolean) => Promise<T>;

export interface StartOptions {
  storeIn?: StoreIn;
  /** The run becomes durable with its first write, its first wait or its end. For a caller who waits for it. */
  mayBeUnsaved?: boolean;
  /**
   * A caller who is refused will not ask for this run again. If nothing says whether it was stored, it is cancelled. Without
   * this, it may run later: a repeat with the same Idempotency-Key finds it.
   */
  mayBeWithdrawn?: boolean;
}

export interface StartedRun {
  run: PlannedRun;
  /**
   * Resolves when the run has ended or waits; with null if it is in the queue, or another worker holds it. Rejects if the
   * run could not be made durable. Then nothing of it was sent, and a run that is stored after all is cancelled.
   */
  left: Promise<RunLeft | null>;
  /** Makes the run durable now. A caller learns of a run only after this, or after it has left. */
  save(): Promise<unknown>;
}

/** A run that this process works on. The lease runs from before the claim, so it ends no later than the store says. */
export interface TakenRun extends Omit<ClaimedRun, "fence"> {
  lease: Lease;
}
