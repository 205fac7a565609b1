import { type Child, startChild } from "./child.ts";
import { untilIdle } from "./cores.ts";
import type { LoadJob, LoadResult } from "./load.ts";
import { type CallToMake, requestText } from "./requests.ts";

/** A server that can be loaded. */
export interface Target {
  name: string;
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** A server together with the calls to load it with. */
export interface Loaded {
  target: Target;
  calls: CallToMake[];
}

export interface Measured {
  perSecond: number;
  /** Null where the system does not tell what a process has used. */
  cpuMicroseconds: number | null;
  loadBusy: number;
}

/** As many as the requirement names for the durable calls; the same for all, so that they can be compared. */
const connections = 32;

export interface Load {
  measure(loaded: Loaded, seconds: number): Promise<Measured>;
  stop(): Promise<void>;
}

export async function startLoad(): Promise<Load> {
  const child: Child = startChild("load", new URL("./load.ts", import.meta.url));
  await child.ready;
  return {
    async measure({ target, calls }, seconds) {
      await untilIdle(target.pid);
      const requests = calls.map((call) => requestText(call, target.port));
      const job: LoadJob = { port: target.port, serverPid: target.pid, connections, seconds, requests };
      const result = await child.ask<LoadJob, LoadResult>(job).catch((error: Error) => {
        throw new Error(`${target.name}, ${calls[0]?.path}: ${error.message}`);
      });
      await untilIdle(target.pid);
      const cpu = result.serverCpuSeconds;
      return {
        perSecond: result.requests / result.seconds,
        cpuMicroseconds: cpu === null ? null : (cpu / result.requests) * 1e6,
        loadBusy: result.loadBusy,
      };
    },
    stop: () => child.stop(),
  };
}

/** Until its code is compiled a server is measured cold, and the colder the more code it has: go on while it improves. */
export async function warmUp(load: Load, loaded: Loaded): Promise<void> {
  let best = 0;
  for (let tries = 1; tries <= 10; tries++) {
    const { perSecond } = await load.measure(loaded, 2);
    if (tries >= 4 && perSecond < best * 1.03) return;
    best = Math.max(best, perSecond);
  }
}
