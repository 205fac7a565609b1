import { type Child, startChild } from "../load/child.ts";
import { cpuSecondsOf, cpuSecondsOfAll, untilIdle } from "../load/cores.ts";
import type { LoadJob, LoadResult } from "../load/load.ts";
import { type CallToMake, requestText } from "../load/requests.ts";
import { untilWarm } from "../rounds/warm-up.ts";

/** A server that can be loaded. */
export interface Target {
  name: string;
  port: number;
  pid: number;
  /** Its children are servers too, and count. */
  hasChildren?: boolean;
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

export type Latency = LoadResult["latency"];

/** As many as the requirement names for the durable calls; the same for all, so that they can be compared. */
const connectionsStandard = 32;

export interface Load {
  measure(loaded: Loaded, seconds: number): Promise<Measured & { latency: Latency }>;
  stop(): Promise<void>;
}

export async function startLoad(connections = connectionsStandard): Promise<Load> {
  const child: Child = startChild("load", new URL("../load/load.ts", import.meta.url));
  await child.ready;
  return {
    async measure({ target, calls }, seconds) {
      const { port, pid: serverPid, hasChildren = false } = target;
      const untilQuiet = () => untilIdle(serverPid, hasChildren ? cpuSecondsOfAll : cpuSecondsOf);
      await untilQuiet();
      const requests = calls.map((call) => requestText(call, port));
      const job: LoadJob = { port, serverPid, hasChildren, connections, seconds, requests };
      const result = await child.ask<LoadJob, LoadResult>(job).catch((error: Error) => {
        throw new Error(`${target.name}, ${calls[0]?.path}: ${error.message}`);
      });
      await untilQuiet();
      const cpu = result.serverCpuSeconds;
      return {
        perSecond: result.requests / result.seconds,
        cpuMicroseconds: cpu === null ? null : (cpu / result.requests) * 1e6,
        loadBusy: result.loadBusy,
        latency: result.latency,
      };
    },
    stop: () => child.stop(),
  };
}

export const warmUp = (load: Load, loaded: Loaded): Promise<void> =>
  untilWarm((seconds) => load.measure(loaded, seconds));
