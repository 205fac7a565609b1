import { expect, test } from "vitest";
import { createLog } from "../../src/kernel/log.ts";
import { queueRun } from "../../src/runs/queue/start-run.ts";
import { startDue } from "../../src/schedules/start-due.ts";
import type { Store } from "../../src/store/db.ts";
import { newAgent, sendEvent } from "../support/runs/agents.ts";
import { change, startWorld } from "../support/runs/event-world.ts";
import { describeOnBothStores } from "../support/stores.ts";

/**
 * "Nothing that a caller chooses may take more than 50 ms of the event loop." SQLite writes on its thread and rewrites whole
 * rows, so what is large is written once, in parts, and never with the row of a run or an event.
 */
const payload = { note: "x".repeat(1_000_000) };

const longestIn = async (store: Store, table: string, column: string): Promise<number> =>
  Number((await store.query<{ most: number }>(`select max(length(${column})) as most from ${table}`))[0]?.most);

describeOnBothStores("large params and events", (kind) => {
  const isApart = kind === "sqlite";

  test("of a run that a call starts are read as they were sent, and stay outside its row", async () => {
    const { team, toolId } = await startWorld(kind);
    for (const [operation, more] of [
      ["trigger", { wait_seconds: 5 }],
      ["trigger_async", {}],
    ] as const) {
      const { body } = await change(team, `tools/${toolId}/${operation}`, { params: payload, ...more });
      const { body: run } = await change(team, `runs/${body.run_id}/get`);
      expect(run.params).toEqual(payload);
    }
    const { results } = (await change(team, "runs/list")).body;
    const { body: again } = await change(team, `runs/${results[0].run_id}/replay`);
    expect((await change(team, `runs/${again.run_id}/get`)).body.params).toEqual(payload);
    expect((await longestIn(team.store, "runs", "params")) < 100).toBe(isApart);
  });

  test("of a schedule start a run for each missed time, and stay outside the rows of the runs", async () => {
    const { team, toolId } = await startWorld(kind);
    const wish = { tool_id: toolId, cron: "*/10 * * * *", misfire: "all", params: payload };
    await change(team, "schedules/create", wish);
    // Three times are due.
    team.advance(1800);
    const { compute } = team.context.rooms;
    const parts = { store: team.store, region: "us" as const, compute, now: team.now, queueRun, wake: () => {} };
    // Large params take long to check. A later poll finds that they are ready.
    const pending = new Map();
    let runs: string[] = [];
    while (runs.length === 0) {
      runs = await startDue({ ...parts, log: createLog("silent", { write: () => {} }) }, pending);
    }
    expect(runs).toHaveLength(3);
    for (const run of runs) expect((await change(team, `runs/${run}/get`)).body.params).toEqual(payload);
    const { results } = (await change(team, "schedules/list")).body;
    expect([results[0].params, results[0].last_run_id]).toEqual([payload, runs.at(-1)]);
    expect((await longestIn(team.store, "runs", "params")) < 100).toBe(isApart);
  });

  test("of an event are read as they came, by the run and by a reader, and once more after a replay", async () => {
    const { team, agent } = await startWorld(kind);
    const event = { type: "deployment.error", id: "evt-1", payload };
    const { status, body } = await sendEvent(team, agent, event);
    expect(status).toBe(202);
    const shown = (await change(team, `events/${body.event_id}/get`)).body;
    expect(shown.body).toEqual(event);
    expect((await change(team, `runs/${body.run_id}/get`)).body.params.payload).toEqual(payload);
    const again = (await change(team, `events/${body.event_id}/replay`)).body;
    expect(again.body).toEqual(event);
    expect((await change(team, `runs/${again.run_ids.at(-1)}/get`)).body.params.payload).toEqual(payload);
    // A repeat starts nothing.
    expect((await sendEvent(team, agent, event)).body).toEqual(body);
    expect((await longestIn(team.store, "events", "body")) < 100).toBe(isApart);
    expect((await longestIn(team.store, "runs", "params")) < 100).toBe(isApart);
  });

  test("of an event that several rules start runs with stay outside the row of each run", async () => {
    const { team, toolId } = await startWorld(kind);
    const rule = { on: "deployment.failed", tool_id: toolId };
    const agent = await newAgent(team, { rules: [rule, rule, rule] });
    const event = { type: "deployment.error", id: "evt-3", payload };
    const { body } = await sendEvent(team, agent, event);
    const { run_ids: runs } = (await change(team, `events/${body.event_id}/get`)).body;
    expect(runs).toHaveLength(3);
    for (const run of runs) expect((await change(team, `runs/${run}/get`)).body.params.payload).toEqual(payload);
    expect((await longestIn(team.store, "runs", "params")) < 100).toBe(isApart);
  });

  test("of an event that waits for its agent start the run once the agent is resumed", async () => {
    const { team, agent } = await startWorld(kind);
    await change(team, `agents/${agent.id}/pause`);
    const event = { type: "deployment.error", id: "evt-2", payload };
    const { body } = await sendEvent(team, agent, event);
    await change(team, `agents/${agent.id}/resume`);
    await team.context.rooms.events.queued.startDue();
    const { run_id } = (await change(team, `events/${body.event_id}/get`)).body;
    expect((await change(team, `runs/${run_id}/get`)).body.params.payload).toEqual(payload);
  });
});
