import { describe, expect, inject, test } from "vitest";
import { idsIn, insertOldEvent, prunerOf, setPolicy } from "../../test/support/databases/old-records.ts";
import { newAgent, platformEvent, sendEvent } from "../../test/support/runs/agents.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import type { GrowingTable } from "../store/partitions/months.ts";
import { partitionTable } from "../store/partitions/partition-table.ts";
import { growingTables } from "./growing-tables.ts";

const events = growingTables("us").find(({ name }) => name === "events") as GrowingTable;
const patient = { lockMilliseconds: 2_000, tries: 20, pauseMilliseconds: 5 };
const partitionEvents = ({ store, now }: Team): Promise<void> => partitionTable(store, events, now(), patient);

const rowsIn = async ({ store }: Team, relation: string): Promise<number> =>
  Number((await store.query<{ n: number }>(`select count(*) as n from ${relation}`))[0]?.n);

describe.skipIf(inject("postgresUrl") === null)("events that are partitioned by month", () => {
  test('"a repeat returns the first event", whatever month it is in; no event is lost meanwhile', async () => {
    const team = await startTeam("postgres");
    const agent = await newAgent(team);
    const post = async (id: string) =>
      (await sendEvent(team, agent, platformEvent("x", { id }))).body.event_id as string;
    const keyed = (days: number, key: string) => insertOldEvent(team, days, "ignored", [agent.id, `id:${key}`]);
    const [first, old] = [await post("first"), await keyed(20, "old")];
    for (const days of [1, 2, 3]) await keyed(days, `${days}`);
    const sent: string[] = [];
    let isDone = false;
    const sending = (async () => {
      while (!isDone) sent.push(await post(`while ${sent.length}`), await post(`while ${sent.length}`));
    })();
    await partitionEvents(team).finally(() => {
      isDone = true;
    });
    await sending;
    expect(await idsIn(team, "events")).toEqual(expect.arrayContaining([first, old, ...sent]));
    expect(await rowsIn(team, "event_keys")).toBe(await rowsIn(team, "events where repeat_key is not null"));
    const next = await keyed(-75, "next");
    const parts = await team.store.query("select distinct tableoid as part from events");
    expect(parts.length).toBe(2);
    expect([await post("first"), await post("next")]).toEqual([first, next]);
    // "Ids kept 7 days to drop replays."
    const again = await post("old");
    expect([again === old, await post("old")]).toEqual([false, again]);
    const together = await Promise.all([1, 2, 3, 4].map(() => post("at once")));
    expect(new Set(together).size).toBe(1);
    await setPolicy(team, { events: { days: 7, export: false } });
    team.advance(150 * 86_400);
    const pruner = prunerOf(team);
    for (let pass = 0; pass < 3; pass++) await pruner.pass();
    expect([await rowsIn(team, "events"), await rowsIn(team, "event_keys")]).toEqual([0, 0]);
    expect(await post("first")).not.toBe(first);
    expect(pruner.logged).toEqual([]);
  });

  test("keys of events that are stored in batches, and released meanwhile, are those of the stored events", async () => {
    const team = await startTeam("postgres");
    await team.store.transaction((db) =>
      db.query(`insert into events (id, organization_id, project_id, agent_id, type, system_type, body, status, run_ids, created_at, repeat_key)
        select 'evt_us_0' || lpad(n::text, 6, '0'), 'o', 'p', 'a', 'x', 'x', '{}', 'ignored', '[]', '2020', 'k' || n
          from generate_series(1, 12000) n`),
    );
    const release = async (): Promise<void> => {
      for (let n = 0; n < 120; n++) {
        const ids = Array.from({ length: 50 }, (_, at) => `'evt_us_0${String(100 * n + 2 * at + 1).padStart(6, "0")}'`);
        const how = n % 2 === 0 ? "delete from events" : "update events set repeat_key = null";
        await team.store.transaction((db) => db.query(`${how} where id in (${ids.join(", ")})`));
      }
    };
    await Promise.all([release(), partitionEvents(team)]);
    expect(await rowsIn(team, "event_keys")).toBe(6_000);
    const [{ n } = {}] = await team.store.query<{ n: number }>(
      "select count(*) as n from events e join event_keys k on k.agent_id = e.agent_id and k.repeat_key = e.repeat_key",
    );
    expect(Number(n)).toBe(6_000);
  });
});
