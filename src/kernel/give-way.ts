/** So long somebody may work before everybody else has their turn. */
const sliceMilliseconds = 10;

/**
 * For work in many small pieces, called between two of them: lets the event loop turn once a slice of time is used up, and answers
 * at once before that.
 */
export function giveWay(): () => Promise<void> | undefined {
  let startedAt = performance.now();
  return () => {
    if (performance.now() - startedAt < sliceMilliseconds) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        startedAt = performance.now();
        resolve();
      }),
    );
  };
}

/** Everybody else has a turn before it resolves. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
