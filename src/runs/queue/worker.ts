import type { Log } from "../../kernel/log.ts";
import { type Moment, passingTime } from "../../kernel/passing-time.ts";
import { randomBase62 } from "../../kernel/random.ts";
import { type Lease, leaseFrom } from "../../steps/fence.ts";
import { type Db, StoreUnavailable } from "../../store/db.ts";
import { shareCommits } from "../../store/share-commits.ts";
import { workOn } from "../engine/engine.ts";
import type { EnginePorts } from "../engine/ports.ts";
import { createRunMemory } from "../engine/run-memory.ts";
import type { RunLeft } from "../journal/journal.ts";
import type { PlannedRun } from "../run.ts";
import type { StepHold } from "../single-step.ts";
import { newRun, type RunStart } from "../start-run.ts";
import { createBoundary } from "./before-step.ts";
import { coalesce } from "./coalesce.ts";
import { createDueQueue } from "./due-queue.ts";
import { type Claim, insertPlannedRun, renewLeases, requeueRun } from "./queue.store.ts";
import { LeaseLost } from "./queue.ts";
import { recover } from "./recover.ts";
import { createWorkerCapacity } from "./worker-capacity.ts";

/** One process at work on runs: claim, work, settle, again. */
export interface Worker {
  /** As the rows name it that it holds. */
  name: string;
  /**
   * Recovers what an earlier process has left, and from then on claims what is due; until then it only works on what is started
   * here. Resolves after the first claim; callers need not wait for it.
   */
  begin(): Promise<void>;
  /** Something may be due: claim now. */
  wake(): void;
  /**
   * Starts a run in this process at once, past the queue, where its organization has capacity for it. Resolves when the run is
   * durable. `left` resolves when it has ended or waits; with null where it is in the queue, or another worker's. `insertIn` is the
   * transaction that makes it durable, where that holds more than the run.
   */
  start(
    start: RunStart,
    insertIn?: (insert: (db: Db) => Promise<void>, runId: string) => Promise<void>,
  ): Promise<{ run: PlannedRun; left: Promise<RunLeft | null> }>;
  /** Holds the run of a single step, which becomes durable right after. Its lease is renewed with those of the others. */
  hold(runId: string, fence: number): StepHold;
  /** Claims nothing more, and gives its runs the time to reach a boundary. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  ports: EnginePorts;
  log: Log;
  /** How many runs are worked on at once. */
  capacity?: number;
  /** How often to claim what no `wake` has announced: runs of other processes, and released leases. */
  lookEverySeconds?: number;
}

