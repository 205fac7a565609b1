import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/runner/longest-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "sandboxes/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/runner/global-setup.ts"],
    setupFiles: ["test/support/runner/after-tests.ts"],
    reporters: ["default", "./test/support/runner/stuck-reporter.ts", "./test/support/runner/plain-reporter.ts"],
    pool: "forks",
    // Files share what they import, of which all have the most in common: making it anew for each took a seventh of the time.
    isolate: false,
    // More than the two cores that it is meant for: most tests wait, for a disk, a database or another process.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine a second, which is the standard, is soon over.
    expect: { poll: { timeout: 30_000 } },
  },
});
