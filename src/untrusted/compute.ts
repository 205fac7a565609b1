import { type AnswerTime, createBudgets } from "./answer-time-budgets.ts";
import { type ComputeLimits, computeLimits } from "./compute-limits.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type Computed, exhausted, type Job, ProcessPool } from "./process-pool.ts";
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

export type { Computed } from "./process-pool.ts";

/** The organization whose computing time it takes. */
export interface ComputeFor {
  compute: Compute;
  organizationId: string;
}

export interface ComputeOptions extends Partial<ComputeLimits> {
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

const tickMilliseconds = { urgent: 100, idle: 5_000 };

export function createCompute({ now = () => performance.now(), ...wanted }: ComputeOptions = {}): Compute {
  const limits: ComputeLimits = { ...computeLimits, ...wanted };
  const queue = createFairQueue<Job>();
  const budgets = createBudgets(limits, now);
  const answerBudgets = createBudgets(limits, now);
  const parts = { limits, queue, budgets, now };
  const pool = new ProcessPool(parts);
  let timer: { timeout: NodeJS.Timeout; isUrgent: boolean } | null = null;

  function add(job: Job): void {
    if (pool.isClosed) throw new Error("Nothing is computed any more: the server is stopping.");
    if (queue.waitingOf(job.organizationId) >= limits.waitingJobsMax)
      throw exhausted(parts, job.organizationId, "queue");
    queue.add(job.organizationId, job);
    pool.extendTurn(job.organizationId);
    pool.dispatch();
    scheduleTick();
  }

  /** Runs while jobs wait or processes are idle: refills budgets, ends waits and stops idle processes. */
  function scheduleTick(): void {
    const isUrgent = !queue.isEmpty();
    if (pool.isClosed || (timer && (timer.isUrgent || !isUrgent))) return;
    if (!isUrgent && pool.isEmpty && budgets.size() + answerBudgets.size() === 0) return;
    clearTimeout(timer?.timeout);
    timer = { isUrgent, timeout: setTimeout(tick, isUrgent ? tickMilliseconds.urgent : tickMilliseconds.idle) };
    // Only waiting jobs keep the server running.
    if (!isUrgent) timer.timeout.unref();
  }

  function tick(): void {
    timer = null;
    pool.endWaits();
    budgets.forgetFull();
    answerBudgets.forgetFull();
    pool.dispatch();
    scheduleTick();
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
    close() {
      clearTimeout(timer?.timeout);
      return pool.close();
    },
  };
}
