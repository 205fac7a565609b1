import { createLimits } from "../../../src/limits/limits.ts";
import { retryAt, triesAfter } from "../../../src/runs/outcome/retry-step.ts";
import { waiting } from "../../../src/runs/outcome/stop-run.ts";
import { createDueQueue } from "../../../src/runs/queue/due-queue.ts";
import { renewLeases } from "../../../src/runs/queue/queue.store.ts";
import {
  beginQueuedRun,
  type Claim,
  LeaseLost,
  leaveRun,
  type RunEnd,
  releaseExpiredLeases,
} from "../../../src/runs/queue/queue.ts";
import { createWorkerCapacity } from "../../../src/runs/worker/worker-capacity.ts";
import { toProblem } from "../../../src/steps/to-problem.ts";
import type { Store } from "../../../src/store/db.ts";
import { failed } from "../../../src/systems/fail-step.ts";
import { type Failure, StepFailed } from "../../../src/systems/work.ts";
import type { Organization } from "./tenants.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One run: due at a time, done after its last call. What is left of its calls stands for its journal. */
export interface Run {
  id: string;
  organization: Organization;
  dueAt: number;
  takenAt: number | null;
  callsLeft: number;
  /** Of its next call. */
  tries: number;
  /** Calls that a system failed. */
  failures: number;
  /** How many living nodes work on it now. */
  workers: number;
  doneAt: number | null;
}

export interface NodeParts {
  name: string;
  store: Store;
  time: VirtualTime;
  random: () => number;
  /** How many nodes the region has. */
  nodes(): number;
  runOf(id: string): Run;
  startDue(): Promise<unknown>;
  /** Runs may be due. */
  wake(): void;
  /** A system refused a call because of a limit. */
  overrun(): void;
  /** A node began a run that another one works on. */
  doubled(): void;
  note(what: string): void;
}

/** What a claim took; whether no due run is left that any node could take; and when the next is due. */
interface Claimed {
  count: number;
  isQueueEmpty: boolean;
  next: number | null;
}

export interface Node {
  claim(): Promise<Claimed>;
  /** Without a word to anybody. */
  die(): void;
}

/** As in the product: its defaults, or constants of its worker, its schedule clock and its engine. */
const capacityOfNode = 86;
const [leaseMs, schedulesMs, holdMs] = [30_000, 5_000, 1_000];
export const pollMs = 2_000;

/**
 * One process that works on runs. Its limiter, its capacity, its claims, leases and retries are the product's code and
 * statements; the loop around them does what `src/runs/worker/claim-loop.ts` and `heartbeat.ts` do with the timers of a process.
 */
