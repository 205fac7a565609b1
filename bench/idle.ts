import { join } from "node:path";
import { newId } from "../src/kernel/ids.ts";
import { insertPlannedRun } from "../src/runs/queue/queue.ts";
import { newRun } from "../src/runs/queue/start-run.ts";
import type { PlannedRun, WaitingFor } from "../src/runs/record/run-record.ts";
import { insertSchedule } from "../src/schedules/schedules.store.ts";
import { openStore } from "../src/start/region/open-database.ts";
import { readConfig } from "../src/start/settings/config.ts";
import type { Store } from "../src/store/db.ts";
import { cpuSecondsOf } from "./load/cores.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { startDurablePostgres } from "./targets/durable-postgres.ts";
import { type BenchProject, newProject, publishedTool, startOf } from "./targets/published-tool.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";

const sizes = { owners: 1_000, runs: 100_000, schedules: 10_000 };
const settleSeconds = 20;
/** Longer than all that a node does every few seconds. */
const roundSeconds = 20;
const rounds = 3;
/** Two hundredths of a core, in milliseconds of each second. */
const most = 20;

/** What a node uses that nobody calls, while runs wait for a person or a time, and schedules for tomorrow. */
export async function measureIdle(folder: string, left: string[]): Promise<Line[]> {
  const lines = [await idleNode("SQLite", join(folder, "idle"), {})];
  const postgres = await startDurablePostgres();
  if (typeof postgres === "string") {
    left.push(`an idle node on PostgreSQL: ${postgres}.`);
    return lines;
  }
  try {
    const settings = { SIGNALBOX_DATABASE_URL_US: postgres.url };
    return [...lines, await idleNode("PostgreSQL", join(folder, "idle-postgres"), settings)];
  } finally {
    await postgres.stop();
  }
}

async function idleNode(kind: string, home: string, settings: Record<string, string>): Promise<Line> {
  const store = await openStore(readConfig(settings, { home, regions: "us", firstRun: "on" }), "us");
  await fill(store);
  await store.close();
  const node = await startSignalbox(home, [], { ...settings, SIGNALBOX_SANDBOXES: "off" });
  try {
    await after(settleSeconds);
    const used: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = cpuSecondsOf(node.pid) ?? Number.NaN;
      await after(roundSeconds);
      used.push((((cpuSecondsOf(node.pid) ?? Number.NaN) - before) / roundSeconds) * 1000);
      console.log(`idle node on ${kind}: round ${round + 1} of ${rounds}`);
    }
    const bound = used.map(() => most);
    return lineOf(`CPU of an idle node each second, ${kind}`, "ms", used, { name: "2 % of a core", figures: bound }, 1);
  } finally {
    await node.stop();
  }
}

const after = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

const definition = {
  title: "Asks, then waits",
  params_schema: { type: "object" },
  steps: [{ name: "ask", step: "approve", input: { message: "May I?" } }],
};

async function fill(store: Store): Promise<void> {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  for (let number = 0; number < sizes.owners; number++) {
    const project = await newProject(store, `owner-${number}@example.com`);
    const tool = await publishedTool(store, project, definition);
    await store.transaction(async (db) => {
      for (let made = 0; made < sizes.runs / sizes.owners; made++) {
        await insertPlannedRun(db, waitingRun(project, tool, made % 2 === 0 ? tomorrow : null));
      }
      for (let made = 0; made < sizes.schedules / sizes.owners; made++) {
        await insertSchedule(db, dailySchedule(project, tool.id, tomorrow));
      }
    });
  }
  if (store.kind === "postgres") await store.exclusively((_db, runScript) => runScript("analyze"));
}

/** Waits for a time, or for a person. */
function waitingRun(
  project: BenchProject,
  tool: Awaited<ReturnType<typeof publishedTool>>,
  until: string | null,
): PlannedRun {
  const run = newRun(startOf(project, tool));
  const waitingFor: WaitingFor =
    until === null
      ? { kind: "approval", step: "ask", detail: "May I?" }
      : { kind: "time", step: "ask", detail: "Waits for a time.", until };
  return { ...run, status: "waiting", fence: 1, runAt: until, waitingFor };
}

const dailySchedule = (project: BenchProject, toolId: string, nextAt: string): Parameters<typeof insertSchedule>[1] => {
  const now = new Date().toISOString();
  return {
    id: newId("schedule", "us"),
    organizationId: project.organizationId,
    projectId: project.id,
    toolId,
    cron: "0 6 * * *",
    timeZone: "UTC",
    misfire: "skip",
    params: {},
    enabled: true,
    nextAt,
    lastAt: null,
    lastRunId: null,
    lastProblem: null,
    runAs: project.userId,
    createdBy: project.userId,
    createdAt: now,
    updatedAt: now,
  };
};
