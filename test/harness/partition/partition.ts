import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../kill-loop/random.ts";
import { AccessWriters } from "../../kill-loop/runs/access-writers.ts";
import { after } from "../../kill-loop/runs/any-node.ts";
import { RunOracle } from "../../kill-loop/runs/oracle.ts";
import { startOutside } from "../../kill-loop/runs/outside.ts";
import { prepare } from "../../kill-loop/runs/runs-kill-loop.ts";
import { Starters } from "../../kill-loop/runs/starters.ts";
import { startServer } from "../../support/server-process.ts";
import { ClientWithDeadline } from "../failover/client-with-deadline.ts";
import { Probe } from "../failover/probe.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { type Forwarder, startForwarder } from "./forwarder.ts";
import { type Direction, Namespace } from "./namespace.ts";
import { startNodeIn } from "./node-in-namespace.ts";

const cuts: readonly { from: "the database" | "the systems"; direction: Direction }[] = [
  { from: "the database", direction: "both ways" },
  { from: "the systems", direction: "both ways" },
  { from: "the database", direction: "to the node" },
  { from: "the systems", direction: "to the node" },
  { from: "the database", direction: "from the node" },
  { from: "the systems", direction: "from the node" },
];
const cutSeconds = 15;
const recoverySecondsMax = 10;
/** A single step waits for a system for 30 s at most, and for the database before and after. */
const deadlineSeconds = 45;

/** One node in a network of its own loses the database or the systems, one way or both, while another goes on. */
export const partition: Harness = {
  id: "H5",
  name: "partition",
  title: "a node is cut off from the database or from the systems, one way and both, while another goes on",
  needs: ["ip", "nft"],
  stores: ["postgres"],
  fullCycles: 12,
  shortCycles: 1,
  shortTest: "test/reliability/hung-database.test.ts",
  run: cutAgainAndAgain,
};

async function cutAgainAndAgain({ seed, cycles, folder, log, newDatabase }: HarnessOptions): Promise<Findings> {
  const namespace = new Namespace();
  const ends: (() => unknown)[] = [() => namespace.remove()];
  try {
    const url = new URL(await newDatabase());
    const outside = await startOutside();
    ends.push(() => outside.stop());
    const database = { host: url.hostname, port: Number(url.port) };
    const systems = Number(new URL(outside.address).port);
    const forward = async (at: { host: string; port: number }, to: { host: string; port: number }) => {
      const forwarder = await startForwarder(at, to);
      ends.push(() => forwarder.stop());
      return forwarder;
    };
    const databasePort = (await forward({ host: namespace.outside, port: 0 }, database)).port;
    const systemPorts = [systems, systems + 1, systems + 2];
    for (const port of systemPorts) await forward({ host: namespace.outside, port }, { host: "127.0.0.1", port });

    const home = join(folder, "home");
    mkdirSync(home);
    const settings = {
      SIGNALBOX_DATABASE_URL_US: url.href,
      SIGNALBOX_SANDBOXES: `http://${namespace.outside}:${systems}`,
    };
    const { first, toolIdOf } = await prepare(home, settings, outside);
    const free = await startServer(home, settings);
    ends.push(() => free.kill());
    const seen = `postgres://${url.username}@${namespace.outside}:${databasePort}${url.pathname}`;
    const cutOff = await startNodeIn(namespace, home, { ...settings, SIGNALBOX_DATABASE_URL_US: seen });
    ends.push(() => cutOff.kill());
    const near: Forwarder = await forward(
      { host: "127.0.0.1", port: 0 },
      { host: namespace.inside, port: cutOff.port },
    );

    const ports = [free.port, near.port];
    const client = new ClientWithDeadline(first, ports, deadlineSeconds);
    const starters = new Starters({ first, projectId: outside.projectId, toolIdOf, node: client, seed });
    const writers = new AccessWriters(first, client, seed);
    const probe = new Probe(client, ports);
    starters.begin();
    writers.begin();
    const acknowledged = () => starters.acknowledged + writers.acknowledged;
    const random = seededRandom(seed);
    const recoverySeconds: number[] = [];
    const broken: string[] = [];
    const problems = () => [
      ...broken,
      ...client.problems,
      ...starters.problems,
      ...writers.problems,
      ...probe.problems,
    ];
    let done = 0;
    for (; done < cycles && problems().length === 0; done++) {
      const { from, direction } = cuts[(done + seed) % cuts.length] ?? { from: "the database", direction: "both ways" };
      await after(2_000 + random() * 2_000);
      namespace.cut(from === "the database" ? [databasePort] : systemPorts, direction);
      await after(cutSeconds * 1000);
      const other = await probe.untilWritten(free.port);
      namespace.heal();
      const seconds = await probe.untilWritten(near.port);
      if (from === "the database") recoverySeconds.push(seconds);
      const figures = `${direction}: written again after ${seconds.toFixed(1)} s`;
      if (seconds > recoverySecondsMax) broken.push(`Cut off from ${from}, ${figures}.`);
      if (other > recoverySecondsMax) broken.push(`The other node wrote only after ${other.toFixed(1)} s.`);
      log(`${done + 1}. cut off from ${from}, ${figures}; ${acknowledged()} acknowledged`);
    }
    await starters.end();
    await writers.end();
    const oracle = new RunOracle(first, free.port, outside);
    // A run that was broken off is not compared: nothing is known of what is lost.
    const isJudged = problems().length === 0;
    if (isJudged) await oracle.judge(starters.wanted, (left) => log(`${left} runs are still open`));
    const lostWrites = isJudged ? await writers.judge((operation) => oracle.list(operation)) : 0;
    client.close();
    return {
      cycles: done,
      faults: done,
      acknowledged: acknowledged(),
      lost: isJudged ? oracle.lost + lostWrites : null,
      doubled: isJudged ? oracle.doubled : null,
      unknown: client.refused,
      recoverySeconds,
      broken: [...problems(), ...oracle.problems],
      note: `cut for ${cutSeconds} s; slowest call ${client.slowestSeconds.toFixed(1)} s; ${oracle.unknown} runs asked a person`,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
