import { elapsedTime } from "../../kernel/elapsed-time.ts";
import type { Log } from "../../kernel/log.ts";
import { randomBase62 } from "../../kernel/random.ts";
import { LeaseLost } from "../../steps/fence.ts";
import { type SharedCommit, shareCommits } from "../../store/share-commits.ts";
import type { EnginePorts, WorkPorts } from "../outcome/ports.ts";
import { createHeldLeases } from "../queue/held-leases.ts";
import { createMissingEntries } from "../queue/missing-entries.ts";
import { type Claim, insertPlannedRun } from "../queue/queue.ts";
import { createRunMemory } from "../queue/run-memory.ts";
import { newRun, type RunStart } from "../queue/start-run.ts";
import type { PlannedRun } from "../record/run-record.ts";
import type { StepHold } from "../single-step/single-step.ts";
import { createActiveRuns } from "./active-runs.ts";
import { createClaimLoop } from "./claim-loop.ts";
import { coalesce } from "./coalesce.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { createQueuedRuns } from "./queued-runs.ts";
import { recover } from "./recover-after-crash.ts";
import type { StartedRun, StartOptions, StoreIn } from "./started-run.ts";
import { createStopCheck } from "./stop-check.ts";
import { createUnsavedRuns } from "./unsaved-runs.ts";
import { createWithdrawnRuns } from "./withdrawn-runs.ts";
import { createWorkerCapacity } from "./worker-capacity.ts";

/** One process that works on runs: claim, work, settle, repeat. */
export interface Worker {
  /** The worker's name in the rows that it holds. */
  name: string;
  /**
   * Recovers the runs of dead processes and begins to claim due runs. Before that, the worker only works on runs that
   * it starts itself. Resolves after the first claim; callers need not wait for it.
   */
  begin(): Promise<void>;
  /** A run may be due: claim now. Without room for it, other processes are told. */
  wake(): void;
  /**
   * Starts a run in this process at once, past the queue, if its organization has capacity. Resolves when the run is
   * durable, unless it need not be.
   */
  start(start: RunStart, how?: StartOptions): Promise<StartedRun>;
  /** Holds the run of a single step, just before it becomes durable. The heartbeat renews its lease. */
  hold(runId: string, fence: number): StepHold;
  /** Claims nothing more, and gives its runs time to reach a boundary. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  ports: EnginePorts;
  log: Log;
  /** How many runs the worker works on at once. */
  capacity?: number;
  /** How often to claim runs that no `wake` announced: those of other processes, and released leases. */
  pollSeconds?: number;
  /** False for a process that leaves all runs to others: those that it starts go to the queue. */
  takesRuns?: boolean;
  /** How long a run that its caller waits for may go on before it is stored, if it has written nothing. */
  unsavedSeconds?: number;
  /** A run went to the queue because this process does not take it now: tells the others. */
  onQueued?(): void;
}

/** A single organization gets three quarters of this. */
const capacityDefault = 86;
const pollSecondsDefault = 2;
const unsavedSecondsDefault = 1;
const stopSecondsMax = 10;

