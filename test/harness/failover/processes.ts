import { readdirSync, readFileSync } from "node:fs";

/** These processes and all that they have started, parents first: a stopped parent starts no more. */
export function withDescendants(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? parentOf(pid) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  for (const queue = [...roots]; queue.length > 0; ) {
    const pid = queue.shift() ?? 0;
    if (found.includes(pid)) continue;
    found.push(pid);
    queue.push(...(children.get(pid) ?? []));
  }
  return found;
}

/** Sends the signal to each; one that has ended meanwhile is no reason to fail. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Twice: a process may have been started between the look and the signal. */
export function signalTree(roots: readonly number[], signal: NodeJS.Signals): void {
  signalAll(withDescendants(roots), signal);
  signalAll(withDescendants(roots), signal);
}

function parentOf(pid: number): number | null {
  try {
    // The name of a program, in parentheses, may hold spaces and parentheses.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop()?.split(" ") ?? [];
    return Number(parent);
  } catch {
    return null;
  }
}
