/**
 * A client that remembers how much of a limit is left must learn when that changes: it asks with the number of
 * changes they know of, are answered when there is another, and ask again when they have acted on it.
 */
export interface Changes {
  /** The number of changes so far: at once where it is another than the one that is known, later otherwise. */
  after(known: number | null): Promise<Counts>;
  /** Something has changed. Resolves when all who listen have acted on it, or have not for a while. */
  tell(isReset: boolean): Promise<void>;
  stop(): void;
}

interface Counts {
  changes: number;
  /** How many of them were resets. */
  resets: number;
}

const askAgainMilliseconds = 20_000;
const patienceMilliseconds = 500;

export function createChanges(): Changes {
  const listening = new Set<() => void>();
  const absent = new Set<() => void>();
  const counts: Counts = { changes: 0, resets: 0 };

  const answerAll = (): void => {
    for (const answer of listening) answer();
  };

  /** Until as many have come back as have left. */
  function untilBack(left: number): Promise<void> {
    if (left === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const isDone = (): void => {
        clearTimeout(patience);
        absent.delete(isBack);
        resolve();
      };
      const isBack = (): void => {
        left -= 1;
        if (left === 0) isDone();
      };
      const patience = setTimeout(isDone, patienceMilliseconds);
      absent.add(isBack);
    });
  }

  return {
    after(known) {
      if (known !== counts.changes) return Promise.resolve(counts);
      for (const isBack of absent) isBack();
      return new Promise((resolve) => {
        const answer = (): void => {
          clearTimeout(timer);
          listening.delete(answer);
          resolve(counts);
        };
        const timer = setTimeout(answer, askAgainMilliseconds).unref();
        listening.add(answer);
      });
    },
    tell(isReset) {
      counts.changes += 1;
      if (isReset) counts.resets += 1;
      const back = untilBack(listening.size);
      answerAll();
      return back;
    },
    stop: answerAll,
  };
}
