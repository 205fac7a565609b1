import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { leastOf } from "../test/attacks/support/hostile/pause.ts";
import { type HostileWorld, openHostileWorld } from "../test/attacks/support/hostile/world.ts";
import { type Line, lineOf } from "./rounds/table.ts";

/** "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop." */
const goalMilliseconds = 50;
const largest = 4 * 1024 * 1024 - 4096;
const togetherCount = 12;

const listed = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(",");
/** Values of the largest size, each slow for another reason: to copy, to redact, to encode, to parse, to list. */
const values: Record<string, string> = {
  letters: JSON.stringify("x".repeat(largest)),
  "half tokens": JSON.stringify("eyJ-".repeat(largest / 4)),
  emoji: JSON.stringify("😀".repeat(largest / 4)),
  "texts with escapes": `[${listed(190_000, (index) => `"\\n\\"${index}\\u00e4"`)}]`,
  members: `{${listed(60_000, (index) => `"name_${index}":"${"eyJ-".repeat(10)}"`)}}`,
};

interface LargeCall {
  name: string;
  path: string;
  body: (value: string) => string;
  /** How many are sent at the same time. */
  count?: number;
}

/** The longest turn of the event loop that a body of the largest size takes, by itself; the goal is kept if the slowest value keeps it. */
export async function measureBodies(folder: string): Promise<Line[]> {
  const home = join(folder, "bodies");
  mkdirSync(home);
  const world = await openHostileWorld(home);
  try {
    const lines: Line[] = [];
    for (const call of callsOf(world)) {
      const took: number[] = [];
      for (const [kind, value] of Object.entries(values)) {
        const milliseconds = await longestTurn(world, call, value);
        console.log(`${call.name}, ${kind}: ${milliseconds} ms`);
        took.push(milliseconds);
      }
      const goal = { name: "goal", figures: took.map(() => goalMilliseconds) };
      const line = lineOf(call.name, "ms", took, goal, 1);
      lines.push({ ...line, met: line.ratio.min >= 1 });
    }
    return lines;
  } finally {
    await world.close();
  }
}

function callsOf({ values: { agent_id, tool_id }, connections, webhookPath }: HostileWorld): LargeCall[] {
  const step = { connection_id: connections.deployment, input: { method: "PATCH", path: "/v9/projects/web" } };
  const trigger = (value: string) => `{"params":{"a":${value}}}`;
  const event = (value: string) => `{"type":"test","payload":{"a":${value}}}`;
  const triggerAsync = { path: `/latest/tools/${tool_id}/trigger_async`, body: trigger };
  return [
    { name: "a test event", path: `/latest/agents/${agent_id}/test_event`, body: event },
    { name: "an event", path: webhookPath, body: event },
    { name: "tools/{tool_id}/trigger", path: `/latest/tools/${tool_id}/trigger`, body: trigger },
    { name: "tools/{tool_id}/trigger_async", ...triggerAsync },
    { name: `the same, ${togetherCount} together`, ...triggerAsync, count: togetherCount },
    {
      name: "schedules/create",
      path: "/latest/schedules/create",
      body: (value) => `{"tool_id":"${tool_id}","cron":"0 9 1 1 *","params":{"a":${value}}}`,
    },
    {
      name: "steps/{step_id}/run",
      path: "/latest/steps/deployment_api_call/run",
      body: (value) => JSON.stringify(step).replace(/\}\}$/, `,"body":{"framework":${value}}}}`),
    },
  ];
}

/** The least of several tries, because garbage may be collected in any of them. */
function longestTurn(world: HostileWorld, { name, path, body, count = 1 }: LargeCall, value: string): Promise<number> {
  return leastOf(world, async () => {
    const sent = Array.from({ length: count }, () => {
      const headers = { ...world.headers, "idempotency-key": crypto.randomUUID() };
      return world.send({ method: "POST", path, headers, body: body(value) });
    });
    const refused = (await Promise.all(sent)).find((status) => status !== 200 && status !== 202);
    if (refused !== undefined) throw new Error(`${name} was refused: ${refused}.`);
  });
}
