import { join } from "node:path";
import type { TestPostgres } from "../test/support/databases/postgres.ts";
import { claimRates } from "./claims.ts";
import { type Child, startChild } from "./load/child.ts";
import { cpuSecondsOf, untilIdle } from "./load/cores.ts";
import type { RunsJob, RunsResult } from "./load/runs-job.ts";
import { peerFolder } from "./peers/peers.ts";
import { respondBesideOthers } from "./respond.ts";
import type { Plan } from "./rounds/compare.ts";
import { byRateAndCpu, ratesOf } from "./rounds/measured-lines.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { untilWarm } from "./rounds/warm-up.ts";
import { startUpstream, upstreamOrigin } from "./targets/connected.ts";
import { startDurablePostgres } from "./targets/durable-postgres.ts";
import type { Measured } from "./targets/target.ts";

const title = "three-step tool, 64 at once";
const callers = 64;
const goals = { bare: 0.4, dbos: 10, restate: 10, dbosOnPostgres: 5 };

export interface RunPeers {
  dbos: boolean;
  restate: boolean;
  nodeRed: boolean;
}

/** Runs of tools: beside the same calls that nobody keeps, and beside others that keep them too. */
export async function compareRuns(folder: string, plan: Plan, peers: RunPeers, left: string[]): Promise<Line[]> {
  const postgres = await startDurablePostgres();
  if (typeof postgres === "string") left.push(`runs on PostgreSQL, and beside DBOS: ${postgres}.`);
  const database = typeof postgres === "string" ? null : postgres;
  try {
    return [
      ...(await compareTools(folder, plan, peers, database)),
      ...(await respondBesideOthers(folder, plan, peers.nodeRed)),
      ...(await claimRates(folder, plan, database?.url ?? null)),
    ];
  } finally {
    await database?.stop();
  }
}

interface Runner {
  name: RunnerName;
  child: Child;
  areWaitedFor: boolean;
}

type Name = "ours" | "ours on PostgreSQL" | "no durability" | "DBOS" | "Restate";
/** The same process also runs tools for callers who wait for each. */
type RunnerName = Name | "ours, waited for" | "ours, waited for, on PostgreSQL";

async function compareTools(
  folder: string,
  plan: Plan,
  peers: RunPeers,
  postgres: TestPostgres | null,
): Promise<Line[]> {
  const upstream = await startUpstream();
  const origin = upstreamOrigin(upstream);
  const here = (file: string) => new URL(file, import.meta.url);
  const wanted: [Name, URL, string[]][] = [
    ["ours", here("./targets/runs-node.ts"), [join(folder, "runs"), origin]],
    ["no durability", here("./peers/runs-bare.ts"), [origin]],
  ];
  if (postgres) wanted.push(["ours on PostgreSQL", here("./targets/runs-node.ts"), [folder, origin, postgres.url]]);
  const dbosDatabase = postgres?.url.replace(/postgres$/, "dbos") ?? "";
  if (postgres && peers.dbos) wanted.push(["DBOS", new URL("runs.ts", peerFolder("dbos")), [origin, dbosDatabase]]);
  if (peers.restate)
    wanted.push(["Restate", new URL("runs.ts", peerFolder("restate")), [origin, join(folder, "restate")]]);
  const runners: Runner[] = [];
  try {
    for (const [name, module, args] of wanted) {
      const child = startChild("server", module, args);
      await child.ready;
      runners.push({ name, child, areWaitedFor: false });
      if (name === "ours") runners.push({ name: "ours, waited for", child, areWaitedFor: true });
      if (name === "ours on PostgreSQL")
        runners.push({ name: "ours, waited for, on PostgreSQL", child, areWaitedFor: true });
    }
    for (const runner of runners) await untilWarm((seconds) => measure(runner, seconds));
    const figures = await inRounds(
      plan.rounds,
      runners.map((runner) => () => measure(runner, plan.seconds)),
      (round) => console.log(`${title}: round ${round + 1} of ${plan.rounds}`),
    );
    return linesOf(new Map(runners.map(({ name }, index) => [name, figures[index] ?? []])));
  } finally {
    await Promise.all([upstream, ...new Set(runners.map(({ child }) => child))].map((each) => each.stop()));
  }
}

async function measure({ child, areWaitedFor }: Runner, seconds: number): Promise<Measured> {
  await untilIdle(child.pid);
  const before = cpuSecondsOf(child.pid);
  const result = await child.ask<RunsJob, RunsResult>({ callers, seconds, areWaitedFor });
  const after = cpuSecondsOf(child.pid);
  const used = before === null || after === null ? null : after - before;
  return {
    perSecond: result.done / result.seconds,
    cpuMicroseconds: used === null ? null : (used / result.done) * 1e6,
    loadBusy: 0,
  };
}

function linesOf(figures: ReadonlyMap<RunnerName, Measured[]>): Line[] {
  const of = (name: RunnerName): Measured[] => figures.get(name) ?? [];
  const beside = (what: string, ours: RunnerName, theirs: RunnerName, goal: number): Line[] =>
    figures.has(ours) && figures.has(theirs)
      ? [lineOf(what, "/s", ratesOf(of(ours)), { name: theirs, figures: ratesOf(of(theirs)) }, goal)]
      : [];
  return [
    ...byRateAndCpu(title, of("ours"), "no durability", of("no durability"), { rate: goals.bare, cpu: null }),
    ...beside(title, "ours", "DBOS", goals.dbos),
    ...beside(title, "ours", "Restate", goals.restate),
    ...beside(`${title}, on PostgreSQL`, "ours on PostgreSQL", "DBOS", goals.dbosOnPostgres),
    ...beside(`${title}, waited for`, "ours, waited for", "DBOS", goals.dbos),
    ...beside(`${title}, waited for`, "ours, waited for", "Restate", goals.restate),
    ...beside(`${title}, waited for, on PostgreSQL`, "ours, waited for, on PostgreSQL", "DBOS", goals.dbosOnPostgres),
    ...beside(`${title}, on PostgreSQL`, "ours on PostgreSQL", "no durability", 0).map((line) => ({
      ...line,
      goal: "",
      met: null,
    })),
  ];
}
