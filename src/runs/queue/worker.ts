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
import { settleAbandoned } from "../reconcile/settle-abandoned.ts";
import type { PlannedRun } from "../run.ts";
import type { StepHold } from "../single-step.ts";
import { newRun, type RunStart } from "../start-run.ts";
import { createBoundary } from "./before-step.ts";
import { askTogether } from "./coalesce.ts";
import { createDueLine } from "./due-runs.ts";
import { type Claim, giveBackExpired, insertPlannedRun, LeaseLost, putRunDown, renewRuns } from "./queue.ts";
import { wakeRunsOfTheGone } from "./waiting-owners.ts";
import { createWorkerPlaces } from "./worker-capacity.ts";

/** One process at work on runs: claim, work, settle, again. */
export interface Worker {
  /** By which rows say in whose hands they are. */
  name: string;
  /**
   * Takes up what an earlier process has left, and from then on whatever is due; until then only what is started here. Resolves
   * when it has looked once, which nobody need wait for.
   */
  begin(): Promise<void>;
  /** Something may be due: look now. */
  wake(): void;
  /**
   * Starts a run in this process at once, without a detour through the queue, where its organization has room for it. Resolves when it is durable; `left` resolves
   * when it has ended, waits for something, or is in the queue or another worker's (null). `insertIn` is the transaction that
   * makes it durable, where it holds more than the run.
   */
  start(
    start: RunStart,
    insertIn?: (insert: (db: Db) => Promise<void>, runId: string) => Promise<void>,
  ): Promise<{ run: PlannedRun; left: Promise<RunLeft | null> }>;
  /** Takes the run of a single step, which is made durable right after: its lease is that of the others, renewed with theirs. */
  hold(runId: string, fence: number): StepHold;
  /** Takes up nothing more, and gives what it is doing the time to come to a boundary. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  ports: EnginePorts;
  log: Log;
  /** How many runs are worked on at once. */
  capacity?: number;
  /** How often to look for what nobody has told of: runs of other processes, and leases that ran out. */
  lookEverySeconds?: number;
}

/** One organization alone has three quarters of them. */
const capacityStandard = 86;
const lookSecondsStandard = 2;
const stopSecondsMax = 10;
const pauseSecondsMax = 60;

export function createWorker({ ports, log, ...options }: WorkerOptions): Worker {
  const { store } = ports;
  const commit = shareCommits(store);
  const findTogether = askTogether(
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
  const places = createWorkerPlaces(options.capacity ?? capacityStandard);
  const lookMilliseconds = (options.lookEverySeconds ?? lookSecondsStandard) * 1000;
  const name = `w_${randomBase62(10)}`;
  const line = createDueLine(store, name);
  // By claim, not by run: who loses a run may be the one that claims it again, and then works on it twice for a while.
  const active = new Map<Claim, Promise<RunLeft | null>>();
  const leases = new Map<Claim, Lease>();
  const time = ports.time ?? passingTime;
  let looking: Promise<void> | null = null;
  let again = false;
  let begun = false;
  let stopped = false;

  const leaseUntil = () => new Date(ports.now().getTime() + ports.leaseSeconds * 1000).toISOString();

  /** `asked` is when it was claimed, marked before. */
  function take(run: PlannedRun, claim: Claim, asked: Moment, isFresh: boolean): Promise<RunLeft | null> {
    const leave = places.take(run.organizationId, !isFresh);
    const lease = leaseFrom(asked, ports.leaseSeconds, time);
    leases.set(claim, lease);
    const working = workOn(run, claim, work, isFresh, lease)
      .catch(async (error: unknown) => {
        if (error instanceof LeaseLost) return null;
        log.error({ run_id: run.id, err: error }, "working on a run failed");
        await putDown(run, claim, error);
        return null;
      })
      .finally(() => {
        active.delete(claim);
        leave();
        leases.delete(claim);
        if (!stopped) wake();
      });
    active.set(claim, working);
    return working;
  }

  /** Whatever broke, the run is not lost: it is taken up again after a while, and where even this fails, its lease runs out. */
  async function putDown(run: PlannedRun, claim: Claim, error: unknown): Promise<void> {
    const before = progressed.has(claim) ? 0 : run.failures;
    // A store that is away is no fault of the run.
    const failures = error instanceof StoreUnavailable ? before : before + 1;
    const seconds = Math.min(pauseSecondsMax, 2 ** failures);
    const runAt = new Date(ports.now().getTime() + seconds * 1000).toISOString();
    await store.transaction((db) => putRunDown(db, claim, { runAt, failures })).catch(() => {});
  }

  function wake(): void {
    if (!begun || stopped) return;
    if (looking) {
      again = true;
      return;
    }
    looking = look()
      .catch((error: unknown) => log.warn({ err: error }, "looking for runs failed, will be tried again"))
      .finally(() => {
        looking = null;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  async function look(): Promise<void> {
    const free = places.free();
    if (free <= 0) return;
    const now = ports.now().toISOString();
    const asked = time.mark();
    const { runs, next } = await line.claim({ now, leaseUntil: leaseUntil() }, free, places.full());
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

  async function tend(): Promise<void> {
    const held = [...leases.keys()].map(({ runId }) => runId);
    const now = ports.now().toISOString();
    const asked = time.mark();
    const until = leaseUntil();
    const { renewed, givenBack } = await store.transaction(async (db) => ({
      renewed: held.length > 0 ? await renewRuns(db, name, held, until) : [],
      givenBack: await giveBackExpired(db, now),
    }));
    const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
    for (const [claim, lease] of leases) {
      if (fences.get(claim.runId) === claim.fence) lease.renewed(asked, ports.leaseSeconds);
    }
    const ofTheGone = await wakeRunsOfTheGone(store, ports.now());
    if (givenBack + ofTheGone > 0) wake();
    await settleAbandoned(ports, { name, hold });
  }
  let tending: Promise<void> = Promise.resolve();
  const tendNext = () => {
    tending = tend().catch((error: unknown) => log.warn({ err: error }, "renewing leases failed"));
  };
  // What is started here before it has begun is held, too.
  const timers = [setInterval(tendNext, (ports.leaseSeconds * 1000) / 3).unref()];
  async function begin(): Promise<void> {
    begun = true;
    const lookAtAll = () => {
      line.lookFromTheBeginning();
      wake();
    };
    timers.push(setInterval(lookAtAll, lookMilliseconds).unref());
    // What was cut off goes on at once, be it only for as long as this process lives: one that dies young again and again
    // would never come to its first look.
    wake();
    tendNext();
    await Promise.all([looking, tending]);
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
      if (!places.hasRoom(start.organizationId)) {
        // Its turn comes with those of its organization that wait already; whoever started it looks for its end in the store.
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
      await looking;
      const patience = new Promise((resolve) => setTimeout(resolve, stopSecondsMax * 1000).unref());
      await Promise.race([Promise.allSettled([...active.values(), tending]), patience]);
    },
  };
}
