import type { Log } from "../../kernel/log.ts";
import { type Span, startSpan, withinSpan } from "../../kernel/tracing.ts";
import { workOn } from "../engine/engine.ts";
import type { RunLeft } from "../journal/journal.ts";
import type { WorkPorts } from "../outcome/ports.ts";
import type { HeldLeases } from "../queue/held-leases.ts";
import { type Claim, LeaseLost } from "../queue/queue.ts";
import { requeueFailed } from "../queue/requeue-failed.ts";
import { type PlannedRun, parentOf } from "../record/run-record.ts";
import type { TakenRun } from "./started-run.ts";
import { NotStored, throwCause } from "./unsaved-runs.ts";
import type { WorkerCapacity } from "./worker-capacity.ts";

/** The runs that a worker works on. */
export interface ActiveRuns {
  /**
   * Resolves when the run has left the worker; with null if another worker holds it, or it is in the queue again. Rejects if the run
   * could not be stored.
   */
  take(taken: TakenRun): Promise<RunLeft | null>;
  /** Resolves when all of them have left. */
  settled(): Promise<unknown>;
}

export interface ActiveRunsParts {
  ports: Omit<WorkPorts, "onProgress">;
  log: Log;
  capacity: WorkerCapacity;
  leases: HeldLeases;
  /** A run has left. `mayBeDue`: it, or its parent, may be due soon. */
  onLeft(mayBeDue: boolean): void;
}

export function createActiveRuns({ ports, log, capacity, leases, onLeft }: ActiveRunsParts): ActiveRuns {
  const { store, now, meter } = ports;
  const progressed = new WeakSet<Claim>();
  const work: WorkPorts = { ...ports, onProgress: (claim) => void progressed.add(claim) };
  // Keyed by claim, not by run: a worker that loses a run may claim it again, and then works on it twice for a while.
  const active = new Map<Claim, Promise<RunLeft | null>>();

  async function workTraced({ run, claim, lease, isFresh, unsaved }: TakenRun): Promise<RunLeft> {
    const span = startRunSpan(run);
    try {
      const left = await withinSpan(span, () => workOn({ run, claim, isFresh, fence: lease, unsaved }, work));
      span?.set({ "signalbox.run_status": left.end.status });
      span?.end(left.end.problem?.code);
      return left;
    } catch (error) {
      span?.end(error instanceof LeaseLost ? "lease_lost" : "internal");
      throw error;
    }
  }

  async function failed({ run, claim, unsaved }: TakenRun, error: unknown): Promise<null> {
    if (error instanceof LeaseLost) return null;
    if (error instanceof NotStored) throwCause(error);
    // Nothing of it has happened, and its caller gets the error.
    if (unsaved && !(await unsaved.isStored())) throw error;
    log.error({ run_id: run.id, err: error }, "working on a run failed");
    await requeueFailed({ run, claim, error, hasProgressed: progressed.has(claim) }, { store, now, log });
    return null;
  }

  return {
    take(taken) {
      const { run, claim, lease, isFresh, unsaved } = taken;
      const leaveCapacity = capacity.take(run.organizationId, !isFresh);
      if (!unsaved) leases.keep(claim, lease);
      let mayBeDue = true;
      const working = workTraced(taken)
        .then((left) => {
          const { status, finishedAt } = left.end;
          if (finishedAt !== null) meter?.runEnded(run.work.kind, status);
          // A run that waits may be due soon, and the end of a run makes its parent due.
          mayBeDue = finishedAt === null || parentOf(run) !== null;
          return left;
        })
        .catch((error: unknown) => failed(taken, error))
        .finally(() => {
          active.delete(claim);
          leaveCapacity();
          leases.drop(claim);
          onLeft(mayBeDue);
        });
      active.set(claim, working);
      return working;
    },
    settled: () => Promise.allSettled(active.values()),
  };
}

/** Part of the trace that started the run, whichever process works on it. */
function startRunSpan({ id, work, organizationId, projectId, fence, trace }: PlannedRun): Span | null {
  const span = startSpan(`run ${work.kind}`, "consumer", trace === undefined ? null : { traceparent: trace });
  span?.set({
    "signalbox.run_id": id,
    "signalbox.organization_id": organizationId,
    "signalbox.project_id": projectId,
    "signalbox.claim": fence,
  });
  return span;
}
