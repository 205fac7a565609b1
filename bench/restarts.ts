import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../src/kernel/ids.ts";
import { insertPlannedRun } from "../src/runs/queue/queue.ts";
import { newRun } from "../src/runs/queue/start-run.ts";
import { openStore } from "../src/start/region/open-database.ts";
import { readConfig } from "../src/start/settings/config.ts";
import type { Store } from "../src/store/db.ts";
import { callTo } from "./calls.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { startDurablePostgres } from "./targets/durable-postgres.ts";
import { newProject, publishedTool, startOf } from "./targets/published-tool.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";
import { startLoad } from "./targets/target.ts";

const rows = 1_000_000;
const rounds = 5;
/** "Restart to ready < 5 s with 1 M rows." */
const mostMilliseconds = 5_000;
const loadSeconds = 2;

/** How long a server takes from its start until it is ready, on a store with a million runs: after a stop, and after a kill under load. */
export async function measureRestarts(folder: string, left: string[]): Promise<Line[]> {
  const lines = await restartsOn("SQLite", join(folder, "restarts"), {});
  const postgres = await startDurablePostgres();
  if (typeof postgres === "string") {
    left.push(`restarts on PostgreSQL: ${postgres}.`);
    return lines;
  }
  try {
    const settings = { SIGNALBOX_DATABASE_URL_US: postgres.url };
    return [...lines, ...(await restartsOn("PostgreSQL", join(folder, "restarts-postgres"), settings))];
  } finally {
    await postgres.stop();
  }
}

async function restartsOn(kind: string, home: string, settings: Record<string, string>): Promise<Line[]> {
  const start = async () => {
    const from = performance.now();
    const target = await startSignalbox(home, [], { ...settings, SIGNALBOX_SANDBOXES: "off" });
    return { target, milliseconds: performance.now() - from };
  };
  // The first start makes the first account, which it does only in an empty store, and fills the cache of compiled code.
  await (await start()).target.stop();
  const store = await openStore(readConfig(settings, { home, regions: "us", firstRun: "on" }), "us");
  console.log(`${kind}: storing ${rows.toLocaleString("en-US")} runs`);
  await fill(store);
  await store.close();
  const account = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")).regions.us;
  const load = await startLoad();
  const [stopped, killed]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < rounds; round++) {
      const afterStop = await start();
      stopped.push(afterStop.milliseconds);
      const underWay = load.measure(
        { target: afterStop.target, calls: [callTo("create project", account)] },
        loadSeconds,
      );
      // The load fails with its server.
      underWay.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, loadSeconds * 500));
      process.kill(afterStop.target.pid, "SIGKILL");
      await afterStop.target.stop();
      await Promise.allSettled([underWay]);
      const afterKill = await start();
      killed.push(afterKill.milliseconds);
      await afterKill.target.stop();
      console.log(`restarts on ${kind}: round ${round + 1} of ${rounds}`);
    }
  } finally {
    await load.stop();
  }
  const most = { name: "5 s", figures: stopped.map(() => mostMilliseconds) };
  const what = `ready with ${rows.toLocaleString("en-US")} runs, ${kind}`;
  return [
    lineOf(`${what}, after a stop`, "ms", stopped, most, 1),
    lineOf(`${what}, after kill -9`, "ms", killed, most, 1),
  ];
}

const definition = {
  title: "Rests",
  params_schema: { type: "object" },
  steps: [{ name: "rest", step: "wait", input: { seconds: 0 } }],
};

/** One run that has ended, and copies of it whose ids are in order, as those of real runs are. */
async function fill(store: Store): Promise<void> {
  const project = await newProject(store);
  const tool = await publishedTool(store, project, definition);
  const run = newRun(startOf(project, tool));
  const finishedAt = run.createdAt;
  await store.transaction((db) =>
    insertPlannedRun(db, { ...run, status: "succeeded", runAt: null, finishedAt, fence: 1, claimsWithoutProgress: 1 }),
  );
  const [row = {}] = await store.query<Record<string, unknown>>("select * from runs where id = $1", [run.id]);
  const columns = Object.keys(row);
  const prefix = newId("run", "us").slice(0, -8);
  const number = store.kind === "sqlite" ? "printf('%08d', i)" : "lpad(i::text, 8, '0')";
  const values = columns.map((column) => (column === "id" ? `'${prefix}' || ${number}` : column));
  const batch = 50_000;
  for (let from = 0; from < rows; from += batch) {
    await store.exclusively((_db, runScript) =>
      runScript(`insert into runs (${columns.join(", ")})
        with recursive numbers(i) as (select ${from} union all select i + 1 from numbers where i < ${from + batch - 1})
        select ${values.join(", ")} from numbers cross join (select * from runs where id = '${run.id}') as one`),
    );
  }
}
