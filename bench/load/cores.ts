import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * The server under test and the load run on cores of their own: sharing one, the faster the server answers, the less of
 * the core is left to ask it. Where there is no second core or no taskset, both run where the system puts them. `servers` are
 * several processes, or one beside them: on all cores but that of the load, if that leaves more than one.
 */
export type Side = "server" | "load" | "servers";

const cores = coresOf();
export const isPinned = cores !== null;

/** The command line that starts `command` on the core of its side. */
export function onCore(side: Side, command: string[]): { file: string; args: string[] } {
  const [first = "", ...rest] = command;
  if (!cores || (side === "servers" && coresForServers() < 2)) return { file: first, args: rest };
  const list = side === "servers" ? cores.others.join(",") : String(cores[side]);
  return { file: "taskset", args: ["--cpu-list", list, ...command] };
}

/** The cores of `servers`: all but that of the load. */
export const coresForServers = (): number => cores?.others.length ?? 0;

interface Cores {
  server: number;
  load: number;
  others: number[];
}

function coresOf(): Cores | null {
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
    const all = list.split(",").flatMap(expand);
    const [server, load] = all;
    if (server === undefined || load === undefined) return null;
    return { server, load, others: all.filter((core) => core !== load) };
  } catch {
    return null;
  }
}

function expand(range: string): number[] {
  const [from = 0, to = from] = range.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/**
 * Leaves the server's core to the thread of its event loop: the garbage collector, the checkpoints and all other threads may run
 * on both. For measurements of how long the loop stands still, which would otherwise count waiting for its own process.
 */
export function leaveCoreToLoop(pid: number): void {
  if (!cores) return;
  const both = [cores.server, cores.load].join(",");
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    if (thread !== String(pid)) execFileSync("taskset", ["--cpu-list", "--pid", both, thread], { stdio: "ignore" });
  }
}

// Linux counts in hundredths of a second for every program, whatever the kernel's own tick is.
const ticksPerSecond = 100;

/** What a process has used so far, all of its threads together; null where the system has no /proc. */
export function cpuSecondsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may hold spaces: count from behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return null;
  }
}

/** The same of a process and its children, such as those of `--processes`. */
export function cpuSecondsOfAll(pid: number): number | null {
  const own = cpuSecondsOf(pid);
  return own === null ? null : childrenOf(pid).reduce((sum, child) => sum + (cpuSecondsOfAll(child) ?? 0), own);
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}

/** Waits until a server has stopped working, so that what it still does does not burden the one measured next. */
export async function untilIdle(pid: number, used = cpuSecondsOf): Promise<void> {
  const lookMilliseconds = 250;
  for (let looks = 0; looks < 80; looks++) {
    const before = used(pid);
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
    const after = used(pid);
    if (before === null || after === null || after - before <= 0.02) return;
  }
}
