import { StoreUnavailable } from "../../../store/db.ts";
import type { ChangeCounts, CountClock } from "./share-windows.ts";

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
  /**
   * Counts one call, and `owed` earlier ones that this process had to count for itself. Rejects with `CountUnavailable` if the database
   * does not respond in time. What is counted in one turn of the event loop is in one statement.
   */
  count(counted: Counted, owed: number): Promise<CountedCall>;
  /** Uncounts one call. */
  refund(counted: Counted): Promise<void>;
  close(): void;
}

/** This process has to count the call for itself. */
export class CountUnavailable extends StoreUnavailable {
  /** Whether it was sent. Then the database may have counted it, and it is not sent again. */
  readonly wasSent: boolean;
  constructor(wasSent: boolean, cause: unknown) {
    super("unreachable", cause);
    this.wasSent = wasSent;
  }
}

export interface ExactParts {
  clock: CountClock;
  change: ChangeCounts;
  /** The database does not count: until `back`, calls are not sent. */
  failed(error: unknown): void;
  back(): void;
}

interface Waiting extends Counted {
  change: number;
  since: number;
  resolve(call: CountedCall): void;
  reject(error: unknown): void;
}

/** The rows of so many subjects are in one statement at most. */
const subjectsMax = 500;
/** A call waits this long. Sign-in must neither hang behind a database that does not respond, nor go uncounted. */
const patienceMilliseconds = 2_000;
const retryMilliseconds = 1_000;

/**
 * Asks the database for each call. Calls that arrive while a statement is under way share the next one, so that a flood of calls makes
 * few statements. While the database does not respond, calls are refused at once, and it is asked every second whether it is back.
 */
export function createExactCounts({ clock, change, failed, back }: ExactParts): ExactCounts {
  let queue: Waiting[] = [];
  let isUnderWay = false;
  let isAway = false;
  let cancelRetry: (() => void) | null = null;
  let isClosed = false;

  function put(counted: Counted, by: number): Promise<CountedCall> {
    if (isAway) return Promise.reject(new CountUnavailable(false, new Error("The database is away.")));
    return new Promise((resolve, reject) => {
      queue.push({ ...counted, change: by, since: clock.now(), resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      queueMicrotask(() => void run());
    });
  }

  async function run(): Promise<void> {
    while (queue.length > 0) await send(takeBatch());
    isUnderWay = false;
  }

  /** The calls that came first, by their row. */
  function takeBatch(): Waiting[][] {
    const rows = new Map<string, Waiting[]>();
    let taken = 0;
    for (const call of queue) {
      const key = `${call.policy} ${call.subject}`;
      const row = rows.get(key);
      if (!row && rows.size === subjectsMax) break;
      if (row) row.push(call);
      else rows.set(key, [call]);
      taken++;
    }
    queue = queue.slice(taken);
    return [...rows.values()];
  }

  async function send(rows: readonly Waiting[][]): Promise<void> {
    const asks = rows.map((calls) => {
      const [{ policy, quota, subject, windowMilliseconds }] = calls as [Waiting];
      const by = calls.reduce((sum, call) => sum + call.change, 0);
      return { policy, quota, subject, change: by, millisecondsLeft: windowMilliseconds, windowMilliseconds };
    });
    const waited = clock.now() - (rows[0]?.[0]?.since ?? 0);
    const cancel = clock.after(Math.max(0, patienceMilliseconds - waited), () =>
      giveUp(rows, new Error("The database did not count a call in time.")),
    );
    try {
      const counts = await change(asks);
      rows.forEach((calls, index) => {
        const { sum = 0, millisecondsLeft = 0 } = counts[index] ?? {};
        // Refunds come first: they leave room for the calls beside them.
        let position = sum - calls.reduce((total, call) => total + Math.max(0, call.change), 0);
        for (const call of calls) {
          position += Math.max(0, call.change);
          call.resolve({ position, millisecondsLeft });
        }
      });
      isBack();
    } catch (error) {
      giveUp(rows, error);
      retryLater();
    } finally {
      cancel();
    }
  }

  /** Calls that are already answered are not changed by this. */
  function giveUp(sent: readonly Waiting[][], error: unknown): void {
    if (!isAway) failed(error);
    isAway = true;
    for (const call of sent.flat()) call.reject(new CountUnavailable(true, error));
    for (const call of queue.splice(0)) call.reject(new CountUnavailable(false, error));
  }

  function retryLater(): void {
    if (!isClosed) cancelRetry = clock.after(retryMilliseconds, () => void change([]).then(isBack, retryLater));
  }

  function isBack(): void {
    if (isAway) back();
    isAway = false;
  }

  return {
    count: (counted, owed) => put(counted, 1 + owed),
    async refund(counted) {
      await put(counted, -1);
    },
    close() {
      isClosed = true;
      cancelRetry?.();
    },
  };
}
