import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { requireProgram } from "../frame/find-program.ts";
import type { Harness } from "../frame/harness.ts";
import { type FaultLoop, faultLoop } from "../load/fault-loop.ts";

/** How much more private memory it gets, at most, when the pressure begins. */
const spareMebibytes = 16;
const mebibyte = 1024 * 1024;

/** What counts against RLIMIT_DATA. */
function dataBytes(pid: number): number {
  const [, kilobytes] = /^VmData:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

export const noMemory: FaultLoop = {
  settings: { NODE_OPTIONS: "--max-old-space-size=256" },
  clients: 16,
  descriptionBytes: 1900,
  fault: {
    lasts: (random) => 500 + random() * 1500,
    mayEnd: true,
    async begin({ server: { pid } }, random) {
      setLimit(pid, String(Math.floor(dataBytes(pid) + random() * spareMebibytes * mebibyte)));
      return async () => setLimit(pid, "unlimited");
    },
  },
};

/** A process that has ended by then needs no limit. */
const setLimit = (pid: number, limit: string): void =>
  void spawnSync(requireProgram("prlimit"), ["--pid", String(pid), `--data=${limit}:`], { stdio: "ignore" });

export const memory: Harness = {
  id: "H3",
  name: "memory",
  title: "the server gets no more memory from the system, under load; it goes on, or it ends and is started again",
  needs: ["prlimit"],
  stores: ["sqlite"],
  fullCycles: 30,
  shortCycles: 1,
  shortTest: "test/harness/machine/memory.test.ts",
  run: (options) => faultLoop(options, noMemory),
};
