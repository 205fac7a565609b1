import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createDueQueue } from "../src/runs/queue/due-queue.ts";
import { insertPlannedRun } from "../src/runs/queue/queue.ts";
import { newRun } from "../src/runs/queue/start-run.ts";
import type { Store } from "../src/store/db.ts";
import { migrate } from "../src/store/migrate.ts";
import { openPostgres } from "../src/store/postgres/postgres.ts";
import { openSqlite } from "../src/store/sqlite/sqlite.ts";
import type { Plan } from "./rounds/compare.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { newProject, publishedTool, startOf } from "./targets/published-tool.ts";

const sizes = { long: 100_000, short: 100 };
const goal = 0.9;
const atOnce = 16;

/** Claiming from a long queue beside claiming from a short one. What was claimed goes back to its end, so both stay as long. */
export async function claimRates(folder: string, plan: Plan, postgresUrl: string | null): Promise<Line[]> {
  const lines = await compareSizes("SQLite", plan, (name) => {
    mkdirSync(join(folder, "claims"), { recursive: true });
    return Promise.resolve(openSqlite(join(folder, "claims", `${name}.sqlite`)));
  });
  if (postgresUrl === null) return lines;
  const onPostgres = await compareSizes("PostgreSQL", plan, async (name) => {
    const admin = openPostgres(postgresUrl, 1);
    await admin.query(`create database claims_${name}`);
    await admin.close();
    return openPostgres(postgresUrl.replace(/postgres$/, `claims_${name}`));
  });
  return [...lines, ...onPostgres];
}

async function compareSizes(kind: string, plan: Plan, open: (name: string) => Promise<Store>): Promise<Line[]> {
  const stores: Store[] = [];
  try {
    for (const [name, size] of Object.entries(sizes)) {
      const store = await open(name);
      stores.push(store);
      await migrate(store, new Date());
      await fill(store, size);
    }
    for (const store of stores) await claim(store, 1);
    const [long = [], short = []] = await inRounds(
      plan.rounds,
      stores.map((store) => () => claim(store, plan.seconds)),
      (round) => console.log(`claims on ${kind}: round ${round + 1} of ${plan.rounds}`),
    );
    const what = `claims from ${sizes.long.toLocaleString("en-US")} queued runs, ${kind}`;
    return [lineOf(what, "/s", long, { name: `from ${sizes.short}`, figures: short }, goal)];
  } finally {
    for (const store of stores) await store.close();
  }
}

const definition = {
  title: "Three calls",
  params_schema: { type: "object" },
  steps: Array.from({ length: 3 }, (_, index) => ({
    name: `step_${index}`,
    step: "deployment_api_call",
    connection_id: "con_us_bench",
    input: { method: "GET", path: "/v9/projects/web" },
  })),
};

async function fill(store: Store, size: number): Promise<void> {
  const batch = 1000;
  const project = await newProject(store);
  const tool = await publishedTool(store, project, definition);
  for (let made = 0; made < size; made += batch) {
    await store.transaction(async (db) => {
      for (let number = made; number < Math.min(size, made + batch); number++) {
        await insertPlannedRun(db, newRun(startOf(project, tool, { number })));
      }
    });
  }
  if (store.kind === "postgres")
    await store.exclusively((_db, runScript) => runScript("analyze runs; analyze run_queue"));
}

const putBack = "update run_queue set worker = null, lease_until = null, due_at = $2 where run_id = $1";

/** Claims a second. Putting them back keeps the queue as long as it was, and is not counted. */
async function claim(store: Store, seconds: number): Promise<number> {
  const from = performance.now();
  const line = createDueQueue(store, "w_bench");
  let [claimed, milliseconds] = [0, 0];
  while (performance.now() - from < seconds * 1000) {
    const now = new Date().toISOString();
    const leaseUntil = new Date(Date.now() + 30_000).toISOString();
    const asked = performance.now();
    const { runs } = await line.claim({ now, leaseUntil }, atOnce);
    milliseconds += performance.now() - asked;
    await store.transaction(async (db) => {
      for (const { id } of runs) await db.query(putBack, [id, now]);
    });
    claimed += runs.length;
  }
  return claimed / (milliseconds / 1000);
}