/** One organization alone gets three quarters of it. */
const capacityStandard = 86;
const lookSecondsStandard = 2;
const stopSecondsMax = 10;
const pauseSecondsMax = 60;

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
    whyStop: createBoundary(store),
    onProgress: (claim: Claim) => void progressed.add(claim),
    commit,
    memory: ports.memory ?? createRunMemory(),
  };
  const capacity = createWorkerCapacity(options.capacity ?? capacityStandard);
  const lookMilliseconds = (options.lookEverySeconds ?? lookSecondsStandard) * 1000;
  const name = `w_${randomBase62(10)}`;
  const due = createDueQueue(store, name);
  // By claim, not by run: a worker that loses a run may claim it again, and then works on it twice for a while.
  const active = new Map<Claim, Promise<RunLeft | null>>();
  const leases = new Map<Claim, Lease>();
  const time = ports.time ?? passingTime;
  let claiming: Promise<void> | null = null;
  let again = false;
  let begun = false;
  let stopped = false;

  const leaseUntil = () => new Date(ports.now().getTime() + ports.leaseSeconds * 1000).toISOString();

  /** `asked` was marked before the claim. */
  function take(run: PlannedRun, claim: Claim, asked: Moment, isFresh: boolean): Promise<RunLeft | null> {
    const leaveCapacity = capacity.take(run.organizationId, !isFresh);
    const lease = leaseFrom(asked, ports.leaseSeconds, time);
    leases.set(claim, lease);
    const working = workOn(run, claim, work, isFresh, lease)
      .catch(async (error: unknown) => {
        if (error instanceof LeaseLost) return null;
        log.error({ run_id: run.id, err: error }, "working on a run failed");
        await requeue(run, claim, error);
        return null;
      })
      .finally(() => {
        active.delete(claim);
        leaveCapacity();
        leases.delete(claim);
        if (!stopped) wake();
      });
    active.set(claim, working);
    return working;
  }

  /** The run goes back into the queue, with a backoff. Where even this fails, its lease expires, and it is recovered. */
  async function requeue(run: PlannedRun, claim: Claim, error: unknown): Promise<void> {
    const before = progressed.has(claim) ? 0 : run.failures;
    // A store that is unavailable is no fault of the run.
    const failures = error instanceof StoreUnavailable ? before : before + 1;
    const seconds = Math.min(pauseSecondsMax, 2 ** failures);
    const runAt = new Date(ports.now().getTime() + seconds * 1000).toISOString();
    await store
      .transaction((db) => requeueRun(db, claim, { runAt, failures }))
      .catch((cause: unknown) =>
        log.warn(
          { run_id: run.id, err: cause },
          "putting a run back into the queue failed; it goes on when its lease expires",
        ),
      );
  }

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
    if (free <= 0) return;
    const now = ports.now().toISOString();
    const asked = time.mark();
    const { runs, next } = await due.claim({ now, leaseUntil: leaseUntil() }, free, capacity.full());
    for (const run of runs) void take(run, { runId: run.id, worker: name, fence: run.fence }, asked, false);
    if (runs.length > 0) again = true;
    else if (next !== null && next > now) scheduleAt(next);
  }

  let timer: NodeJS.Timeout | null = null;
  function scheduleAt(due: string): void {
    if (timer) clearTimeout(timer);
    const milliseconds = Math.max(5, new Date(due).getTime() - ports.now().getTime());
    if (milliseconds > lookMilliseconds) return;
    timer = setTimeout(wake, milliseconds);
    timer.unref();
  }

  async function heartbeat(): Promise<void> {
    const held = [...leases.keys()].map(({ runId }) => runId);
    const asked = time.mark();
    const until = leaseUntil();
    const renewed = held.length > 0 ? await store.transaction((db) => renewLeases(db, name, held, until)) : [];
    const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
    for (const [claim, lease] of leases) {
      if (fences.get(claim.runId) === claim.fence) lease.renewed(asked, ports.leaseSeconds);
    }
    await recover(ports, { name, hold }, wake);
  }
  let beating: Promise<void> = Promise.resolve();
  const beat = () => {
    beating = heartbeat().catch((error: unknown) =>
      log.warn({ err: error }, "renewing leases or recovering runs failed, will be tried again"),
    );
  };
  // Runs that are started here before `begin` need their leases, too.
  const timers = [setInterval(beat, (ports.leaseSeconds * 1000) / 3).unref()];
  async function begin(): Promise<void> {
    begun = true;
    const rescan = () => {
      due.rescan();
      wake();
    };
    timers.push(setInterval(rescan, lookMilliseconds).unref());
    // Interrupted runs go on at once: a process that dies young again and again would never reach its first interval.
    wake();
    beat();
    await Promise.all([claiming, beating]);
  }

  function hold(runId: string, fence: number): StepHold {
    const claim: Claim = { runId, worker: name, fence };
    const lease = leaseFrom(time.mark(), ports.leaseSeconds, time);
    leases.set(claim, lease);
    return { worker: name, fence, leaseUntil: leaseUntil(), lease, release: () => void leases.delete(claim) };
  }

  return {
    name,
    begin,
    wake,
    async start(start, insertIn = commit) {
      const queued = newRun(start);
      if (!capacity.hasRoom(start.organizationId)) {
        // It takes its turn among the waiting runs of its organization; the caller finds its end in the store.
        await insertIn((db) => insertPlannedRun(db, queued), queued.id);
        wake();
        return { run: queued, left: Promise.resolve(null) };
      }
      const asked = time.mark();
      const held = { worker: name, leaseUntil: leaseUntil(), fence: 1, claimsWithoutProgress: 1 };
      const run: PlannedRun = { ...queued, ...held, status: "running", runAt: null };
      await insertIn((db) => insertPlannedRun(db, run), run.id);
      return { run, left: take(run, { runId: run.id, worker: name, fence: 1 }, asked, true) };
    },
    hold,
    async stop() {
      stopped = true;
      for (const each of timers) clearInterval(each);
      if (timer) clearTimeout(timer);
      await claiming;
      const patience = new Promise((resolve) => setTimeout(resolve, stopSecondsMax * 1000).unref());
      await Promise.race([Promise.allSettled([...active.values(), beating]), patience]);
    },
  };
}
