import type { ChangeCounts } from "./share-windows.ts";

/** What is counted: one subject of a policy. */
export interface Counted {
  policy: string;
  quota: number;
  windowMilliseconds: number;
  subject: string;
}

/** Where one call stands in its window. */
export interface CountedCall {
  /** 1 for the first call; above the quota for a call that is refused. */
  position: number;
  millisecondsLeft: number;
}

/** Counts that are the same for all processes at every moment. */
export interface ExactCounts {
  count(counted: Counted): Promise<CountedCall>;
  /** Uncounts one call. */
  refund(counted: Counted): Promise<void>;
}

interface Waiting extends Counted {
  change: 1 | -1;
  resolve(call: CountedCall): void;
  reject(error: unknown): void;
}

/** The rows of so many subjects are in one statement at most. */
const subjectsMax = 500;

/**
 * Asks the database for each call. Calls that arrive while a statement is under way share the next one, so that a flood of calls makes
 * few statements.
 */
export function createExactCounts(change: ChangeCounts, failed: (error: unknown) => void): ExactCounts {
  let queue: Waiting[] = [];
  let isUnderWay = false;

  function put(counted: Counted, by: 1 | -1): Promise<CountedCall> {
    return new Promise((resolve, reject) => {
      queue.push({ ...counted, change: by, resolve, reject });
      if (!isUnderWay) void run();
    });
  }

  async function run(): Promise<void> {
    isUnderWay = true;
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      for (const ofPolicy of Map.groupBy(batch, ({ policy }) => policy).values()) {
        const bySubject = [...Map.groupBy(ofPolicy, ({ subject }) => subject).values()];
        for (let start = 0; start < bySubject.length; start += subjectsMax) {
          await runSubjects(bySubject.slice(start, start + subjectsMax));
        }
      }
    }
    isUnderWay = false;
  }

  async function runSubjects(bySubject: readonly (readonly Waiting[])[]): Promise<void> {
    const [{ policy, quota, windowMilliseconds }] = bySubject[0] as [Waiting];
    const asks = bySubject.map((calls) => ({
      subject: calls[0]?.subject ?? "",
      change: calls.reduce((sum, call) => sum + call.change, 0),
      millisecondsLeft: windowMilliseconds,
    }));
    try {
      const counts = await change(policy, quota, asks);
      bySubject.forEach((calls, index) => {
        const { sum = 0, millisecondsLeft = 0 } = counts[index] ?? {};
        // Refunds come first: they leave room for the calls beside them.
        let position = sum - calls.filter((call) => call.change === 1).length;
        for (const call of calls) {
          if (call.change === 1) position++;
          call.resolve({ position, millisecondsLeft });
        }
      });
    } catch (error) {
      failed(error);
      for (const calls of bySubject) for (const call of calls) call.reject(error);
    }
  }

  return {
    count: (counted) => put(counted, 1),
    async refund(counted) {
      await put(counted, -1);
    },
  };
}
