import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { startPostgres } from "../../support/databases/postgres.ts";
import { type RunsKillLoopReport, runsKillLoop } from "./runs-kill-loop.ts";
import { commitHere, type Verdict, verdictOf } from "./verdict.ts";

export type StoreWish = "sqlite" | "postgres" | "both";

export interface LongWish {
  kills: number;
  /** The first seed, and how many: each is a loop of its own, with its own verdict. */
  seed: number;
  seeds: number;
  store: StoreWish;
}

/** The long form of runs-kill-loop.test.ts. Returns whether every promise was kept. */
export async function runRunsKillLoop(wish: LongWish): Promise<boolean> {
  const commit = commitHere();
  const onSqlite = wish.store === "postgres" || (await runSeeds(wish, "sqlite", commit, async () => null));
  if (wish.store === "sqlite") return onSqlite;
  const postgres = await startPostgres();
  if (typeof postgres === "string") {
    console.log(`NOT RUN on PostgreSQL: ${postgres}.`);
    return onSqlite && wish.store === "both";
  }
  try {
    return (await runSeeds(wish, "postgres", commit, (seed) => newDatabase(postgres.url, seed))) && onSqlite;
  } finally {
    await postgres.stop();
  }
}

async function newDatabase(url: string, seed: number): Promise<string> {
  const name = `seed_${seed}`;
  const admin = openPostgres(url, 1);
  await admin.query(`create database ${name}`);
  await admin.close();
  return url.replace(/\/postgres$/, `/${name}`);
}

async function runSeeds(
  { kills, seed: first, seeds }: LongWish,
  store: Verdict["store"],
  commit: string,
  databaseOf: (seed: number) => Promise<string | null>,
): Promise<boolean> {
  let isWell = true;
  for (let seed = first; seed < first + seeds; seed++) {
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    console.log(`${store === "sqlite" ? "SQLite, one node" : "PostgreSQL, three nodes"}, seed ${seed}:`);
    const report = await runOne(kills, seed, await databaseOf(seed), seconds);
    for (const problem of report.problems) console.error(`  ${problem}`);
    console.log(JSON.stringify(verdictOf(report, store, { commit, seconds: seconds() })));
    isWell &&= report.problems.length === 0;
  }
  return isWell;
}

const longFrom = 30;
/** Of a hundred kills. On three nodes, each shows that a node which wakes up too late does not send. */
const freezesWhileConnecting = 3;

async function runOne(
  kills: number,
  seed: number,
  postgresUrl: string | null,
  seconds: () => number,
): Promise<RunsKillLoopReport> {
  let told = 0;
  return runsKillLoop({
    kills,
    freezesWhileConnecting: Math.ceil((kills / 100) * freezesWhileConnecting),
    seed,
    postgresUrl,
    isLong: kills >= longFrom,
    tell(done) {
      if (done.left !== null) return console.log(`  ${done.left} runs are still open (${seconds()} s)`);
      if (done.kills - told < 10 && done.kills < kills) return;
      told = done.kills;
      console.log(`  kill ${done.kills}: ${done.freezes} freezes, ${done.runs} runs (${seconds()} s)`);
    },
  });
}
