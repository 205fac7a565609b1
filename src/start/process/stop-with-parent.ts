/** Set by `bin/signalbox.js` to its own process id, where it hands over to the Node that the package carries. */
const wrapperName = "SIGNALBOX_WRAPPER_PID";
const lookMilliseconds = 500;

/**
 * Calls `stop` once the wrapper or the npm that started this process is gone. Whoever kills that process means the server:
 * a server that stayed would hold the port, and nobody would know its id. A parent of any other kind may come and go.
 */
export function stopWithParent(parent: number | null, stop: () => void): void {
  if (parent === null) return;
  const looking = setInterval(() => {
    // The system gives the children of the dead to another process.
    if (process.ppid === parent) return;
    clearInterval(looking);
    stop();
  }, lookMilliseconds);
  looking.unref();
}

/** Asked at the very start: a parent that dies during it has gone by the first look. */
export function parentToWatch(environment: NodeJS.ProcessEnv): number | null {
  const wrapper = environment[wrapperName];
  if (wrapper !== undefined && /^\d+$/.test(wrapper)) return Number(wrapper);
  const byOurNpm = environment.npm_lifecycle_event === "start" && environment.npm_package_name === "signalbox";
  return byOurNpm ? process.ppid : null;
}
