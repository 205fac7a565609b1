import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestPostgres } from "../test/support/databases/postgres.ts";
import { callTo } from "./calls.ts";
import { coresForServers } from "./load/cores.ts";
import type { Plan } from "./rounds/compare.ts";
import { ratesOf } from "./rounds/measured-lines.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { startDurablePostgres } from "./targets/durable-postgres.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";
import { type Loaded, type Measured, startLoad, warmUp } from "./targets/target.ts";

const goal = 1.7;
const many = 2;
const what = "authenticated call, two processes on PostgreSQL";

/**
 * The same calls to a server of one process and to one of two, each on its own database of one PostgreSQL. By rate this
 * needs a core for each process, and others for the load and the database. By CPU it can be read on any machine: how many
 * calls two cores would answer if the processes did nothing else, the primary's work included.
 */
export async function compareProcesses(folder: string, plan: Plan, left: string[]): Promise<Line[]> {
  const postgres = await startDurablePostgres();
  if (typeof postgres === "string") {
    left.push(`${what}: ${postgres}.`);
    return [];
  }
  const loaded: Loaded[] = [];
  const load = await startLoad();
  try {
    for (const processes of [1, many]) loaded.push(await startServer(folder, postgres, processes));
    for (const each of loaded) await warmUp(load, each);
    const [one = [], two = []] = await inRounds(
      plan.rounds,
      loaded.map((each) => () => load.measure(each, plan.seconds)),
      (round) => console.log(`cores: round ${round + 1} of ${plan.rounds}`),
    );
    const isEnough = coresForServers() > many;
    if (!isEnough)
      left.push(
        `${what}, goal by rate: this machine has too few cores for ${many} processes, the load and PostgreSQL.`,
      );
    return [
      lineOf(what, "/s", ratesOf(two), { name: "one process", figures: ratesOf(one) }, isEnough ? goal : null),
      lineOf(`${what}, by CPU`, "/s", byCpu(two, many), { name: "one process", figures: byCpu(one, 1) }, goal),
    ];
  } finally {
    await Promise.all([load, ...loaded.map(({ target }) => target)].map((each) => each.stop()));
    await postgres.stop();
  }
}

/** What that many cores would answer in a second. */
const byCpu = (figures: Measured[], processes: number): number[] =>
  figures.map(({ cpuMicroseconds }) => (processes * 1e6) / (cpuMicroseconds ?? Number.NaN));

async function startServer(folder: string, postgres: TestPostgres, processes: number): Promise<Loaded> {
  const home = join(folder, `processes-${processes}`);
  const target = await startSignalbox(home, [], await settingsFor(postgres, processes), undefined, "servers");
  const { regions } = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8"));
  return { target: { ...target, hasChildren: true }, calls: [callTo("authenticated call", regions.us)] };
}

async function settingsFor({ url }: TestPostgres, processes: number): Promise<Record<string, string>> {
  const { openPostgres } = await import("../src/store/postgres/postgres.ts");
  const admin = openPostgres(url, 1);
  await admin.query(`create database processes_${processes}`);
  await admin.close();
  return {
    SIGNALBOX_DATABASE_URL_US: url.replace(/postgres$/, `processes_${processes}`),
    SIGNALBOX_PROCESSES: String(processes),
  };
}
