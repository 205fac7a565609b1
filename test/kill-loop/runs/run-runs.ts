import { startPostgres } from "../../support/postgres.ts";
import { runsKillLoop } from "./runs-kill-loop.ts";

/** The long form of runs-kill-loop.test.ts, first on SQLite, then on PostgreSQL. Answers whether all went well. */
export async function runRunsKillLoop(rounds: number, seed: number): Promise<boolean> {
  const onSqlite = await runOn("SQLite", null, rounds, seed);
  const postgres = await startPostgres();
  if (typeof postgres === "string") {
    console.log(`NOT RUN on PostgreSQL: ${postgres}.`);
    return onSqlite;
  }
  try {
    return (await runOn("PostgreSQL, three nodes", postgres.url, rounds, seed)) && onSqlite;
  } finally {
    await postgres.stop();
  }
}

async function runOn(name: string, postgresUrl: string | null, rounds: number, seed: number): Promise<boolean> {
  console.log(`${name}:`);
  const startedAt = performance.now();
  const report = await runsKillLoop({
    rounds,
    seed,
    postgresUrl,
    tell({ round, runs }) {
      if (round % 10 !== 0 && round !== rounds) return;
      console.log(`  kill ${round}: ${runs} runs (${Math.round((performance.now() - startedAt) / 1000)} s)`);
    },
  });
  for (const problem of report.problems) console.error(`  ${problem}`);
  const { runs, askedAgain, cutOff, unknown, problems } = report;
  console.log(
    problems.length === 0
      ? `  ${runs} runs, ${askedAgain} asked for again, ${cutOff} cut off in a write, ${unknown} settled by a person: each has ended, and has written once.`
      : `  ${problems.length} problems; the seed was ${seed}.`,
  );
  return problems.length === 0;
}
