import { elapsedTime } from "../../kernel/elapsed-time.ts";
import type { Log } from "../../kernel/log.ts";
import { randomBase62 } from "../../kernel/random.ts";
import { isoTime } from "../../kernel/times.ts";
import { type Span, startSpan, withinSpan } from "../../kernel/tracing.ts";
import { shareCommits } from "../../store/share-commits.ts";
import { workOn } from "../engine/engine.ts";
import type { RunLeft } from "../journal/journal.ts";
import type { EnginePorts } from "../outcome/ports.ts";
import { createDueQueue } from "../queue/due-queue.ts";
import { createHeldLeases } from "../queue/held-leases.ts";
import { type Claim, insertPlannedRun, LeaseLost } from "../queue/queue.ts";
import { requeueFailed } from "../queue/requeue-failed.ts";
import { createRunMemory } from "../queue/run-memory.ts";
import { newRun, type RunStart } from "../queue/start-run.ts";
import { type PlannedRun, parentOf } from "../record/run-record.ts";
import type { StepHold } from "../single-step/single-step.ts";
import { coalesce } from "./coalesce.ts";
import { recover } from "./recover-after-crash.ts";
import type { StartedRun, StartOptions, TakenRun } from "./started-run.ts";
import { createStopCheck } from "./stop-check.ts";
import { createUnsavedRuns, NotStored, throwCause } from "./unsaved-runs.ts";
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
  /** A run may be due: claim now. */
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
  const { store } = ports;
  const commit = shareCommits(store);
  const findTogether = coalesce(
    ([projectId, id]: [string, string]) => `${projectId}\n${id}`,
    ([projectId, id]) => ports.vault.find(projectId, id),
  );
  const progressed = new WeakSet<Claim>();
  const work = {
    ...ports,
    vault: { ...ports.vault, find: (projectId: string, id: string) => findTogether([projectId, id]) },
    findStop: createStopCheck(store),
    onProgress: (claim: Claim) => void progressed.add(claim),
    commit,
    memory: ports.memory ?? createRunMemory(),
  };
  const { takesRuns = true } = options;
  const capacity = createWorkerCapacity(options.capacity ?? capacityDefault);
  const pollMilliseconds = (options.pollSeconds ?? pollSecondsDefault) * 1000;
  const name = `w_${randomBase62(10)}`;
  const due = createDueQueue(store, name);
  // Keyed by claim, not by run: a worker that loses a run may claim it again, and then works on it twice for a while.
  const active = new Map<Claim, Promise<RunLeft | null>>();
  const time = ports.time ?? elapsedTime;
  const leases = createHeldLeases({ store, worker: name, leaseSeconds: ports.leaseSeconds, now: ports.now, time });
  const withdrawn = createWithdrawnRuns(store, ports.now);
  let claiming: Promise<void> | null = null;
  let again = false;
  /** Whether due runs may have been left in the queue because there was no capacity for them. */
  let isShort = false;
  let begun = false;
  let stopped = false;

  function take({ run, claim, lease, isFresh, unsaved }: TakenRun): Promise<RunLeft | null> {
    const leaveCapacity = capacity.take(run.organizationId, !isFresh);
    if (!unsaved) leases.keep(claim, lease);
    const span = startRunSpan(run);
    let mayBeDue = true;
    const working = withinSpan(span, () => workOn({ run, claim, isFresh, fence: lease, unsaved }, work))
      .then((left) => {
        const { status, problem, finishedAt } = left.end;
        span?.set({ "signalbox.run_status": status });
        span?.end(problem?.code);
        if (finishedAt !== null) ports.meter?.runEnded(run.work.kind, status);
        // A run that waits may be due soon, and the end of a run makes its parent due.
        mayBeDue = finishedAt === null || parentOf(run) !== null;
        return left;
      })
      .catch(async (error: unknown) => {
        span?.end(error instanceof LeaseLost ? "lease_lost" : "internal");
        if (error instanceof LeaseLost) return null;
        if (error instanceof NotStored) throwCause(error);
        // Nothing of it has happened, and its caller gets the error.
        if (unsaved && !(await unsaved.isStored())) throw error;
        log.error({ run_id: run.id, err: error }, "working on a run failed");
        await requeueFailed(
          { run, claim, error, hasProgressed: progressed.has(claim) },
          { store, now: ports.now, log },
        );
        return null;
      })
      .finally(() => {
        active.delete(claim);
        leaveCapacity();
        leases.drop(claim);
        if (!stopped && (mayBeDue || isShort)) wake();
      });
    active.set(claim, working);
    return working;
  }

  const unsavedRuns = createUnsavedRuns({
    unsavedSeconds: options.unsavedSeconds ?? unsavedSecondsDefault,
    time,
    leaseSeconds: ports.leaseSeconds,
    leaseUntil: leases.until,
    onStored: leases.keep,
    onRefused: withdrawn.add,
    take,
  });

  function wake(): void {
    if (!begun || stopped) return;
    if (claiming) {
      again = true;
      return;
    }
    claiming = claimDue()
      .catch((error: unknown) => log.warn({ err: error }, "claiming runs failed, will be tried again"))
      .finally(() => {
        claiming = null;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  async function claimDue(): Promise<void> {
    const free = capacity.free();
    const full = capacity.full();
    isShort = free <= 0 || full.length > 0;
    if (free <= 0) return;
    const now = isoTime(ports.now());
    const askedAt = time.mark();
    const { runs, next } = await due.claim({ now, leaseUntil: leases.until() }, free, full);
    for (const run of runs) {
      const lease = leases.from(askedAt);
      void take({ run, claim: { runId: run.id, worker: name, fence: run.fence }, lease, isFresh: false });
    }
    if (runs.length > 0) again = true;
    else if (next !== null && next > now) scheduleAt(next);
  }

  let timer: NodeJS.Timeout | null = null;
  function scheduleAt(due: string): void {
    if (timer) clearTimeout(timer);
    const milliseconds = Math.max(5, new Date(due).getTime() - ports.now().getTime());
    if (milliseconds > pollMilliseconds) return;
    timer = setTimeout(wake, milliseconds);
    timer.unref();
  }

  async function heartbeat(): Promise<void> {
    await leases.renew();
    // Before their leases are found to have expired.
    if ((await withdrawn.cancel()) > 0) wake();
    await recover(ports, { name, hold }, wake);
  }
  const heartbeats = new Set<Promise<void>>();
  const beat = () => {
    const beating = heartbeat()
      .catch((error: unknown) =>
        log.warn({ err: error }, "renewing leases or recovering runs failed, will be tried again"),
      )
      .finally(() => heartbeats.delete(beating));
    heartbeats.add(beating);
  };
  // Runs that are started before `begin` need their leases renewed, too.
  const timers = [setInterval(beat, (ports.leaseSeconds * 1000) / 3).unref()];
  async function begin(): Promise<void> {
    begun = true;
    const rescan = () => {
      due.rescan();
      wake();
    };
    timers.push(setInterval(rescan, pollMilliseconds).unref());
    // Recovers at once: a process that keeps dying young would never reach its first interval.
    wake();
    beat();
    await Promise.all([claiming, ...heartbeats]);
  }

  function hold(runId: string, fence: number): StepHold {
    const claim: Claim = { runId, worker: name, fence };
    const lease = leases.from();
    leases.keep(claim, lease);
    return { worker: name, fence, leaseUntil: leases.until(), lease, release: () => leases.drop(claim) };
  }

  return {
    name,
    begin,
    wake,
    async start(start, { storeIn = commit, mayBeUnsaved = false, mayBeWithdrawn = false } = {}) {
      const queued = newRun(start);
      const save = async () => {};
      if (!takesRuns || !capacity.hasRoom(start.organizationId)) {
        // The run waits its turn in the queue. The caller finds its end in the store.
        isShort = true;
        await storeIn((db) => insertPlannedRun(db, queued), queued.id, false);
        wake();
        options.onQueued?.();
        return { run: queued, left: Promise.resolve(null), save };
      }
      const lease = leases.from();
      const held = { worker: name, leaseUntil: leases.until(), fence: 1, claimsWithoutProgress: 1 };
      const run: PlannedRun = { ...queued, ...held, status: "running", runAt: null };
      const claim = { runId: run.id, worker: name, fence: 1 };
      if (mayBeUnsaved && !stopped) return unsavedRuns.start(run, claim, storeIn);
      await storeIn((db) => insertPlannedRun(db, run), run.id, false).catch((error) => {
        if (mayBeWithdrawn) withdrawn.add(run.id, error);
        throw error;
      });
      return { run, left: take({ run, claim, lease, isFresh: true }), save };
    },
    hold,
    async stop() {
      stopped = true;
      for (const each of timers) clearInterval(each);
      if (timer) clearTimeout(timer);
      await Promise.all([claiming, unsavedRuns.stop()]);
      const patience = new Promise((resolve) => setTimeout(resolve, stopSecondsMax * 1000).unref());
      await Promise.race([Promise.allSettled([...active.values(), ...heartbeats]), patience]);
    },
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
