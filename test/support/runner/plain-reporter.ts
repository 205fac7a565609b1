import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** What became of each test file, by its path. */
export type Outcome = Record<string, { passed: number; failed: string[]; skipped: number }>;

/** Ends the run with one plain line, and leaves its outcome to the caller. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: string): void {
    const outcome: Outcome = {};
    for (const module of modules) outcome[module.moduleId] = outcomeOf(module);
    // After the default reporter's own summary, in either order.
    process.once("exit", () => console.log(`\n${plainLine(outcome, errors.length)}`));
    // An error outside of all tests, or an interrupted run, says nothing about single files.
    const file = process.env.TEST_OUTCOME_FILE;
    if (file !== undefined && errors.length === 0 && reason !== "interrupted") {
      writeFileSync(file, JSON.stringify(outcome));
    }
  }
}

function outcomeOf(module: TestModule): Outcome[string] {
  const found: Outcome[string] = { passed: 0, failed: [], skipped: 0 };
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === "failed") found.failed.push(`${module.relativeModuleId} > ${test.fullName}`);
    else found[state === "passed" ? "passed" : "skipped"]++;
  }
  // A file that cannot be imported, or whose set-up or clean-up fails.
  if (module.state() === "failed" && found.failed.length === 0) found.failed.push(module.relativeModuleId);
  return found;
}

export function plainLine(outcome: Outcome, errors = 0): string {
  let [passed, failed, skipped] = [0, errors, 0];
  for (const file of Object.values(outcome)) {
    passed += file.passed;
    failed += file.failed.length;
    skipped += file.skipped;
  }
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
