/** So long the event loop is kept at once by work that can be interrupted. */
const stretchMilliseconds = 10;

/** For long work in the server itself: each call lets others go first, once enough has been done since the last time. */
export function createBreath(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < stretchMilliseconds) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}
