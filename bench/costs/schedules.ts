import { setTimeout as after } from "node:timers/promises";
import type { CallToMake } from "../load/requests.ts";
import { ask, callMany } from "./callers.ts";
import { costWhile, type Meters, type Used } from "./meters.ts";

const count = 200;
const minuteMs = 60_000;
/** Creating them takes less, and nodes look for due schedules every five seconds. */
const [leastMs, afterMs] = [30_000, 12_000];

/** Schedules that are all due at the next full minute, each with a run of the tool that the call triggers. */
export async function measureSchedules(port: number, trigger: CallToMake, meters: Meters, idle: Used): Promise<Used> {
  const { headers } = trigger;
  const tool_id = trigger.path.split("/")[3];
  const left = () => minuteMs - (Date.now() % minuteMs);
  if (left() < leastMs) await after(left() + 100);
  const body = { tool_id, cron: "* * * * *" };
  await callMany(port, { path: "/latest/schedules/create", headers, body }, count);
  await after(left() - 1000);
  const cost = await costWhile(() => after(1000 + afterMs), count, meters, idle);
  const page = await ask<{ results: { last_run_id: string | null }[] }>(port, {
    path: "/latest/schedules/list",
    headers,
    body: { limit: 100 },
  });
  if (page.results.some(({ last_run_id }) => last_run_id === null)) throw new Error("A schedule has not fired.");
  return cost;
}
