import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FirstRunRegion } from "../../../src/start/first-run.ts";
import { createCaller } from "../../support/http-caller.ts";
import { firstRunOf, startServer } from "../../support/server-process.ts";
import { type SlowDoor, startSlowDoor } from "../../support/slow-door.ts";
import { seededRandom } from "../random.ts";
import { Nodes } from "./nodes.ts";
import { RunOracle } from "./oracle.ts";
import { type Outside, startOutside } from "./outside.ts";
import { Starters } from "./starters.ts";

export interface RunsKillLoopReport {
  rounds: number;
  seed: number;
  /** Runs that were acknowledged, and those of them whose first answer was lost. */
  runs: number;
  askedAgain: number;
  /** Runs that were killed between a write and its answer, and those that came to a person. */
  cutOff: number;
  unknown: number;
  problems: string[];
}

export interface RunsKillLoopWish {
  rounds: number;
  seed: number;
  /** Three nodes on this database; without one, a single process on a SQLite file. */
  postgresUrl: string | null;
  tell?: (done: { round: number; runs: number }) => void;
}

const leaseSeconds = 2;
const freezeEvery = 3;
/** How many of the freezes are freezes while connecting. */
const connectingShare = 0.5;
const heldMilliseconds = 300;
/** Until others have taken its runs over, looked for what it noted, believed that it is not there, and written. */
const connectingMilliseconds = leaseSeconds * 1000 + 14_000;

/**
 * Clients go on starting runs that read, create something and read again, while the processes that work on them are killed
 * without warning at random moments. The sandboxes outlive it all, and tell at the end what has really happened.
 */
export async function runsKillLoop(wish: RunsKillLoopWish): Promise<RunsKillLoopReport> {
  const home = mkdtempSync(join(tmpdir(), "signalbox-runs-kill-loop-"));
  const outside = await startOutside();
  const door = await startSlowDoor(Number(new URL(outside.address).port), 3);
  const settings = settingsOf(home, door, wish.postgresUrl);
  const nodes = new Nodes(home, settings, wish.postgresUrl === null ? 1 : 3);
  try {
    const { first, toolId } = await prepare(home, settings, outside);
    await nodes.startAll();
    const starters = new Starters(first, toolId, () => nodes.ports(), wish.seed);
    starters.begin();
    await killInTurns(nodes, outside, door, starters, wish);
    await starters.end();
    await nodes.allReady();
    const oracle = new RunOracle(first, nodes.ports()[0] ?? 0, outside);
    if (starters.problems.length === 0) await oracle.judge(starters.wanted);
    await nodes.endAll();
    return {
      rounds: wish.rounds,
      seed: wish.seed,
      runs: starters.wanted.filter(({ runId }) => runId !== null).length,
      askedAgain: starters.wanted.filter(({ asked }) => asked > 1).length,
      cutOff: oracle.cutOff,
      unknown: oracle.asked,
      problems: [...starters.problems, ...nodes.troubles, ...oracle.problems],
    };
  } finally {
    await nodes.endAll();
    await door.stop();
    await outside.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const settingsOf = (home: string, door: SlowDoor, postgresUrl: string | null): NodeJS.ProcessEnv => ({
  // A start costs half of it with compiled code at hand. Node writes that when a process ends in good order.
  NODE_COMPILE_CACHE: join(home, "compiled"),
  SIGNALBOX_SANDBOXES: `http://127.0.0.1:${door.port}`,
  SIGNALBOX_LEASE_SECONDS: String(leaseSeconds),
  SIGNALBOX_SETTLE_SECONDS: "10",
  ...(postgresUrl !== null && { SIGNALBOX_DATABASE_URL_US: postgresUrl }),
});

/** A first start makes the project and its connections, and the tool is saved. */
async function prepare(
  home: string,
  settings: NodeJS.ProcessEnv,
  outside: Outside,
): Promise<{ first: FirstRunRegion; toolId: string }> {
  const server = await startServer(home, settings);
  try {
    const first = firstRunOf(home);
    const caller = createCaller(server.port);
    const authorization = `Bearer ${first.project_id}:${first.api_key}`;
    const tool = toolFor(outside.projectId, first.connections?.deployment ?? "");
    const { status, body, text } = await caller.call("tools/create", tool, { authorization });
    caller.close();
    if (status !== 200) throw new Error(`The tool was refused: ${text}`);
    return { first, toolId: body.tool_id };
  } finally {
    await server.stop();
  }
}

/** A read, a write that must not happen twice, and a read of what it made. */
const toolFor = (project: string, connection_id: string) => ({
  title: "Deploy",
  params_schema: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
  steps: [
    { name: "before", step: "list_deployments", connection_id, input: { project, limit: 2 } },
    {
      name: "create",
      step: "create_deployment",
      connection_id,
      input: { project, metadata: { mark: "{{params.mark}}" } },
    },
    {
      name: "after",
      step: "deployment_api_call",
      connection_id,
      input: { method: "GET", path: "/v13/deployments/{{steps.create.output.deployment_id}}" },
    },
  ],
  output: "{{steps.create.output.deployment_id}}",
});

/** Longer than its lease. Some are stopped while they connect: others have written for them when they wake up. */
async function freeze(nodes: Nodes, index: number, door: SlowDoor | null): Promise<void> {
  if (!door) return nodes.freeze(index, leaseSeconds * 1000 + 1000);
  await door.hold();
  // Whoever has noted a write by then waits for its connection.
  await new Promise((resolve) => setTimeout(resolve, heldMilliseconds));
  const frozen = nodes.freeze(index, connectingMilliseconds);
  door.letIn();
  await frozen;
}

async function killInTurns(
  nodes: Nodes,
  outside: Outside,
  door: SlowDoor,
  starters: Starters,
  { rounds, seed, postgresUrl, tell }: RunsKillLoopWish,
): Promise<void> {
  const random = seededRandom(seed);
  const count = postgresUrl === null ? 1 : 3;
  let frozen: Promise<void> = Promise.resolve();
  for (let round = 1; round <= rounds; round++) {
    const index = Math.floor(random() * count);
    await nodes.ready(index);
    // Longer than its lease, and shorter than others look before they write again: it wakes up with runs that are theirs.
    if (count > 1 && round % freezeEvery === 0) {
      await frozen;
      frozen = freeze(nodes, (index + 1) % count, random() < connectingShare ? door : null);
    }
    await outside.disturbCreating(Math.floor(random() * 150));
    // Some die before they have begun; most live long enough to work, and to take over what others have left.
    await new Promise((resolve) => setTimeout(resolve, 20 + random() ** 2 * 2000));
    await nodes.killAndRestart(index);
    tell?.({ round, runs: starters.wanted.length });
    if (starters.problems.length + nodes.troubles.length > 0) break;
  }
  await frozen;
}
