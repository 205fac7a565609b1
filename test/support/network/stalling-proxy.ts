import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { freePorts } from "../processes/free-ports.ts";

/** Proxy ports that can stall: a new connection is neither accepted nor refused. */
export interface StallingProxy {
  port: number;
  /** Breaks the open connections; from now on connecting hangs. */
  hold(): Promise<void>;
  /** Waiting connections are accepted at their next SYN retry, within a second or two. */
  reopen(): void;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("stalling-proxy-process.ts", import.meta.url));
/** On one machine a connection takes less than a millisecond, or hangs. */
const waitsMilliseconds = 300;

export async function startStallingProxy(targetPort: number, count: number): Promise<StallingProxy> {
  const port = await freePorts(count);
  const child = fork(program, [port, targetPort, count].map(String));
  await once(child, "message");
  const { hold, reopen } = stallPorts(child, port, count, async () => {
    child.send("cut");
    await once(child, "message");
  });
  return {
    port,
    hold,
    reopen,
    async stop() {
      reopen();
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Stalls and reopens the ports of a process: while it is stopped, and its backlogs are full, connecting hangs. */
export function stallPorts(
  child: ChildProcess,
  port: number,
  count: number,
  cut: () => Promise<unknown>,
): Pick<StallingProxy, "hold" | "reopen"> {
  let waiting: Socket[] = [];

  /** Fills the backlog of a port, until a connection hangs. */
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
    reopen() {
      for (const socket of waiting) socket.destroy();
      waiting = [];
      child.kill("SIGCONT");
    },
  };
}