export function createNode({ name, store, time, random, nodes, ...parts }: NodeParts): Node {
  let isAlive = true;
  let isShort = false;
  const clock = time.clockOf(() => isAlive, random);
  const limits = createLimits({ store, time: "own", process: name, processes: nodes, clock });
  const capacity = createWorkerCapacity(capacityOfNode);
  const due = createDueQueue(store, name);
  const held = new Set<string>();
  const iso = (milliseconds = 0): string => new Date(time.now() + milliseconds).toISOString();

  async function claim(): Promise<Claimed> {
    const [free, full] = [capacity.free(), capacity.full()];
    isShort = free <= 0 || full.length > 0;
    if (free <= 0 || !isAlive) return { count: 0, isQueueEmpty: false, next: null };
    const now = iso();
    const { runs, haveBegun, next } = await due.claim({ now, leaseUntil: iso(leaseMs) }, free, full);
    for (const { id, fence } of runs) {
      const claim = { runId: id, worker: name, fence: haveBegun ? fence : 1 };
      if (!haveBegun) await store.transaction((db) => beginQueuedRun(db, claim, iso(leaseMs)));
      void work(parts.runOf(id), claim);
    }
    const isQueueEmpty = runs.length === 0 && full.length === 0;
    return { count: runs.length, isQueueEmpty, next: next !== null && next > now ? Date.parse(next) : null };
  }

  async function work(run: Run, claim: Claim): Promise<void> {
    const leave = capacity.take(run.organization.id, true);
    held.add(run.id);
    if (run.workers++ > 0) parts.doubled();
    run.takenAt ??= time.now();
    parts.note(`${name} takes ${run.id} ${claim.fence}`);
    let end: RunEnd | null = null;
    while (run.callsLeft > 0 && end === null && isAlive) end = await callOnce(run);
    if (isAlive) await settle(run, claim, end ?? succeeded(iso()));
    if (held.delete(run.id)) run.workers--;
    leave();
    if (isAlive && (end !== null || isShort)) parts.wake();
  }

  /** Null after a call that succeeded; otherwise what the run waits for. */
  async function callOnce(run: Run): Promise<RunEnd | null> {
    const { id, projectId, account } = run.organization;
    const caller = { id: run.id, organizationId: id, projectId, connectionId: id, runId: run.id };
    try {
      const permit = await limits.admit(account.demands, caller, new Date(time.now() + holdMs), { willRetry: true });
      if (!isAlive) return null;
      const outcome = await account.call();
      if (!isAlive) return null;
      await permit.settle("reports" in outcome ? outcome.reports : [], "arrived");
      if (outcome.kind === "refused") {
        parts.overrun();
        return waitsUntil(time.now() + 1000);
      }
      if (outcome.kind !== "answered") {
        run.failures++;
        return afterFailure(run, failed("system_unavailable", "give up", outcome.kind));
      }
      run.callsLeft--;
      run.tries = 0;
      return null;
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return afterFailure(run, error.failure);
    }
  }

  function afterFailure(run: Run, failure: Failure): RunEnd {
    const now = new Date(time.now());
    const problem = toProblem(failure, run.id, now);
    const tried = { isRepeatable: true, tries: run.tries, refusals: 0, startedAt: now.toISOString() };
    const at = retryAt(problem, tried, now);
    run.tries = triesAfter(problem, run.tries);
    return at === null ? { ...succeeded(now.toISOString()), status: "failed" } : waitsUntil(at.getTime());
  }

  async function settle(run: Run, claim: Claim, end: RunEnd): Promise<void> {
    try {
      await store.transaction((db) => leaveRun(db, claim, end));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return parts.note(`${name} lost ${run.id}`);
    }
    if (end.status === "succeeded") run.doneAt = time.now();
    parts.note(`${name} leaves ${run.id} ${end.status}`);
  }

  async function beat(): Promise<void> {
    const ids = [...held];
    if (ids.length > 0) await store.transaction((db) => renewLeases(db, name, ids, iso(leaseMs)));
    if (!isAlive) return;
    if ((await store.transaction((db) => releaseExpiredLeases(db, iso()))) > 0) parts.wake();
  }

  /** At once, and then regularly from a moment by chance: nodes do not start together. */
  function every(milliseconds: number, task: () => unknown): void {
    const repeat = (): void => {
      if (!isAlive) return;
      task();
      time.after(milliseconds, repeat);
    };
    task();
    time.after(random() * milliseconds, repeat);
  }

  every(leaseMs / 3, beat);
  every(schedulesMs, parts.startDue);
  every(pollMs, () => {
    due.rescan();
    parts.wake();
  });

  return {
    claim,
    die() {
      isAlive = false;
      for (const id of held) parts.runOf(id).workers--;
      held.clear();
    },
  };
}

const succeeded = (finishedAt: string): RunEnd => ({
  ...{ status: "succeeded", output: null, problem: null, waitingFor: null, runAt: null, finishedAt },
});

const waitsUntil = (at: number): RunEnd => {
  const runAt = new Date(at);
  return waiting({ waitingFor: { kind: "limit", step: "call", detail: "", until: runAt.toISOString() }, runAt });
};
