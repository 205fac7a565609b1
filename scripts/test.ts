import { spawn } from "node:child_process";

/** Runs every test with the Node that the package carries, and hands on its exit code. Arguments go to vitest. */
const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)], {
  stdio: "inherit",
  // A group of its own, so that all that tests have started can be ended with it.
  detached: true,
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
  endWhatIsLeft();
});

/** A process that outlives the run would keep its output open, and whoever reads it would wait. */
function endWhatIsLeft(): void {
  try {
    process.kill(-Number(child.pid), "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
