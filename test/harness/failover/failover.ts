import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after } from "../../kill-loop/runs/any-node.ts";
import { startOutside } from "../../kill-loop/runs/outside.ts";
import { prepare } from "../../kill-loop/runs/runs-kill-loop.ts";
import { type ServerProcess, startServer } from "../../support/processes/server-process.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { limitsOn } from "../load/limits-on.ts";
import { startRunsAndWrites } from "../load/runs-and-writes.ts";
import { Cluster, clusterPrograms } from "./cluster.ts";
import { faultKinds, strike } from "./faults.ts";

const nodeCount = 3;
/** "Nodes answer again within 10 s of the promotion." */
const recoverySecondsMax = 10;
const calmMilliseconds = 3_000;

const shared = {
  id: "H5",
  needs: clusterPrograms,
  stores: ["postgres"],
  fullCycles: 10,
  shortCycles: 1,
  shortTest: "test/reliability/high-availability-files.test.ts",
  isStandIn: true,
} as const;

/** A PostgreSQL cluster of deploy/high-availability loses its primary again and again while three nodes work on it. */
export const failoverByHosts: Harness = {
  ...shared,
  name: "failover",
  title: "a cluster under Patroni loses its primary under load; every host is in the address",
  run: (options) => failover(options, "hosts"),
};

export const failoverByProxy: Harness = {
  ...shared,
  name: "failover-proxy",
  title: "the same behind HAProxy and PgBouncer in transaction mode",
  run: (options) => failover(options, "proxy"),
};

async function failover({ seed, cycles, folder, log }: HarnessOptions, way: "hosts" | "proxy"): Promise<Findings> {
  const cluster = new Cluster(folder);
  const outside = await startOutside();
  const nodes: ServerProcess[] = [];
  try {
    await cluster.start();
    log("the cluster is up");
    const home = join(folder, "home");
    mkdirSync(home);
    const settings = {
      SIGNALBOX_DATABASE_URL_US: cluster.urls[way],
      SIGNALBOX_SANDBOXES: outside.address,
      ...limitsOn,
    };
    const prepared = await prepare(home, settings, outside);
    for (let index = 0; index < nodeCount; index++) nodes.push(await startServer(home, settings));
    const ports = nodes.map(({ port }) => port);
    const load = startRunsAndWrites({ prepared, outside, ports, seed });
    const { client, probe, random, broken, acknowledged } = load;
    const promotions: number[] = [];
    const recoverySeconds: number[] = [];
    let done = 0;
    for (; done < cycles && !load.isBroken(); done++) {
      await after(calmMilliseconds + random() * 2_000);
      // Every kind in turn, from one that the seed chooses.
      const kind = faultKinds[(done + seed) % faultKinds.length] ?? faultKinds[0];
      const spare = await probe.newKey();
      const { promotedSeconds, primary, repair } = await strike(cluster, kind);
      const [commits, recovered] = await Promise.all([
        cluster.untilCommitted(primary),
        Promise.all(ports.map((port) => probe.untilWritten(port))),
      ]);
      if (kind.startsWith("the primary's machine")) promotions.push(promotedSeconds);
      recoverySeconds.push(...recovered);
      const slowest = Math.max(...recovered);
      // The primary does not change with a replica: writes wait until Patroni has made the other one synchronous.
      if (slowest > recoverySecondsMax && kind !== "the synchronous replica freezes") {
        broken.push(`After ${kind}, a node wrote again only ${slowest.toFixed(1)} s after the promotion.`);
      }
      await probe.revoke(spare);
      await repair(() => probe.mustBeRefused(spare));
      await cluster.whole();
      await probe.mustBeRefused(spare);
      const figures = `promoted after ${promotedSeconds.toFixed(1)} s, a replica confirms commits ${commits.toFixed(1)} s later, nodes written again after ${slowest.toFixed(1)} s`;
      log(`${done + 1}. ${kind}: ${primary.place.name} is primary, ${figures}; ${acknowledged()} acknowledged`);
    }
    const { found } = await load.end(done, log);
    return {
      ...found,
      recoverySeconds,
      broken: [...found.broken, ...nodes.flatMap(strangeLines)],
      note: `a replica was promoted ${median(promotions).toFixed(1)} s (median) after its primary's machine was lost; slowest call ${client.slowestSeconds.toFixed(1)} s`,
    };
  } finally {
    for (const node of nodes) await node.kill();
    cluster.stop();
    await outside.stop();
  }
}

/** While the database is away, a node may say so; nothing else is an error. */
function strangeLines(node: ServerProcess): string[] {
  const errors = node
    .printed()
    .split("\n")
    .filter((line) => line.startsWith('{"level":50'));
  const strange = errors.filter((line) => !line.includes("StoreUnavailable"));
  const told = strange.slice(0, 3).map((line) => `A node logged: ${line.slice(0, 1000)}`);
  const end = node.ownEnd();
  return end === null ? told : [...told, `A node ended by itself: ${end.slice(-1000)}`];
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
