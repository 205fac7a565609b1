import { expect, test, vi } from "vitest";
import type { Store, Value } from "../../src/store/db.ts";
import { connectionThatOpensNothing } from "../support/calls/valid-calls.ts";
import { cleanUpLater, describeOnBothStores, newStore } from "../support/stores.ts";
import { allPages, startTeam, type Team } from "../support/team.ts";

/**
 * "Nothing that a tenant chooses may take more than 50 ms of the event loop": a hundred things that are as large as a call may
 * make them, listed at once, are four hundred megabytes.
 */

const large = "x".repeat(120 * 1024);
const pause = { name: "pause", step: "wait", input: { seconds: 1 } };
const toolWith = (note: string) => ({
  title: "A tool",
  params_schema: { type: "object", description: note },
  steps: [pause],
});
const answerBytesMax = 3 * 1024 * 1024;

async function make(team: Team, operation: string, body: unknown): Promise<Record<string, string>> {
  const answer = await team.call(operation, body, team.inProject(team.owner));
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.text}`);
  return answer.body;
}

/** All of a list, each page of which is small, though `limit` would allow it to be large. */
async function expectSmallPages(team: Team, operation: string, count: number): Promise<void> {
  const options = team.inProject(team.owner);
  const first = await team.call(operation, { limit: 100 }, options);
  expect(first.status).toBe(200);
  expect([operation, first.text.length < answerBytesMax]).toEqual([operation, true]);
  const pages = await allPages(team.call, operation, { limit: 100 }, options);
  expect([operation, pages.flat().length]).toEqual([operation, count]);
  expect(pages.length).toBeGreaterThan(1);
}

describeOnBothStores("lists of large records", (kind) => {
  test("a page of tools, versions, agents or schedules ends early, and the next page continues", async () => {
    const team = await startTeam(kind);
    const { tool_id: id = "" } = await make(team, "tools/create", toolWith(""));
    for (let number = 0; number < 20; number++) {
      await make(team, "tools/create", toolWith(`${number}${large}`));
      await make(team, `tools/${id}/update`, toolWith(`${number}${large}`));
      await make(team, `tools/${id}/publish`, {});
    }
    const rules = [{ on: "*", tool_id: id, params: { note: large.repeat(2) } }];
    for (let number = 0; number < 6; number++) {
      await make(team, "agents/create", { name: `Agent ${number}`, rules });
      await make(team, "schedules/create", { tool_id: id, cron: "0 9 * * *", params: { note: large.repeat(4) } });
    }
    await expectSmallPages(team, "tools/list", 21);
    await expectSmallPages(team, `tools/${id}/versions`, 20);
    await expectSmallPages(team, "agents/list", 6);
    await expectSmallPages(team, "schedules/list", 6);
    const connectionId = await connectionThatOpensNothing(team, "deployment");
    const impact = await make(team, `connections/${connectionId}/impact`, {});
    expect(impact).toEqual({ tools: [], agents: [], schedules: [] });
  });
});

test("a list of schedules lets the event loop turn while it finds their next times", async () => {
  const team = await startTeam("sqlite");
  const { tool_id: id } = await make(team, "tools/create", toolWith(""));
  for (let number = 0; number < 30; number++) await make(team, "schedules/create", { tool_id: id, cron: "0 9 * * *" });
  const turnsOf = async (limit: number): Promise<number> => {
    let turns = 0;
    const tick = () => {
      turns++;
      ticking = setImmediate(tick);
    };
    let ticking = setImmediate(tick);
    await make(team, "schedules/list", { limit });
    clearImmediate(ticking);
    return turns;
  };
  // Every look at the clock finds a slice of time used up.
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    now += 20;
    return now;
  });
  cleanUpLater(async () => clock.mockRestore());
  expect((await turnsOf(30)) - (await turnsOf(1))).toBeGreaterThan(20);
});

test("a list of runs or events does not read their params or bodies", async () => {
  const store = await newStore("sqlite");
  let read = "";
  const query = async <R>(sql: string, values?: readonly Value[]) => {
    const rows = await store.query<R>(sql, values);
    read += JSON.stringify(rows);
    return rows;
  };
  const team = await startTeam("sqlite", { store: { ...store, query } as Store });
  const note = "a note to be found";
  const { tool_id: id } = await make(team, "tools/create", toolWith(""));
  const { run_id: runId } = await make(team, `tools/${id}/trigger_async`, { params: { note } });
  const agent = await make(team, "agents/create", { name: "An agent", webhook_signature: "off" });
  const url = new URL(agent.webhook_url ?? "").pathname;
  const payload = JSON.stringify({ type: "something", note });
  const headers = { "content-type": "application/json" };
  const told = await team.app.inject({ method: "POST", url, headers, payload });
  expect(told.statusCode).toBe(202);
  for (const operation of ["runs/list", "events/list"]) {
    read = "";
    expect(await make(team, operation, {})).toMatchObject({ results: [{}] });
    expect([operation, read.includes(note)]).toEqual([operation, false]);
  }
  for (const operation of [`runs/${runId}/get`, `events/${told.json().event_id}/get`]) {
    expect(JSON.stringify(await make(team, operation, {}))).toContain(note);
    expect(read).toContain(note);
  }
});
