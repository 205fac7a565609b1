import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import { bundleProgram } from "../../support/processes/bundle.ts";
import { createCaller } from "../../support/processes/http-caller.ts";
import { firstRunOf, loadedServer, startServer } from "../../support/processes/server-process.ts";
import type { FaultCounts } from "../faults/kinds.ts";
import { type FaultProxy, type FaultRates, startFaultProxy } from "../faults/proxy.ts";
import { seededRandom } from "../random.ts";
import { AccessWriters } from "./access-writers.ts";
import { AnyNode } from "./any-node.ts";
import { Changers, changingTools } from "./changers.ts";
import { HeldWrites } from "./held-writes.ts";
import { type Blows, Nemesis } from "./nemesis.ts";
import { Nodes } from "./nodes.ts";
import { RunOracle } from "./oracle.ts";
import { type Outside, startOutside } from "./outside.ts";
import { Starters } from "./starters.ts";
import { toolsFor, type Wish } from "./wishes.ts";

export interface RunsKillLoopReport extends Blows {
  seed: number;
  faults: FaultCounts;
  /** Runs that were acknowledged, and those of them whose first answer was lost. */
  runs: number;
  /** Runs that change or delete a record of their own, beside these. */
  changes: number;
  askedAgain: number;
  /** Runs that were killed between a write and its answer, those that failed, and those that came to a person. */
  cutOff: number;
  /** How many failed, by their form and the code of their problem. */
  failed: Record<string, number>;
  unknown: number;
  /** Acknowledged calls of the access API. */
  accessWrites: number;
  /** Broken promises, counted; `problems` has them in sentences. */
  lostRuns: number;
  lostWrites: number;
  doubled: number;
  leftOpen: number;
  problems: string[];
}

export interface RunsKillLoopWish {
  /** It goes on until there were so many kills and freezes, and faults of every kind. */
  kills: number;
  freezes?: number;
  /** So many of them while the node waits for the connection of a write. */
  freezesWhileConnecting?: number;
  seed: number;
  /** Three nodes on this database; without one, a single process on a SQLite file. */
  postgresUrl: string | null;
  /** Faults need not be as frequent as in a short one. */
  isLong?: boolean;
  tell?: (done: { kills: number; freezes: number; runs: number; left: number | null }) => void;
}

const leaseSeconds = 2;
const settleSeconds = 4;
const rates: FaultRates = { writes: 0.25, reads: 0.05 };
/** All kinds have their turn within a few kills. */
const shortRates: FaultRates = { writes: 0.35, reads: 0.1 };
const noRates: FaultRates = { writes: 0, reads: 0 };

/**
 * Clients go on starting runs that read, create something and read again, and change who may do what, while the processes
 * that work on them are killed, frozen and stopped at random moments, and calls to the systems go wrong in twelve ways. The
 * sandboxes outlive it all, and tell at the end what has really happened.
 */
