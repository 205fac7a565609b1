/** `bin/signalbox.js` sets it to its own process id before it starts the packaged Node. */
const wrapperName = "SIGNALBOX_WRAPPER_PID";
const lookMilliseconds = 500;

/**
 * Calls `stop` once the wrapper or the npm that started this process has ended. A user who kills that process means the
 * server: a server that stayed would hold the port, with an unknown process id. Any other parent may come and go.
 * Returns how to end the watch.
 */
export function stopWithParent(parent: number | null, stop: () => void): () => void {
  if (parent === null) return () => {};
  const looking = setInterval(() => {
    // The operating system gives orphaned processes another parent.
    if (process.ppid === parent) return;
    clearInterval(looking);
    stop();
  }, lookMilliseconds);
  looking.unref();
  return () => clearInterval(looking);
}

/** Call it first during the start: a parent that dies during the start is gone by the first check. */
export function parentToWatch(environment: NodeJS.ProcessEnv): number | null {
  const wrapper = environment[wrapperName];
  if (wrapper !== undefined && /^\d+$/.test(wrapper)) return Number(wrapper);
  const byOurNpm = environment.npm_lifecycle_event === "start" && environment.npm_package_name === "signalbox";
  return byOurNpm ? process.ppid : null;
}
