import { createHistogram } from "node:perf_hooks";
import { Connection } from "./connection.ts";
import { cpuSecondsOf, cpuSecondsOfAll } from "./cores.ts";
import { toSendable } from "./requests.ts";

/** A process of its own: takes jobs from its parent, one at a time, and answers what it counted. */

export interface LoadJob {
  port: number;
  serverPid: number;
  /** Its children belong to the server. */
  hasChildren: boolean;
  connections: number;
  seconds: number;
  /** Whole requests; the connections share them out and send them in turn. */
  requests: string[];
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** Of the server's process, within the counted time. Null where the system does not tell. */
  serverCpuSeconds: number | null;
  /** How much of its own core the load used: near 1, it is the load that was measured. */
  loadBusy: number;
  /** From the sending of a request to the whole answer. */
  latency: { p50Milliseconds: number; p99Milliseconds: number; maxMilliseconds: number };
}

const leadInMilliseconds = 300;

async function run(job: LoadJob): Promise<LoadResult> {
  const { promise: failure, reject } = Promise.withResolvers<never>();
  const fail = (reason: string) => reject(new Error(reason));
  const times = createHistogram();
  const took = (milliseconds: number) => times.record(Math.max(1, Math.round(milliseconds * 1e6)));
  const connections = shareOut(job).map((requests) => new Connection(job.port, requests.map(toSendable), fail, took));
  try {
    await Promise.race([failure, pause(leadInMilliseconds)]);
    const before = look(job, connections);
    times.reset();
    await Promise.race([failure, pause(job.seconds * 1000)]);
    const after = look(job, connections);
    const seconds = (after.at - before.at) / 1000;
    return {
      requests: after.answered - before.answered,
      seconds,
      serverCpuSeconds: before.server === null || after.server === null ? null : after.server - before.server,
      loadBusy: (after.load - before.load) / seconds,
      latency: {
        p50Milliseconds: times.percentile(50) / 1e6,
        p99Milliseconds: times.percentile(99) / 1e6,
        maxMilliseconds: times.max / 1e6,
      },
    };
  } finally {
    for (const connection of connections) connection.stop();
  }
}

function look(job: LoadJob, connections: Connection[]) {
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    answered: connections.reduce((sum, connection) => sum + connection.answered, 0),
    server: job.hasChildren ? cpuSecondsOfAll(job.serverPid) : cpuSecondsOf(job.serverPid),
    load: (user + system) / 1e6,
  };
}

function shareOut({ connections, requests }: LoadJob): string[][] {
  return Array.from({ length: connections }, (_, index) =>
    requests.length <= connections
      ? [requests[index % requests.length] as string]
      : requests.filter((_, turn) => turn % connections === index),
  );
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

process.on("message", (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ result: null });
