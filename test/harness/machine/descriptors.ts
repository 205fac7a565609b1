import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { requireProgram } from "../frame/find-program.ts";
import type { Harness } from "../frame/harness.ts";
import { type FaultLoop, faultLoop } from "../load/fault-loop.ts";

/** How many more than it has open the process may open. */
const spare = 2;
const strangers = 50;

const setLimit = (pid: number, limit: string): void =>
  void execFileSync(requireProgram("prlimit"), ["--pid", String(pid), `--nofile=${limit}`]);

export const noDescriptors: FaultLoop = {
  fault: {
    lasts: (random) => 300 + random() * 700,
    async begin({ server: { pid, port } }) {
      setLimit(pid, `${readdirSync(`/proc/${pid}/fd`).length + spare}:`);
      const sockets = Array.from({ length: strangers }, () => openQuietly(port));
      return async () => {
        for (const socket of sockets) socket.destroy();
        setLimit(pid, "1024:");
      };
    },
    // Who is connected already does not notice.
    async during(_, writers) {
      const { status, text } = await writers.read("auth/info");
      return status === 200 ? [] : [`A connected client's read got ${status}: ${text}`];
    },
  },
};

export const descriptors: Harness = {
  id: "H3",
  name: "descriptors",
  title: "the file descriptors of the server are used up by connections, under load",
  needs: ["prlimit"],
  stores: ["sqlite", "postgres"],
  fullCycles: 40,
  shortCycles: 1,
  shortTest: "test/harness/short.test.ts",
  run: (options) => faultLoop(options, noDescriptors),
};

function openQuietly(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  return socket;
}