export function createWorker({ ports, log, ...options }: WorkerOptions): Worker {
  const { store, now, leaseSeconds } = ports;
  const time = ports.time ?? elapsedTime;
  const name = `w_${randomBase62(10)}`;
  const commit = shareCommits(store);
  const capacity = createWorkerCapacity(options.capacity ?? capacityDefault);
  const leases = createHeldLeases({ store, worker: name, leaseSeconds, now, time });
  const withdrawn = createWithdrawnRuns(store, now, () => wakeWorkers());
  const makeMissingEntries = createMissingEntries(store);
  const active = createActiveRuns({
    ports: sharedPorts(ports, commit),
    log,
    capacity,
    leases,
    onLeft: (mayBeDue) => claims.onLeft(mayBeDue),
  });
  const queuedRuns = createQueuedRuns({
    commit,
    time,
    leaseSeconds,
    leaseUntil: leases.until,
    onBegun: leases.keep,
    take: active.take,
  });
  const claims = createClaimLoop({
    store,
    name,
    log,
    now,
    time,
    capacity,
    leases,
    pollSeconds: options.pollSeconds ?? pollSecondsDefault,
    take: (taken) => void active.take(taken),
    takeQueued: (taken) =>
      void queuedRuns.take(taken).catch((error: unknown) => {
        if (!(error instanceof LeaseLost))
          log.warn({ err: error, run_id: taken.run.id }, "a queued run could not be begun");
      }),
  });
  const unsavedRuns = createUnsavedRuns({
    unsavedSeconds: options.unsavedSeconds ?? unsavedSecondsDefault,
    time,
    leaseSeconds,
    leaseUntil: leases.until,
    onStored: leases.keep,
    onRefused: withdrawn.add,
    take: active.take,
  });
  // Runs that are started before `begin` need their leases renewed, too.
  const heartbeat = createHeartbeat(
    leaseSeconds / 3,
    async () => {
      await leases.renew();
      // Before their leases are found to have expired.
      await withdrawn.cancel();
      if ((await makeMissingEntries()) > 0) claims.wake();
      await recover(ports, { name, hold }, claims.wake);
    },
    log,
  );
  let stopped = false;

  function hold(runId: string, fence: number): StepHold {
    const claim: Claim = { runId, worker: name, fence };
    const lease = leases.from();
    leases.keep(claim, lease);
    return { worker: name, fence, leaseUntil: leases.until(), lease, release: () => leases.drop(claim) };
  }

  const isShort = (): boolean => capacity.free() <= 0 || capacity.full().length > 0;

  function wakeWorkers(): void {
    claims.wake();
    options.onQueued?.();
  }

  /** The run waits its turn in the queue. The caller finds its end in the store. */
  async function startInQueue(run: PlannedRun, storeIn: StoreIn, mayBeWithdrawn: boolean): Promise<StartedRun> {
    try {
      await storeIn((db) => insertPlannedRun(db, run), run.id, false);
    } catch (error) {
      if (mayBeWithdrawn) withdrawn.add(run.id, error, "queued");
      throw error;
    } finally {
      // Also if it failed: it may be stored although the answer of its commit was lost.
      claims.leftInQueue();
    }
    options.onQueued?.();
    return { run, left: Promise.resolve(null), save: async () => {} };
  }

  return {
    name,
    async begin() {
      // Recovers at once: a process that keeps dying young would never reach its first interval.
      await Promise.all([claims.begin(), heartbeat.beat()]);
    },
    wake() {
      claims.wake();
      if (isShort()) options.onQueued?.();
    },
    async start(start, { storeIn = commit, mayBeUnsaved = false, mayBeWithdrawn = false } = {}) {
      const queued = newRun(start);
      const { takesRuns = true } = options;
      if (!takesRuns || !capacity.hasRoom(start.organizationId)) return startInQueue(queued, storeIn, mayBeWithdrawn);
      const lease = leases.from();
      const held = { worker: name, leaseUntil: leases.until(), fence: 1, claimsWithoutProgress: 1 };
      const run: PlannedRun = { ...queued, ...held, status: "running", runAt: null };
      const claim = { runId: run.id, worker: name, fence: 1 };
      if (mayBeUnsaved && !stopped) return unsavedRuns.start(run, claim, storeIn);
      await storeIn((db) => insertPlannedRun(db, run), run.id, false).catch((error) => {
        if (mayBeWithdrawn) withdrawn.add(run.id, error);
        throw error;
      });
      return { run, left: active.take({ run, claim, lease, isFresh: true }), save: async () => {} };
    },
    hold,
    async stop() {
      stopped = true;
      heartbeat.stop();
      await Promise.all([claims.stop(), unsavedRuns.stop()]);
      const patience = new Promise((resolve) => setTimeout(resolve, stopSecondsMax * 1000).unref());
      await Promise.race([Promise.all([active.settled(), heartbeat.settled(), withdrawn.stop()]), patience]);
    },
  };
}

/** The ports of all runs of one worker, which share commits and equal reads. */
function sharedPorts(ports: EnginePorts, commit: SharedCommit): Omit<WorkPorts, "onProgress"> {
  const findTogether = coalesce(
    ([projectId, id]: [string, string]) => `${projectId}\n${id}`,
    ([projectId, id]) => ports.vault.find(projectId, id),
  );
  return {
    ...ports,
    vault: { ...ports.vault, find: (projectId: string, id: string) => findTogether([projectId, id]) },
    findStop: createStopCheck(ports.store),
    commit,
    memory: ports.memory ?? createRunMemory(),
  };
}
