/** How long one piece of work may keep the event loop. */
const sliceMilliseconds = 10;

/**
 * For work in many small pieces, called between two of them. Returns undefined until a slice of time is used up, and then a promise
 * that resolves after the event loop has turned.
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

/** Resolves after the event loop has turned. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