export async function runsKillLoop(wish: RunsKillLoopWish): Promise<RunsKillLoopReport> {
  const { seed, postgresUrl } = wish;
  const home = mkdtempSync(join(tmpdir(), "signalbox-runs-kill-loop-"));
  const outside = await startOutside();
  const proxy = await startFaultProxy(Number(new URL(outside.address).port), seed, settleSeconds);
  const settings = settingsOf(proxy, postgresUrl);
  const program = await bundleProgram(loadedServer);
  const nodes = new Nodes(home, settings, postgresUrl === null ? 1 : 3, program);
  try {
    const { first, toolIdOf, changingToolIdOf } = await prepare(home, settings, outside);
    await nodes.startAll();
    const node = new AnyNode(first, () => nodes.ports());
    const starters = new Starters({ first, projectId: outside.projectId, toolIdOf, node, seed });
    const writers = new AccessWriters(first, node, seed);
    const changers = new Changers({ first, outside, node, seed, toolIdOf: changingToolIdOf });
    const heldWrites = new HeldWrites({ nodes, proxy, starters, node, random: seededRandom(seed * 1000 + 901) });
    const nemesis = new Nemesis({
      nodes,
      proxy,
      heldWrites,
      random: seededRandom(seed),
      started: () => starters.acknowledged,
      leaseSeconds,
    });
    const problems = () => [...starters.problems, ...changers.problems, ...writers.problems, ...nodes.troubles];
    const tell = (left: number | null) => wish.tell?.({ ...nemesis.blows, runs: starters.acknowledged, left });
    await proxy.setRates(wish.isLong ? rates : shortRates);
    starters.begin();
    changers.begin();
    writers.begin();
    while (problems().length === 0 && !isEnough(wish, nemesis.blows, await proxy.counts())) {
      await nemesis.strike(nemesis.blows.kills >= wish.kills && !hasFrozenEnough(wish, nemesis.blows));
      tell(null);
    }
    await nemesis.end();
    await starters.end();
    await changers.end();
    await writers.end();
    node.close();
    const faults = await proxy.counts();
    await proxy.setRates(noRates);
    await nodes.allReady();
    const oracle = new RunOracle(first, nodes.ports()[0] ?? 0, outside);
    if (problems().length === 0) await oracle.judge(starters.wanted, tell, changers);
    const lostWrites = await writers.judge((operation) => oracle.list(operation));
    await nodes.endAll();
    return {
      ...nemesis.blows,
      seed,
      faults,
      runs: starters.acknowledged,
      changes: changers.wanted.length,
      askedAgain: starters.wanted.filter(({ asked }) => asked > 1).length,
      cutOff: oracle.cutOff,
      failed: oracle.failed,
      unknown: oracle.unknown,
      accessWrites: writers.acknowledged,
      lostRuns: oracle.lost,
      lostWrites,
      doubled: oracle.doubled,
      leftOpen: oracle.leftOpen,
      problems: [...problems(), ...oracle.problems],
    };
  } finally {
    await nodes.endAll();
    await proxy.stop();
    await outside.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const hasFrozenEnough = ({ freezes = 0, freezesWhileConnecting = 0 }: RunsKillLoopWish, done: Blows): boolean =>
  done.freezes >= freezes && done.freezesWhileConnecting >= freezesWhileConnecting;

const isEnough = (wish: RunsKillLoopWish, done: Blows, faults: FaultCounts): boolean =>
  done.kills >= wish.kills && hasFrozenEnough(wish, done) && Object.values(faults).every((count) => count > 0);

const settingsOf = (proxy: FaultProxy, postgresUrl: string | null): NodeJS.ProcessEnv => ({
  SIGNALBOX_SANDBOXES: `http://127.0.0.1:${proxy.port}`,
  SIGNALBOX_LEASE_SECONDS: String(leaseSeconds),
  SIGNALBOX_SETTLE_SECONDS: String(settleSeconds),
  ...(postgresUrl !== null && { SIGNALBOX_DATABASE_URL_US: postgresUrl }),
});

/** More than the load needs, with the slots that killed writes keep: the limits have harnesses of their own. */
const marketingSettings = { burst_calls: 1000, concurrent_calls: 200, daily_quota: 10_000_000 };

/** A first start makes the project and its connections, and the tools are saved. */
export async function prepare(
  home: string,
  settings: NodeJS.ProcessEnv,
  outside: Outside,
): Promise<{
  first: FirstRunRegion;
  toolIdOf: (wish: Wish) => string;
  changingToolIdOf: (title: string) => string;
}> {
  const server = await startServer(home, settings);
  const caller = createCaller(server.port);
  try {
    const first = firstRunOf(home);
    const { connections = {} } = first;
    const authorization = `Bearer ${first.project_id}:${first.api_key}`;
    const call = async (operation: string, body: object) => {
      const answer = await caller.call(operation, body, { authorization });
      if (answer.status !== 200) throw new Error(`${operation} was refused: ${answer.text}`);
      return answer.body;
    };
    await call(`connections/${connections.marketing}/update`, { settings: marketingSettings });
    const toolIds = new Map<string, string>();
    for (const { wish, tool } of toolsFor(connections, outside.projectId)) {
      toolIds.set(`${wish.makes} ${wish.form}`, (await call("tools/create", tool)).tool_id);
    }
    for (const { title, tool } of changingTools(first, outside.projectId)) {
      toolIds.set(title, (await call("tools/create", tool)).tool_id);
    }
    return {
      first,
      toolIdOf: ({ makes, form }) => toolIds.get(`${makes} ${form}`) ?? "",
      changingToolIdOf: (title) => toolIds.get(title) ?? "",
    };
  } finally {
    caller.close();
    await server.stop();
  }
}
