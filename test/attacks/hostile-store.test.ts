import { expect, test } from "vitest";
import { pauseOf } from "./support/hostile/pause.ts";
import { startHostileWorld } from "./support/hostile/start-world.ts";
import type { HostileWorld } from "./support/hostile/world.ts";

/**
 * "Nothing that a tenant chooses may take more than 50 ms of the event loop": not when it is kept, and not when it is listed,
 * read, started or replayed afterwards. A tenant fills its project with the largest of everything, and looks at it.
 */

/** As large and as full of values as a body may be, and full of what looks like secrets. */
const note = "access_token=x, eyJ-".repeat(100_000);
const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: "a=b" }));
/** All that the rules of an agent may hold. */
const largestRule = { note: { note: note.slice(0, 250_000) }, rows: { rows: rows.slice(0, 2_000) } };
const text = "x".repeat(120 * 1024);
const count = 12;

async function fill(world: HostileWorld, made: (operation: string, body: unknown) => Promise<void>): Promise<void> {
  const { tool_id, connection_id } = world.values;
  const pause = { name: "pause", step: "wait", input: { seconds: 1 } };
  for (let number = 0; number < count; number++) {
    const params = number % 2 === 0 ? { note } : { rows };
    await made(`tools/${tool_id}/trigger_async`, { params });
    await made("schedules/create", { tool_id, cron: "0 9 1 1 *", params });
    await made("agents/create", {
      name: `Agent ${number}`,
      instructions: "x".repeat(50_000),
      rules: [{ on: "*", tool_id, params: number % 2 === 0 ? largestRule.note : largestRule.rows }],
    });
    await made("tools/create", {
      title: `Tool ${number}`,
      params_schema: { type: "object", description: text },
      steps: [pause],
    });
    await made("steps/deployment_api_call/run", {
      connection_id,
      input: { method: "POST", path: "/v10/projects", body: params },
      wait_seconds: 0,
    });
    await world.send({
      method: "POST",
      path: world.webhookPath,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "deployment.created", id: String(number), payload: params }),
    });
  }
}

/** The ids of a list, newest or oldest first, from its first pages. */
async function idsIn(world: HostileWorld, operation: string, name: string): Promise<string[]> {
  const { body } = await world.call(operation, { limit: 100 });
  const results = body.results as unknown as Record<string, string>[];
  return results.flatMap((each) => each[name] ?? []).slice(0, 4);
}

test("reading the largest stored records does not block other callers", { timeout: 900_000 }, async () => {
  const world = await startHostileWorld();
  const found: string[] = [];
  const watch = async (operation: string, body: unknown = {}): Promise<number> => {
    let status = 0;
    const pause = await pauseOf(world, async () => {
      ({ status } = await world.call(operation, body));
    });
    if (pause !== null) found.push(`${pause}: ${operation}`);
    return status;
  };
  await fill(world, async (operation, body) => {
    expect([operation, await watch(operation, body)]).toEqual([operation, 200]);
  });
  const limit = { limit: 100 };
  for (const list of [
    "runs/list",
    "schedules/list",
    "agents/list",
    "events/list",
    "tools/list",
    "audit/list",
    "limits/list",
  ])
    await watch(list, limit);
  await watch("audit/export");
  await watch("audit/verify");
  await watch(`connections/${world.values.connection_id}/impact`);
  for (const id of await idsIn(world, "runs/list", "run_id")) {
    await watch(`runs/${id}/get`);
    await watch(`runs/${id}/replay`);
  }
  for (const id of await idsIn(world, "events/list", "event_id")) {
    await watch(`events/${id}/get`);
    await watch(`events/${id}/replay`);
  }
  for (const id of await idsIn(world, "agents/list", "agent_id")) {
    await watch(`agents/${id}/get`);
    await watch(`agents/${id}/update`, { name: "Another" });
  }
  for (const id of await idsIn(world, "schedules/list", "schedule_id"))
    await watch(`schedules/${id}/update`, { cron: "0 8 1 1 *" });
  for (const id of await idsIn(world, "tools/list", "tool_id")) await watch(`tools/${id}/get`);
  expect(found).toEqual([]);
});
