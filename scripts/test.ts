import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Outcome, plainLine } from "../test/support/runner/plain-reporter.ts";

/**
 * Runs every test with the Node that the package carries. Arguments go to vitest. Without any, up to three files that
 * fail are run once more, alone, and that decides: one test that depends on chance does not make a whole run worthless.
 */
const repeatedFilesMax = 3;

const wanted = process.argv.slice(2);
const first = await runTests(wanted);
const failing = Object.keys(first.outcome ?? {}).filter((file) => first.outcome?.[file]?.failed.length);

if (wanted.length > 0 || first.outcome === null || failing.length === 0 || failing.length > repeatedFilesMax) {
  process.exitCode = first.code;
} else {
  console.log(`\nOnce more, alone: ${failing.join(", ")}`);
  const second = await runTests(["--maxWorkers=1", ...failing]);
  process.exitCode = second.code;
  if (second.code === 0) for (const test of failing.flatMap((file) => first.outcome?.[file]?.failed ?? [])) warn(test);
  if (second.outcome) console.log(`\n${plainLine({ ...first.outcome, ...second.outcome })}`);
}

function warn(test: string): void {
  console.log(`\nFLAKY: ${test} passed only when run again; fix it`);
}

/** The exit code, and what became of each file; null if the run has crashed, got stuck or was interrupted. */
async function runTests(options: string[]): Promise<{ code: number; outcome: Outcome | null }> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-outcome-"));
  const file = join(folder, "outcome.json");
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...options], {
    stdio: "inherit",
    // A group of its own, so that all that tests have started can be ended with it.
    detached: true,
    env: { ...process.env, TEST_OUTCOME_FILE: file },
  });
  let isInterrupted = false;
  const interrupt = (signal: NodeJS.Signals) => {
    isInterrupted = true;
    child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  const code = await new Promise<number>((resolve) => child.once("exit", (exitCode) => resolve(exitCode ?? 1)));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  endWhatIsLeft(Number(child.pid));
  // A code other than 1 is not that of failing tests.
  const isWhole = code <= 1 && !isInterrupted && existsSync(file);
  const outcome: Outcome | null = isWhole ? JSON.parse(readFileSync(file, "utf8")) : null;
  rmSync(folder, { recursive: true });
  return { code, outcome };
}

/** A process that outlives the run would keep its output open, and its reader would wait. */
function endWhatIsLeft(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
