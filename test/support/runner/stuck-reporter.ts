import type { Reporter, TestModule } from "vitest/node";

const minutes = 60_000;
/** No test may take longer than its timeout of two minutes, unless its process no longer runs timers. */
const longestSilence = 10 * minutes;

/** Ends a run in which nothing ends any more, and names the files that are running: an endless loop stops a process's timers too. */
export default class StuckReporter implements Reporter {
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#restart();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.add(module.relativeModuleId);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId);
    this.#restart();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), longestSilence);
  }

  #end(): never {
    console.error(`\nNo test file has ended for 10 minutes. Running: ${[...this.#running].join(", ") || "none"}.`);
    process.exit(1);
  }
}
