import { Problem } from "../kernel/problem.ts";
import type { Budgets } from "./answer-time-budgets.ts";
import type { JobResult, OverranReason } from "./child-messages.ts";
import type { ComputeLimits } from "./compute-limits.ts";
import type { FairQueue } from "./fair-queue.ts";
import { type HelperProcess, startHelper } from "./helper-process.ts";
import type { TaskName } from "./tasks/index.ts";

export type Computed<T> = { kind: "done"; value: T } | { kind: "overran"; reason: OverranReason };

export interface Job {
  organizationId: string;
  name: TaskName;
  input: unknown;
  addedAt: number;
  resolve(computed: Computed<unknown>): void;
  reject(error: unknown): void;
}

/** A process and its current turn. */
interface Helper {
  process: HelperProcess;
  isReady: boolean;
  turn: Turn | null;
  idleSince: number;
}

/** Some jobs of one organization, one after the other in one process. */
interface Turn {
  number: number;
  organizationId: string;
  beganAt: number;
  /** In the order in which they run and finish. */
  underway: Job[];
  returned: Job[];
  lastResultAt: number;
}

export interface PoolParts {
  limits: ComputeLimits;
  queue: FairQueue<Job>;
  budgets: Budgets;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

/** The child processes. Each works for one organization at a time, for a turn. */
export class ProcessPool {
  readonly #parts: PoolParts;
  readonly #helpers = new Set<Helper>();
  #turns = 0;
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isEmpty(): boolean {
    return this.#helpers.size === 0;
  }

