import { Problem } from "../kernel/problem.ts";
import { type AnswerTime, type Budgets, createBudgets } from "./answer-time-budgets.ts";
import type { JobResult, OverranReason } from "./child-messages.ts";
import { type ComputeLimits, computeLimits } from "./compute-limits.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type HelperProcess, startHelper } from "./helper-process.ts";
import type { TaskInput, TaskName, TaskOutput } from "./tasks/index.ts";

/**
 * All computing that users or external systems choose runs here: in child processes, with deadlines, budgets and turns.
 */
export interface Compute {
  /**
   * Runs one task for an organization in a child process; the input is copied there. Throws the problem
   * `compute_exhausted` if the organization's budget or queue is used up. Resolves to a failure if the task itself took
   * too much. Never call it inside a transaction: it may wait for its turn.
   */
  run<Name extends TaskName>(
    organizationId: string,
    name: Name,
    input: TaskInput<Name>,
  ): Promise<Computed<TaskOutput<Name>>>;
  /** As large a budget again, for large answers of systems that the event loop redacts in slices. */
  answerTime: AnswerTime;
  /** Ends every process and rejects all waiting jobs. */
  close(): Promise<void>;
}

export type Computed<T> = { kind: "done"; value: T } | { kind: "overran"; reason: OverranReason };

/** The organization whose computing time it takes. */
export interface ComputeFor {
  compute: Compute;
  organizationId: string;
}

