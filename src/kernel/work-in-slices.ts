/** How long one piece of work may keep the event loop. */
const sliceMilliseconds = 10;

/**
 * For work in many small pieces, called between two of them. Returns undefined until a slice of time is used up, and then a promise
 * that resolves after the event loop has turned.
 */
export const giveWay = (): (() => Promise<void> | undefined) => workInSlices().turn;

/** The same, and how long the work has kept the event loop so far, without its pauses. */
export function workInSlices(): { turn(): Promise<void> | undefined; milliseconds(): number } {
  let startedAt = performance.now();
  let before = 0;
  return {
    turn() {
      const elapsed = performance.now() - startedAt;
      if (elapsed < sliceMilliseconds) return undefined;
      before += elapsed;
      return new Promise((resolve) =>
        setImmediate(() => {
          startedAt = performance.now();
          resolve();
        }),
      );
    },
    milliseconds: () => before + performance.now() - startedAt,
  };
}

/** Resolves after the event loop has turned. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
