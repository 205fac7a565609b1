import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { spreadOf } from "../rounds/rounds.ts";
import { startUpstream, upstreamOrigin } from "../targets/connected.ts";
import { startDurablePostgres } from "../targets/durable-postgres.ts";
import { startSignalbox } from "../targets/signalbox-server.ts";
import { callMany } from "./callers.ts";
import { between, costWhile, each, type Meters, openMeters, type Used } from "./meters.ts";
import { type Caller, type Costed, costedOperations } from "./operations.ts";
import { measureSchedules } from "./schedules.ts";

const rounds = 3;

const headings = {
  SQLite: ["Operation", "CPU", "Written"],
  PostgreSQL: ["Operation", "Our CPU", "Its CPU", "Statements", "Commits", "WAL", "Stored"],
};
type Kind = keyof typeof headings;

/** Prints what each operation costs on each store, as Markdown tables. */
export async function measureCosts(folder: string, left: string[]): Promise<void> {
  const { ONLY: only = "" } = process.env;
  if (only !== "PostgreSQL") print("SQLite", await costsOn("SQLite", join(folder, "costs-sqlite"), null));
  if (only === "SQLite") return;
  const postgres = await startDurablePostgres(["shared_preload_libraries=pg_stat_statements"]);
  if (typeof postgres === "string") return void left.push(`costs on PostgreSQL: ${postgres}.`);
  try {
    print("PostgreSQL", await costsOn("PostgreSQL", join(folder, "costs"), postgres.url));
  } finally {
    await postgres.stop();
  }
}

function print(kind: Kind, costs: ReadonlyMap<string, Used>): void {
  console.log(`\nOn ${kind}, ${cpus().length} cores, ${process.arch}, Node ${process.version}:\n`);
  console.log(`| ${headings[kind].join(" | ")} |\n|${"---|".repeat(headings[kind].length)}`);
  for (const [name, cost] of costs) console.log(rowOf(kind, name, cost));
}

async function costsOn(kind: Kind, home: string, url: string | null): Promise<Map<string, Used>> {
  const upstream = await startUpstream();
  const settings = {
    SIGNALBOX_SANDBOXES: "own",
    SIGNALBOX_PRIVATE_HOSTS: upstreamOrigin(upstream),
    SIGNALBOX_RATE_LIMITS: allLimits.map((name) => `${name}=1000000000`).join(","),
    ...(url === null ? {} : { SIGNALBOX_DATABASE_URL_US: url }),
  };
  const server = await startSignalbox(home, [], settings);
  const meters = await openMeters(server.pid, url);
  const costs = new Map<string, Used>();
  try {
    const caller = await callerIn(home);
    const operations = await costedOperations(server.port, caller, upstreamOrigin(upstream));
    const idle = await idleOf(meters);
    for (const operation of operations) {
      const cost = await costOf(server.port, operation, meters, idle);
      costs.set(operation.name, cost);
      console.log(`${kind}: ${rowOf(kind, operation.name, cost)}`);
    }
    const tool = operations.find(({ name }) => name === "Trigger a tool of one step") as Costed;
    costs.set(
      "Schedule that fires, and its run of one step",
      await measureSchedules(server.port, tool.call, meters, idle),
    );
  } finally {
    await meters.close();
    await Promise.all([server.stop(), upstream.stop()]);
  }
  return costs;
}

const allLimits = ["default", "write", "run", "invite", "scim", "sign_in", "sign_in_failure"];

/** What a node does by itself, each millisecond. It is taken off: on a busy machine a round takes long. */
async function idleOf(meters: Meters): Promise<Used> {
  // What a start leaves to do is done by then.
  await after(15_000);
  const before = await meters.look();
  await after(10_000);
  return each(between(before, await meters.look()), (figure, { milliseconds }) => figure / milliseconds);
}

/** What one call used, the median of the rounds. */
async function costOf(port: number, { call, count, before }: Costed, meters: Meters, idle: Used): Promise<Used> {
  await before?.();
  await callMany(port, call, Math.ceil(count / 4));
  const figures: Used[] = [];
  for (let round = 0; round < rounds; round++)
    figures.push(await costWhile(() => callMany(port, call, count), count, meters, idle));
  return each(figures[0] as Used, (_, __, name) => spreadOf(figures.map((figure) => figure[name])).median);
}

/** The sandboxes respond a little later than the server. */
async function callerIn(home: string): Promise<Caller> {
  for (let tries = 0; tries < 300; tries++) {
    const { regions } = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8"));
    if (regions.us.connections?.analytics) return regions.us as Caller;
    await after(200);
  }
  throw new Error("The first run has not connected the sandboxes within a minute.");
}

function rowOf(kind: Kind, name: string, cost: Used): string {
  const micros = (nanoseconds: number) => `${Math.round(nanoseconds / 1000).toLocaleString("en-US")} µs`;
  const kilobytes = (bytes: number) => `${(Math.max(0, bytes) / 1000).toFixed(1)} kB`;
  const count = (figure: number) => Math.max(0, figure).toFixed(1);
  const own = micros(cost.serverNanoseconds);
  const cells =
    kind === "SQLite"
      ? [name, own, kilobytes(cost.bytesWritten)]
      : [
          ...[name, own, micros(cost.databaseNanoseconds), count(cost.statements), count(cost.commits)],
          ...[kilobytes(cost.walBytes), kilobytes(cost.storedBytes)],
        ];
  return `| ${cells.join(" | ")} |`;
}
