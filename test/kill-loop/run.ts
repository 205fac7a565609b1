import { parseArgs } from "node:util";
import { killLoop } from "./kill-loop.ts";
import { runRunsKillLoop, type StoreWish } from "./runs/run-runs.ts";

/**
 * npm run kill-loop -- [rounds] [seed]: the long form of kill-loop.test.ts.
 * npm run kill-loop -- runs [kills] [seed] [--kills N] [--seed N] [--seeds N] [--store sqlite|postgres]: that of
 * runs/runs-kill-loop.test.ts. Each seed ends with its verdict, a line of JSON.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    seeds: { type: "string", default: "1" },
    store: { type: "string", default: "both" },
  },
});
const isOfRuns = positionals[0] === "runs";
const [givenRounds, givenSeed] = isOfRuns ? positionals.slice(1) : positionals;
const rounds = Number(values.kills ?? givenRounds ?? (isOfRuns ? 1000 : 300));
const seed = Number(values.seed ?? givenSeed ?? Math.floor(Math.random() * 1e9));
const seeds = Number(values.seeds);
const isStore = ["sqlite", "postgres", "both"].includes(values.store);
const areNumbers = [rounds, seed, seeds].every(Number.isInteger) && rounds >= 1 && seeds >= 1;
if (!areNumbers || !isStore) {
  console.error("Usage: npm run kill-loop -- [runs] [--kills N] [--seed N] [--seeds N] [--store sqlite|postgres]");
  process.exit(2);
}

// Ending in good order ends what it has started, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

console.log(
  `Kill loop${isOfRuns ? " of runs" : ""}: ${rounds} kills, seed ${seed}${seeds > 1 ? ` and ${seeds - 1} more` : ""}.`,
);
const isWell = isOfRuns
  ? await runRunsKillLoop({ kills: rounds, seed, seeds, store: values.store as StoreWish })
  : await runAccessKillLoop();
process.exitCode = isWell ? 0 : 1;

async function runAccessKillLoop(): Promise<boolean> {
  const startedAt = performance.now();
  const report = await killLoop(rounds, seed, ({ rounds: done, asked, acknowledged, lost, repeated }) => {
    if (done % 10 !== 0 && done !== rounds) return;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      `round ${done}: ${asked} calls, ${acknowledged} acknowledged, ${repeated} lost and asked again, ${lost} of unknown outcome (${seconds} s)`,
    );
  });
  for (const problem of report.problems) console.error(problem);
  console.log(
    report.problems.length === 0
      ? "Every acknowledged write is there, none twice, each with its audit row."
      : `${report.problems.length} problems; the seed was ${seed}.`,
  );
  return report.problems.length === 0;
}
