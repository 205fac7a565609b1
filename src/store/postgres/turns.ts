import { StoreUnavailable } from "../db.ts";

/** Who may use a connection now: at most so many at a time, in the order in which they came. */
export interface Turns {
  /** Waits for a turn of a caller who came at this time. False if these turns are over: the next pool has others. */
  take(since: number): Promise<boolean> | true;
  give(): void;
  /** Refuses callers who came before this. */
  refuseOlder(than: number): void;
  /** Callers who wait here wait for the next pool instead. */
  close(): void;
  refuseAll(why: string): void;
}

interface Waiting {
  since: number;
  go(hasTurn: boolean): void;
  refuse(error: StoreUnavailable): void;
}

export function createTurns(max: number): Turns {
  let free = max;
  const waiting: Waiting[] = [];
  return {
    take(since) {
      if (free > 0) {
        free--;
        return true;
      }
      return new Promise((go, refuse) => waiting.push({ since, go, refuse }));
    },
    give() {
      const next = waiting.shift();
      if (next) next.go(true);
      else free++;
    },
    refuseOlder(than) {
      while (waiting[0] && waiting[0].since < than) {
        const error = new StoreUnavailable(
          "overloaded",
          new Error("No connection to the database became free in time."),
        );
        waiting.shift()?.refuse(error);
      }
    },
    close() {
      for (const { go } of waiting.splice(0)) go(false);
    },
    refuseAll(why) {
      for (const { refuse } of waiting.splice(0)) refuse(new StoreUnavailable("unreachable", new Error(why)));
    },
  };
}
