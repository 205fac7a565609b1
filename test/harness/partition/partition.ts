import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after } from "../../kill-loop/runs/any-node.ts";
import { startOutside } from "../../kill-loop/runs/outside.ts";
import { prepare } from "../../kill-loop/runs/runs-kill-loop.ts";
import { startPostgres } from "../../support/databases/postgres.ts";
import { startServer } from "../../support/processes/server-process.ts";
import { CannotRun, type Findings, type Harness, type HarnessOptions } from "../frame/harness.ts";
import type { Probe } from "../load/probe.ts";
import { startRunsAndWrites } from "../load/runs-and-writes.ts";
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
  isStandIn: true,
  run: cutAgainAndAgain,
};

async function cutAgainAndAgain({ seed, cycles, folder, log }: HarnessOptions): Promise<Findings> {
  const namespace = new Namespace();
  const ends: (() => unknown)[] = [() => namespace.remove()];
  try {
    // The node reaches this server over the cable alone, so both ends see what a cut network does.
    const server = await startPostgres({ at: namespace.outside, from: namespace.inside });
    if (typeof server === "string") throw new CannotRun(server);
    ends.push(() => server.stop());
    const url = new URL(server.url);
    const databasePort = Number(url.port);
    const outside = await startOutside();
    ends.push(() => outside.stop());
    const systems = Number(new URL(outside.address).port);
    const forward = async (at: { host: string; port: number }, to: { host: string; port: number }) => {
      const forwarder = await startForwarder(at, to);
      ends.push(() => forwarder.stop());
      return forwarder;
    };
    const systemPorts = [systems, systems + 1, systems + 2];
    for (const port of systemPorts) await forward({ host: namespace.outside, port }, { host: "127.0.0.1", port });

    const home = join(folder, "home");
    mkdirSync(home);
    const settings = {
      SIGNALBOX_DATABASE_URL_US: url.href,
      SIGNALBOX_SANDBOXES: `http://${namespace.outside}:${systems}`,
    };
    const prepared = await prepare(home, settings, outside);
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
    const load = startRunsAndWrites({ prepared, outside, ports, seed, deadlineSeconds });
    const { client, probe, random, broken, acknowledged } = load;
    const recoverySeconds: number[] = [];
    let otherSeconds = 0;
    let done = 0;
    for (; done < cycles && !load.isBroken(); done++) {
      const { from, direction } = cuts[(done + seed) % cuts.length] ?? { from: "the database", direction: "both ways" };
      await after(2_000 + random() * 2_000);
      namespace.cut(from === "the database" ? [databasePort] : systemPorts, direction);
      const other = await longestPause(probe, free.port, cutSeconds);
      otherSeconds = Math.max(otherSeconds, other);
      namespace.heal();
      const seconds = await probe.untilWritten(near.port);
      if (from === "the database") recoverySeconds.push(seconds);
      const figures = `${direction}: written again after ${seconds.toFixed(1)} s, the other at least every ${other.toFixed(1)} s`;
      if (seconds > recoverySecondsMax) broken.push(`Cut off from ${from}, ${figures}.`);
      if (other > recoverySecondsMax) broken.push(`The other node wrote only after ${other.toFixed(1)} s.`);
      log(`${done + 1}. cut off from ${from}, ${figures}; ${acknowledged()} acknowledged`);
    }
    const { found, asked } = await load.end(done, log);
    return {
      ...found,
      recoverySeconds,
      note: `cut for ${cutSeconds} s; meanwhile the other node wrote at least every ${otherSeconds.toFixed(1)} s; slowest call ${client.slowestSeconds.toFixed(1)} s; ${asked} runs asked a person`,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Writes one thing after the other at a node for so long. Returns the seconds that the slowest took. */
async function longestPause(probe: Probe, port: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let longest = 0;
  while (performance.now() < until) {
    longest = Math.max(longest, await probe.untilWritten(port));
    await after(200);
  }
  return longest;
}