  /** New jobs join the current turn of their organization while the turn is young. */
  extendTurn(organizationId: string): void {
    for (const helper of this.#helpers)
      if (helper.turn?.organizationId === organizationId) this.#fill(helper, helper.turn);
  }

  /** Gives free processes to the organizations that are next, and starts another process if none is free. */
  dispatch(): void {
    const { queue } = this.#parts;
    if (queue.isEmpty()) return;
    for (const helper of this.#helpers) {
      if (!helper.isReady || helper.turn) continue;
      const organizationId = queue.next(this.#mayBegin);
      if (organizationId === null) return;
      this.#begin(helper, organizationId);
    }
    this.#startAnother();
  }

  /** Jobs that have waited too long fail, and processes that have had no work for a while end. */
  endWaits(): void {
    const { limits, queue, now } = this.#parts;
    const at = now();
    const isStale = ({ addedAt }: Job) => at - addedAt > limits.waitSecondsMax * 1000;
    for (const { key, job } of queue.dropWhile(isStale)) job.reject(exhausted(this.#parts, key, "budget"));
    for (const helper of this.#helpers) {
      if (!helper.isReady || helper.turn || at - helper.idleSince <= limits.idleSeconds * 1000) continue;
      this.#helpers.delete(helper);
      void helper.process.end();
    }
  }

  /** Ends every process and rejects all jobs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const stopping = new Error("The server is stopping.");
    const open = [...this.#helpers].flatMap(({ turn }) => [...(turn?.underway ?? []), ...(turn?.returned ?? [])]);
    const waiting = this.#parts.queue.dropWhile(() => true).map(({ job }) => job);
    for (const job of [...open, ...waiting]) job.reject(stopping);
    const ending = [...this.#helpers].map((helper) => helper.process.end());
    this.#helpers.clear();
    await Promise.all(ending);
  }

  #fill(helper: Helper, turn: Turn): void {
    const { limits, queue, budgets, now } = this.#parts;
    const { organizationId, underway } = turn;
    const isYoung = now() - turn.beganAt < limits.turnMilliseconds && turn.returned.length === 0;
    if (underway.length > 0 && !isYoung) return;
    while (underway.length < limits.pipelined && budgets.hasLeft(organizationId)) {
      const job = queue.take(organizationId);
      if (!job) return;
      underway.push(job);
      const { turnMilliseconds } = limits;
      helper.process.send({ turn: turn.number, turnMilliseconds, name: job.name, input: job.input });
    }
  }

  /** "One organization never occupies all processes": another's small job finds one free. */
  #mayBegin = (organizationId: string): boolean => {
    const { limits, budgets } = this.#parts;
    const held = [...this.#helpers].filter(({ turn }) => turn?.organizationId === organizationId).length;
    return held < Math.max(1, limits.processes - 1) && budgets.hasLeft(organizationId);
  };

  #begin(helper: Helper, organizationId: string): void {
    const at = this.#parts.now();
    this.#turns++;
    helper.turn = { number: this.#turns, organizationId, beganAt: at, lastResultAt: at, underway: [], returned: [] };
    helper.process.keepAlive(true);
    this.#fill(helper, helper.turn);
  }

  /** Starts processes one at a time, when work needs them. */
  #startAnother(): void {
    const { limits, queue, now } = this.#parts;
    const isStarting = [...this.#helpers].some(({ isReady }) => !isReady);
    if (this.#isClosed || isStarting || this.#helpers.size >= limits.processes || !queue.has(this.#mayBegin)) return;
    const helper: Helper = {
      process: startHelper(limits.memoryMegabytes, {
        ready: () => {
          helper.isReady = true;
          helper.idleSince = now();
          helper.process.keepAlive(false);
          this.dispatch();
        },
        result: (result) => this.#settle(helper, result),
        ended: (killed) => this.#replace(helper, killed ? "too long" : "too big"),
        failedToStart: (why) => this.#giveUp(helper, why),
      }),
      isReady: false,
      turn: null,
      idleSince: now(),
    };
    this.#helpers.add(helper);
  }

  #settle(helper: Helper, result: JobResult): void {
    const { now, budgets } = this.#parts;
    const { turn } = helper;
    const job = turn?.underway.shift();
    if (!turn || !job) return;
    turn.lastResultAt = now();
    if (result.kind === "returned") turn.returned.push(job);
    else {
      budgets.spend(job.organizationId, result.milliseconds);
      if (result.kind === "threw") job.reject(new Error(`The task ${job.name} failed: ${result.message}`));
      else if (result.kind === "done") job.resolve({ kind: "done", value: result.value });
      else job.resolve({ kind: "overran", reason: result.reason });
      this.#fill(helper, turn);
    }
    if (turn.underway.length === 0) this.#endTurn(helper, turn);
  }

  #endTurn(helper: Helper, turn: Turn): void {
    helper.turn = null;
    helper.idleSince = this.#parts.now();
    helper.process.keepAlive(false);
    this.#parts.queue.requeue(turn.organizationId, turn.returned);
    this.dispatch();
  }

  /**
   * A process kills itself if a job takes too long; any other exit means that memory ran out. The first unanswered job
   * was the cause. The others go to another process.
   */
  #replace(helper: Helper, reason: OverranReason): void {
    const { budgets, queue, limits, now } = this.#parts;
    this.#helpers.delete(helper);
    const { turn } = helper;
    helper.turn = null;
    const [culprit, ...others] = turn?.underway ?? [];
    if (turn && culprit) {
      const worked = now() - turn.lastResultAt;
      budgets.spend(turn.organizationId, worked + limits.replacementMilliseconds);
      queue.requeue(turn.organizationId, [...turn.returned, ...others]);
      culprit.resolve({ kind: "overran", reason });
    }
    this.dispatch();
  }

  /** A process that cannot start would be restarted forever: all waiting jobs fail, and the next job tries again. */
  #giveUp(helper: Helper, why: string): void {
    this.#helpers.delete(helper);
    if (this.#helpers.size > 0) return;
    const error = new Error(`The process for untrusted computing cannot be started: ${why}.`);
    for (const { job } of this.#parts.queue.dropWhile(() => true)) job.reject(error);
  }
}

/** The problem of an organization that has used up its budget, or has too many jobs in the queue. */
export function exhausted(
  { budgets, limits }: Pick<PoolParts, "budgets" | "limits">,
  organizationId: string,
  what: "queue" | "budget",
): Problem {
  const seconds = Math.max(1, Math.ceil(budgets.secondsUntilLeft(organizationId)));
  const detail =
    what === "queue"
      ? `More than ${limits.waitingJobsMax} expressions, schemas and the like of this organization wait already.`
      : undefined;
  return new Problem("compute_exhausted", detail, {
    headers: { "Retry-After": String(seconds) },
    more: { retry_after_seconds: seconds },
  });
}