export interface ComputeOptions extends Partial<ComputeLimits> {
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

interface Job {
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

interface Turn {
  number: number;
  organizationId: string;
  beganAt: number;
  /** In the order in which they run and finish. */
  underway: Job[];
  returned: Job[];
  lastResultAt: number;
}

const tickMilliseconds = { urgent: 100, idle: 5_000 };

export function createCompute({ now = () => performance.now(), ...wanted }: ComputeOptions = {}): Compute {
  const limits: ComputeLimits = { ...computeLimits, ...wanted };
  const queue = createFairQueue<Job>();
  const budgets: Budgets = createBudgets(limits, now);
  const answerBudgets: Budgets = createBudgets(limits, now);
  const helpers = new Set<Helper>();
  let turns = 0;
  let timer: { timeout: NodeJS.Timeout; isUrgent: boolean } | null = null;
  let isClosed = false;

  function add(job: Job): void {
    if (isClosed) throw new Error("Nothing is computed any more: the server is stopping.");
    if (queue.waitingOf(job.organizationId) >= limits.waitingJobsMax) throw exhausted(job.organizationId, "queue");
    queue.add(job.organizationId, job);
    extendTurn(job.organizationId);
    dispatch();
    scheduleTick();
  }

  /** New jobs join the current turn of their organization while the turn is young. */
  function extendTurn(organizationId: string): void {
    for (const helper of helpers) if (helper.turn?.organizationId === organizationId) fill(helper, helper.turn);
  }

  function fill(helper: Helper, turn: Turn): void {
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
  function mayBegin(organizationId: string): boolean {
    const held = [...helpers].filter(({ turn }) => turn?.organizationId === organizationId).length;
    return held < Math.max(1, limits.processes - 1) && budgets.hasLeft(organizationId);
  }

  function dispatch(): void {
    if (queue.isEmpty()) return;
    for (const helper of helpers) {
      if (!helper.isReady || helper.turn) continue;
      const organizationId = queue.next(mayBegin);
      if (organizationId === null) return;
      begin(helper, organizationId);
    }
    startAnother();
  }

  function begin(helper: Helper, organizationId: string): void {
    const at = now();
    turns++;
    helper.turn = { number: turns, organizationId, beganAt: at, lastResultAt: at, underway: [], returned: [] };
    helper.process.keepAlive(true);
    fill(helper, helper.turn);
  }

  /** Starts processes one at a time, when work needs them. */
  function startAnother(): void {
    const isStarting = [...helpers].some(({ isReady }) => !isReady);
    if (isClosed || isStarting || helpers.size >= limits.processes || !queue.has(mayBegin)) return;
    const helper: Helper = {
      process: startHelper(limits.memoryMegabytes, {
        ready() {
          helper.isReady = true;
          helper.idleSince = now();
          helper.process.keepAlive(false);
          dispatch();
        },
        result: (result) => settle(helper, result),
        ended: (killed) => replace(helper, killed ? "too long" : "too big"),
        failedToStart: (why) => giveUp(helper, why),
      }),
      isReady: false,
      turn: null,
      idleSince: now(),
    };
    helpers.add(helper);
  }

  function settle(helper: Helper, result: JobResult): void {
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
      fill(helper, turn);
    }
    if (turn.underway.length === 0) endTurn(helper, turn);
  }

  function endTurn(helper: Helper, turn: Turn): void {
    helper.turn = null;
    helper.idleSince = now();
    helper.process.keepAlive(false);
    queue.requeue(turn.organizationId, turn.returned);
    dispatch();
  }

  /**
   * A process kills itself if a job takes too long; any other exit means that memory ran out. The first unanswered job
   * was the cause. The others go to another process.
   */
  function replace(helper: Helper, reason: OverranReason): void {
    helpers.delete(helper);
    const { turn } = helper;
    helper.turn = null;
    const [culprit, ...others] = turn?.underway ?? [];
    if (turn && culprit) {
      const worked = now() - turn.lastResultAt;
      budgets.spend(turn.organizationId, worked + limits.replacementMilliseconds);
      queue.requeue(turn.organizationId, [...turn.returned, ...others]);
      culprit.resolve({ kind: "overran", reason });
    }
    dispatch();
  }

  /** A process that cannot start would be restarted forever: all waiting jobs fail, and the next job tries again. */
  function giveUp(helper: Helper, why: string): void {
    helpers.delete(helper);
    if (helpers.size > 0) return;
    const error = new Error(`The process for untrusted computing cannot be started: ${why}.`);
    for (const { job } of queue.dropWhile(() => true)) job.reject(error);
  }

  function exhausted(organizationId: string, what: "queue" | "budget"): Problem {
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

  /** Runs while jobs wait or processes are idle: refills budgets, ends waits and stops idle processes. */
  function scheduleTick(): void {
    const isUrgent = !queue.isEmpty();
    if (isClosed || (timer && (timer.isUrgent || !isUrgent))) return;
    if (!isUrgent && helpers.size === 0 && budgets.size() + answerBudgets.size() === 0) return;
    clearTimeout(timer?.timeout);
    timer = { isUrgent, timeout: setTimeout(tick, isUrgent ? tickMilliseconds.urgent : tickMilliseconds.idle) };
    // Only waiting jobs keep the server running.
    if (!isUrgent) timer.timeout.unref();
  }

  function tick(): void {
    timer = null;
    const at = now();
    const isStale = ({ addedAt }: Job) => at - addedAt > limits.waitSecondsMax * 1000;
    for (const { key, job } of queue.dropWhile(isStale)) job.reject(exhausted(key, "budget"));
    for (const helper of helpers) {
      const isIdle = helper.isReady && !helper.turn && at - helper.idleSince > limits.idleSeconds * 1000;
      if (isIdle) end(helper);
    }
    budgets.forgetFull();
    answerBudgets.forgetFull();
    dispatch();
    scheduleTick();
  }

  function end(helper: Helper): void {
    helpers.delete(helper);
    void helper.process.end();
  }

  return {
    run: <Name extends TaskName>(organizationId: string, name: Name, input: TaskInput<Name>) =>
      new Promise<Computed<TaskOutput<Name>>>((resolve, reject) => {
        add({
          organizationId,
          name,
          input,
          addedAt: now(),
          resolve: (computed) => resolve(computed as Computed<TaskOutput<Name>>),
          reject,
        });
      }),
    answerTime: {
      ...answerBudgets,
      spend(organizationId, milliseconds) {
        answerBudgets.spend(organizationId, milliseconds);
        scheduleTick();
      },
    },
    async close() {
      isClosed = true;
      clearTimeout(timer?.timeout);
      const stopping = new Error("The server is stopping.");
      const open = [...helpers].flatMap(({ turn }) => [...(turn?.underway ?? []), ...(turn?.returned ?? [])]);
      for (const job of [...open, ...queue.dropWhile(() => true).map(({ job }) => job)]) job.reject(stopping);
      const ending = [...helpers].map((helper) => helper.process.end());
      helpers.clear();
      await Promise.all(ending);
    },
  };
}
