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
      return turnAlone().then(() => {
        startedAt = performance.now();
      });
    },
    milliseconds: () => before + performance.now() - startedAt,
  };
}

/** Long work that has used up its slice, of all callers. */
const waiting: (() => void)[] = [];

function resumeOne(): void {
  const resume = waiting.shift();
  if (waiting.length > 0) setImmediate(resumeOne);
  resume?.();
}

/**
 * Resolves in a turn of the event loop in which no other long work goes on: one at a time, in the order in which they asked.
 * Otherwise the slices of many large requests would be one long pause for everybody else.
 */
export const turnAlone = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne);
  });

/** Resolves after the event loop has turned. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
