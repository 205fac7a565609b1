import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { freePorts } from "./command.ts";

/** Ports in front of others, before which one can be made to wait: whoever connects is neither let in nor refused. */
export interface SlowDoor {
  port: number;
  /** Breaks the connections that exist; from now on connecting does not come to an end. */
  hold(): Promise<void>;
  /** Those who wait come in when their machine next asks, which is within a second or two. */
  letIn(): void;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("slow-door-process.ts", import.meta.url));
/** On one machine a connection takes less than a millisecond, or waits. */
const waitsMilliseconds = 300;

export async function startSlowDoor(targetPort: number, count: number): Promise<SlowDoor> {
  const port = await freePorts(count);
  const child = fork(program, [port, targetPort, count].map(String));
  await once(child, "message");
  const { hold, letIn } = doorBefore(child, port, count, async () => {
    child.send("cut");
    await once(child, "message");
  });
  return {
    port,
    hold,
    letIn,
    async stop() {
      letIn();
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Holds and opens the ports of a process: while it is stopped, and its queues are full, connecting does not come to an end. */
export function doorBefore(
  child: ChildProcess,
  port: number,
  count: number,
  cut: () => Promise<unknown>,
): Pick<SlowDoor, "hold" | "letIn"> {
  let waiting: Socket[] = [];

  /** Fills the line before a port, until one has to wait. */
  async function fill(at: number): Promise<void> {
    for (;;) {
      const socket = connect(at, "127.0.0.1");
      socket.on("error", () => {});
      waiting.push(socket);
      const isIn = await Promise.race([
        once(socket, "connect").then(() => true),
        new Promise((resolve) => setTimeout(resolve, waitsMilliseconds, false)),
      ]);
      if (!isIn) return void socket.destroy();
    }
  }

  return {
    async hold() {
      await cut();
      child.kill("SIGSTOP");
      await Promise.all(Array.from({ length: count }, (_, index) => fill(port + index)));
    },
    letIn() {
      for (const socket of waiting) socket.destroy();
      waiting = [];
      child.kill("SIGCONT");
    },
  };
}
