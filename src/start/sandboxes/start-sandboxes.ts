import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Log } from "../../kernel/log.ts";
import type { SandboxUrls } from "../settings/read-setting-values.ts";

export interface OwnSandboxes {
  urls: SandboxUrls;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Why the sandboxes could not be started, as a sentence. */
export class SandboxesRefused extends Error {}

const program = fileURLToPath(new URL("../../../sandboxes/process.ts", import.meta.url));

/** The sandboxes' process, which gets ready and then waits for its ports. */
export interface SandboxProcess {
  child: ChildProcess;
  /** For a start that fails before they are needed. */
  end(): void;
}

export function forkSandboxes(): SandboxProcess {
  const child = fork(program, [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return { child, end: () => void (child.connected && child.disconnect()) };
}

/** Runs the three sandboxes in a child process, so that their work does not slow the server. */
export function startOwnSandboxes(
  firstPort: number,
  log: Log,
  { child }: SandboxProcess = forkSandboxes(),
): Promise<OwnSandboxes> {
  let running = true;
  let stopping = false;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.once("exit", (code) => {
    running = false;
    if (!stopping) log.error({ code }, "the sandboxes have stopped; the server continues without them");
  });
  return new Promise((resolve, reject) => {
    // It may have ended before.
    if (child.connected) child.send({ firstPort });
    else reject(new SandboxesRefused("The sandboxes could not be started."));
    child.once("exit", () => reject(new SandboxesRefused("The sandboxes could not be started.")));
    child.once("message", (message: { ready?: SandboxUrls; failed?: string }) => {
      if (!message.ready) {
        stopping = true;
        reject(
          new SandboxesRefused(
            `The sandboxes could not be started: ${message.failed}. Choose other ports with --port.`,
          ),
        );
        return;
      }
      resolve({
        urls: message.ready,
        isRunning: () => running,
        async stop() {
          stopping = true;
          if (child.connected) child.disconnect();
          await ended;
        },
      });
    });
  });
}
