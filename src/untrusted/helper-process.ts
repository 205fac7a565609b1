import { fork } from "node:child_process";
import type { Answered, Asked, Told } from "./messages.ts";

/** One process that works for us, as the server sees it. */
export interface HelperProcess {
  send(asked: Asked): void;
  /** Whether it keeps the server running. One that has nothing to do does not. */
  keepAlive(wanted: boolean): void;
  /** Resolves when it is gone. */
  end(): Promise<void>;
}

export interface HelperEvents {
  ready(): void;
  answered(answer: Answered): void;
  /** It is gone, without having been told to go. `killed` says that it ended itself because a job took too long. */
  ended(killed: boolean): void;
  failedToStart(why: string): void;
}

/** It gets nothing of ours: no environment, no files of its own, and of the memory only its share. */
export function startHelper(memoryMegabytes: number, on: HelperEvents): HelperProcess {
  const child = fork(new URL("./child.ts", import.meta.url), {
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
  child.on("message", (told: Told) => {
    if (told.kind !== "ready") return on.answered(told);
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
    // A process that is just ending takes nothing more; what was on its way to it is handed to another one.
    send: (asked) => void child.send(asked, undefined, undefined, () => {}),
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
      // It goes by itself when nobody is connected to it, unless a job holds it up.
      if (child.connected) child.disconnect();
      const impatient = setTimeout(() => child.kill("SIGKILL"), 200);
      await gone;
      clearTimeout(impatient);
    },
  };
}
