/**
 * A transaction waits only for its own statements, which complete at once, and may yield between them. After this many
 * turns without a statement it is waiting for something else.
 */
const turnsMax = 100;

const waitsText =
  "A transaction waited for something besides its own statements: the network, a timer, or a transaction opened inside it.";

/** Ends a transaction that waits for something else: one that was opened inside it would wait for it, and block all others. */
export interface WaitWatch {
  /** A batch has begun. It is watched as long as `isUnderWay`. */
  start(): void;
  /** The transaction has made a statement. */
  goesOn(): void;
  /** What to do if the transaction that is under way waits. */
  onWait(giveUp: (reason: Error) => void): void;
}

export function createWaitWatch(isUnderWay: () => boolean): WaitWatch {
  let watching = false;
  let turnsWaited = 0;
  let giveUp: (reason: Error) => void = () => {};
  function check(): void {
    watching = isUnderWay();
    if (++turnsWaited > turnsMax) giveUp(new Error(waitsText));
    if (watching) setImmediate(check);
  }
  return {
    start() {
      if (watching) return;
      watching = true;
      setImmediate(check);
    },
    goesOn() {
      turnsWaited = 0;
    },
    onWait(wanted) {
      turnsWaited = 0;
      giveUp = wanted;
    },
  };
}
