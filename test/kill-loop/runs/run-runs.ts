import { startPostgres } from "../../support/postgres.ts";
import { type RunsKillLoopReport, runsKillLoop } from "./runs-kill-loop.ts";

export type StoreWish = "sqlite" | "postgres" | "both";

/** The long form of runs-kill-loop.test.ts. Answers whether all went well. */
export async function runRunsKillLoop(kills: number, seed: number, store: StoreWish): Promise<boolean> {
  const onSqlite = store === "postgres" || (await runOn("SQLite, one node", null, kills, seed));
  if (store === "sqlite") return onSqlite;
  const postgres = await startPostgres();
  if (typeof postgres === "string") {
    console.log(`NOT RUN on PostgreSQL: ${postgres}.`);
    return onSqlite && store === "both";
  }
  try {
    return (await runOn("PostgreSQL, three nodes", postgres.url, kills, seed)) && onSqlite;
  } finally {
    await postgres.stop();
  }
}

const longFrom = 30;

async function runOn(name: string, postgresUrl: string | null, kills: number, seed: number): Promise<boolean> {
  console.log(`${name}:`);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  let told = 0;
  const report = await runsKillLoop({
    kills,
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
  for (const problem of report.problems) console.error(`  ${problem}`);
  for (const line of linesOf(report)) console.log(`  ${line}`);
  console.log(
    report.problems.length === 0
      ? `  Every promise was kept (${seconds()} s).`
      : `  ${report.problems.length} broken promises; the seed was ${seed}.`,
  );
  return report.problems.length === 0;
}

const counted = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ") || "0";

const linesOf = (report: RunsKillLoopReport): string[] => [
  `kills ${report.kills}, freezes ${report.freezes}, of them while connecting ${report.freezesWhileConnecting}, stops ${report.stops}`,
  `faults: ${counted(report.faults)}`,
  `runs acknowledged ${report.runs}, asked for again ${report.askedAgain}, cut off in a write ${report.cutOff}, failed ${counted(report.failed)}, outcome unknown ${report.unknown}`,
  `writes to the access API acknowledged ${report.accessWrites}`,
  `lost runs ${report.lostRuns}, lost access writes ${report.lostWrites}, doubled records ${report.doubled}, runs left open ${report.leftOpen}`,
];
