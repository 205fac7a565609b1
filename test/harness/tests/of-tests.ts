import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome } from "../../support/runner/plain-reporter.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

interface TestHarness extends Pick<Harness, "id" | "name" | "title" | "fullCycles"> {
  files: readonly string[];
  /** Where the tests themselves know how often to try: all cycles in one run. */
  environment?(cycles: number): NodeJS.ProcessEnv;
}

/**
 * A harness whose short version is a set of tests, on both stores. The full version runs the same tests once in each cycle, each time with another seed:
 * what they draw by chance (fast-check) follows TEST_SEED. Where they draw nothing, a cycle is a repeat, with another timing.
 */
export const ofTests = ({ files, environment, ...harness }: TestHarness): Harness => ({
  ...harness,
  stores: ["both"],
  shortCycles: 1,
  shortTest: files[0] ?? "",
  async run(options) {
    const runs = environment ? 1 : options.cycles;
    const found = { passed: 0, broken: [] as string[] };
    let done = 0;
    for (; done < runs && found.broken.length === 0; done++) {
      const seed = options.seed + done;
      const { passed, failed } = await runTests(files, options, { ...environment?.(options.cycles), ...seeds(seed) });
      found.passed += passed;
      found.broken.push(...failed.map((name) => `With the seed ${seed}: ${name}`));
      options.log(`run ${done + 1} of ${runs}: ${found.passed} tests passed`);
    }
    return {
      ...uncounted,
      cycles: environment ? options.cycles : done,
      broken: found.broken,
      note: noteOf(found.passed),
    };
  },
});

const uncounted: Findings = {
  ...{ cycles: 0, faults: null, acknowledged: null, lost: null, doubled: null, unknown: null },
  ...{ recoverySeconds: [], broken: [] },
};

const noteOf = (passed: number): string => `${passed.toLocaleString("en-US")} tests passed`;

const seeds = (seed: number): NodeJS.ProcessEnv => ({
  TEST_SEED: String(seed),
  SIGNALBOX_MODEL_SEED: String(seed),
  SIGNALBOX_HOSTILE_SEED: String(seed),
});

async function runTests(
  files: readonly string[],
  { folder, log }: HarnessOptions,
  environment: NodeJS.ProcessEnv,
): Promise<{ passed: number; failed: string[] }> {
  const outcomeFile = join(folder, "outcome.json");
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...files], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment, TEST_OUTCOME_FILE: outcomeFile },
  });
  const end = () => void child.kill("SIGTERM");
  process.once("exit", end);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    });
  }
  const alive = setInterval(() => log("the tests are running"), 60_000);
  const [code] = await once(child, "close");
  clearInterval(alive);
  process.off("exit", end);
  if (!existsSync(outcomeFile)) return { passed: 0, failed: [`The tests ended with ${code}:\n${output}`] };
  const outcome = Object.values(JSON.parse(readFileSync(outcomeFile, "utf8")) as Outcome);
  const failed = outcome.flatMap((file) => file.failed);
  if (code !== 0 && failed.length === 0) failed.push(`The tests ended with ${code}:\n${output}`);
  return { passed: outcome.reduce((all, file) => all + file.passed, 0), failed };
}
