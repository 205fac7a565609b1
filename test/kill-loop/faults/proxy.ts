import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stallPorts } from "../../support/network/stalling-proxy.ts";
import { freePorts } from "../../support/processes/free-ports.ts";
import type { FaultCounts } from "./kinds.ts";

/** How many of a hundred calls, as a share, go wrong. */
export interface FaultRates {
  writes: number;
  reads: number;
}

export type ProxyOrder = FaultRates | "cut" | "count";

/** Three ports before those of the sandboxes: calls go wrong on their way, and connecting can be made to wait. */
export interface FaultProxy {
  port: number;
  setRates(rates: FaultRates): Promise<void>;
  /** How many faults of each kind there were so far. */
  counts(): Promise<FaultCounts>;
  /** Breaks the connections that exist; from now on connecting does not come to an end. */
  hold(): Promise<void>;
  reopen(): void;
  /** How many connections a process has asked for that nobody has let in yet, for each port; null where the machine does not tell. */
  connecting(pid: number): number[] | null;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("proxy-process.ts", import.meta.url));
const portCount = 3;

export async function startFaultProxy(targetPort: number, seed: number, settleSeconds: number): Promise<FaultProxy> {
  const port = await freePorts(portCount);
  const child = fork(program, [port, targetPort, seed, settleSeconds * 1000].map(String));
  await once(child, "message");
  let asking: Promise<unknown> = Promise.resolve();
  /** One order after the other, each with its own answer. */
  function order(what: ProxyOrder): Promise<unknown> {
    asking = asking.then(() => ask(child, what));
    return asking;
  }
  const ports = stallPorts(child, port, portCount, () => order("cut"));
  return {
    port,
    setRates: async (rates) => void (await order(rates)),
    counts: () => order("count") as Promise<FaultCounts>,
    hold: ports.hold,
    reopen: ports.reopen,
    connecting: (pid) => countConnecting(pid, port),
    async stop() {
      ports.reopen();
      await asking;
      if (child.connected) child.disconnect();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function ask(child: ChildProcess, what: ProxyOrder): Promise<unknown> {
  const answered = once(child, "message");
  child.send(what);
  return (await answered)[0];
}

const synSent = "02";

/** From the kernel's own table: a stopped process cannot tell. */
function countConnecting(pid: number, firstPort: number): number[] | null {
  try {
    const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
    const counts = Array.from({ length: portCount }, () => 0);
    for (const row of readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1)) {
      const [, , remote = "", state, , , , , , inode] = row.trim().split(/\s+/);
      const index = Number.parseInt(remote.split(":")[1] ?? "", 16) - firstPort;
      if (state !== synSent || !own.has(`socket:[${inode}]`)) continue;
      counts[index] = (counts[index] ?? 0) + 1;
    }
    return counts;
  } catch {
    return null;
  }
}

/** Empty where it is closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
