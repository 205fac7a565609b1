import { fork } from "node:child_process";
import type { ChildMessage, JobMessage, JobResult } from "./child-messages.ts";

/** A child process, as the server sees it. */
export interface HelperProcess {
  send(job: JobMessage): void;
  /** Whether the child keeps the server running. An idle one does not. */
  keepAlive(wanted: boolean): void;
  /** Resolves after the exit. */
  end(): Promise<void>;
}

export interface HelperEvents {
  ready(): void;
  result(outcome: JobResult): void;
  /** The child exited by itself. `killed`: it killed itself because a job took too long. */
  ended(killed: boolean): void;
  failedToStart(why: string): void;
}

/** The child gets nothing of ours: no environment, no files, and only its share of memory. */
export function startHelper(memoryMegabytes: number, on: HelperEvents): HelperProcess {
  const child = fork(new URL("./child-program.ts", import.meta.url), {
    execArgv: [`--max-old-space-size=${memoryMegabytes}`, "--disable-proto=delete"],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let state: "starting" | "running" | "ending" | "gone" = "starting";
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  child.on("message", (message: ChildMessage) => {
    if (message.kind !== "ready") return on.result(message);
    if (state !== "starting") return;
    state = "running";
    on.ready();
  });
  child.once("exit", (_, signal) => {
    const before = state;
    state = "gone";
    if (before === "running") on.ended(signal === "SIGKILL");
    if (before === "starting") on.failedToStart("it ended before it had begun");
  });
  child.on("error", (error) => {
    if (state !== "starting") return;
    state = "gone";
    on.failedToStart(error.message);
  });
  return {
    // A process that is exiting accepts nothing; its jobs go to another process.
    send: (job) => void child.send(job, undefined, undefined, () => {}),
    keepAlive(wanted) {
      for (const each of [child, child.channel]) {
        if (wanted) each?.ref();
        else each?.unref();
      }
    },
    async end() {
      if (state === "gone") return;
      state = "ending";
      this.keepAlive(true);
      // The child exits when disconnected, unless a job blocks it.
      if (child.connected) child.disconnect();
      const impatient = setTimeout(() => child.kill("SIGKILL"), 200);
      await gone;
      clearTimeout(impatient);
    },
  };
}
