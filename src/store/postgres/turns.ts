/** Starts work at once, or when its turn comes. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Without a limit: the driver sends a second statement over a connection before the first is answered. */
export const noTurns: Turns = (work) => work();

/** At most so many at a time, in the order in which they came. */
export function createTurns(max: number): Turns {
  let free = max;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
