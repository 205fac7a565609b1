import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";
import { createLog } from "../kernel/log.ts";
import type { RunStart } from "../runs/queue/start-run.ts";
import { StoreUnavailable } from "../store/db.ts";
import { moveNextTimesBack } from "./clock-set-back.ts";
import { skipAfterRestore } from "./skip-after-restore.ts";
import { createScheduleClock, type ScheduleClockParts, startDue } from "./start-due.ts";

const plain = { title: "Waits", steps: [{ name: "pause", step: "wait", input: { seconds: 1 } }] };
/** A child process checks params against a pattern. */
const checkedElsewhere = {
  ...plain,
  params_schema: { type: "object", properties: { branch: { type: "string", pattern: "^[a-z]+$" } } },
};
const everyTenMinutes = { cron: "*/10 * * * *", misfire: "once" };

/** Some schedules of one tool, in the order in which they are due. The clock has not reached the first yet. */
async function startWith(kind: StoreKind, count: number, tool: object = plain) {
  const team = await startTeam(kind);
  const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
  const create = async (definition: object): Promise<string> => {
    const { tool_id } = (await call("tools/create", definition)).body;
    return (await call("schedules/create", { tool_id, ...everyTenMinutes })).body.schedule_id;
  };
  const { tool_id } = (await call("tools/create", tool)).body;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push((await call("schedules/create", { tool_id, ...everyTenMinutes })).body.schedule_id);
  }
  ids.sort();
  const starts: RunStart[] = [];
  const lines: { schedule_id?: string }[] = [];
  const parts: ScheduleClockParts = {
    store: team.store,
    region: "us",
    compute: team.context.rooms.compute,
    now: team.now,
    queueRun: async (_db, start) => {
      starts.push(start);
      return newId("run", "us");
    },
    wake: () => {},
    log: createLog("warn", { write: (line) => lines.push(JSON.parse(line)) }),
  };
  const set = (column: string, value: string, which: readonly string[]) =>
    team.store.transaction(async (db) => {
      for (const id of which) await db.query(`update schedules set ${column} = $2 where id = $1`, [id, value]);
    });
  const read = async (id: string) => {
    const sql = "select next_at, last_run_id, last_problem from schedules where id = $1";
    return (await team.store.query<Record<string, string | null>>(sql, [id]))[0];
  };
  const logged = () => lines.flatMap(({ schedule_id: id }) => id ?? []);
  return { team, call, create, ids, starts, parts, set, read, logged };
}

const breaksFor =
  ({ queueRun }: ScheduleClockParts, id: string | undefined, error: Error): ScheduleClockParts["queueRun"] =>
  (db, start) =>
    start.source.id === id ? Promise.reject(error) : queueRun(db, start);

describeOnBothStores("a schedule that fails", (kind) => {
  test("because its params cannot be checked delays no other, says so, and starts once they can be", async () => {
    const { team, call, create, ids, parts, read, logged } = await startWith(kind, 1, checkedElsewhere);
    const [failing = ""] = ids;
    const other = await create(plain);
    team.advance(601);
    const run = () => Promise.reject(new Error("The process cannot be started."));
    const started = await startDue({ ...parts, compute: { ...parts.compute, run } });
    expect(started).toEqual([(await read(other))?.last_run_id]);
    expect(logged()).toEqual([failing]);
    const { results } = (await call("schedules/list")).body;
    const shown = () => results.find((each: { schedule_id: string }) => each.schedule_id === failing);
    expect(shown()).toMatchObject({ last_run_id: null, last_problem: { code: "internal" } });

    // A check may outlast a poll; a later one finds it done.
    const pending = new Map();
    await expect.poll(() => startDue(parts, pending)).toHaveLength(1);
    expect((await read(failing))?.last_problem).toBeNull();
  });

  test.each([
    ["has a time zone that this process does not know", "time_zone", "Moon"],
    ["has params that cannot be read", "params", "{"],
    ["has a problem that cannot be read", "last_problem", "{"],
  ])("because it %s delays no other", async (_, column, value) => {
    const { team, ids, parts, set, starts, read, logged } = await startWith(kind, 3);
    const [first, failing = "", last] = ids;
    await set(column, value, [failing]);
    const before = (await read(failing))?.next_at;
    team.advance(601);
    await startDue(parts);
    expect(starts.map(({ source }) => source.id).sort()).toEqual([first, last]);
    expect(logged()).toEqual([failing]);
    expect(await read(failing)).toEqual({
      next_at: before,
      last_run_id: null,
      last_problem: expect.stringContaining('"internal"'),
    });
  });

  test("because of its time zone is still listed, so that its owner can change it", async () => {
    const { team, call, ids, parts, set } = await startWith(kind, 1);
    await set("time_zone", "Moon", ids);
    team.advance(601);
    await startDue(parts);
    const { body } = await call("schedules/list");
    expect(body.results).toMatchObject([{ time_zone: "Moon", next_runs: [], last_problem: { code: "internal" } }]);
    expect((await call(`schedules/${ids[0]}/update`, { time_zone: "UTC" })).body.next_runs).toHaveLength(5);
  });

  test("delays no other, even if there are batches of them before it", async () => {
    const { team, ids, parts, set, starts, logged } = await startWith(kind, 46);
    const last = ids.pop();
    await set("time_zone", "Moon", ids);
    await set("next_at", "2020-01-01T00:00:00.000Z", ids);
    team.advance(601);
    expect(await startDue(parts)).toHaveLength(1);
    expect(starts.map(({ source }) => source.id)).toEqual([last]);
    // Each is tried once in a poll.
    expect(logged().sort()).toEqual(ids);
  });

  test("in the transaction of its batch leaves the others to start, each once", async () => {
    const { team, ids, parts, read, logged } = await startWith(kind, 3);
    const [first = "", failing = "", last = ""] = ids;
    team.advance(601);
    const queueRun = breaksFor(parts, failing, new Error("It breaks."));
    const started = await startDue({ ...parts, queueRun });
    const kept = await Promise.all([first, last].map(async (id) => (await read(id))?.last_run_id));
    expect(started.sort()).toEqual(kept.sort());
    expect(logged()).toEqual([failing]);
    expect((await read(failing))?.last_problem).toContain('"internal"');
    expect(await startDue(parts)).toEqual([(await read(failing))?.last_run_id]);
    expect((await read(failing))?.last_problem).toBeNull();
  });

  test("because the store is unavailable is not tried alone, and is not at fault", async () => {
    const { team, ids, parts, read } = await startWith(kind, 3);
    team.advance(601);
    const lost = new StoreUnavailable("unreachable", new Error("gone"));
    let calls = 0;
    const queueRun = () => {
      calls++;
      return Promise.reject(lost);
    };
    await expect(startDue({ ...parts, queueRun })).rejects.toBe(lost);
    expect(calls).toBe(1);
    for (const id of ids) expect(await read(id)).toMatchObject({ last_run_id: null, last_problem: null });
  });

  test("after the clock was set back stops neither the others' next times nor their starts", async () => {
    const { team, ids, parts, set, starts, logged } = await startWith(kind, 3);
    const [failing = "", ahead = "", due] = ids;
    const inTenYears = new Date(team.now().getTime() + 3650 * 86_400_000).toISOString();
    await set("next_at", inTenYears, [failing, ahead]);
    await set("time_zone", "Moon", [failing]);
    expect(await moveNextTimesBack(parts.store, team.now(), parts.log)).toBe(1);
    expect(logged()).toEqual([failing]);
    team.advance(601);
    const clock = createScheduleClock(parts);
    clock.begin();
    await clock.stop();
    expect(starts.map(({ source }) => source.id).sort()).toEqual([ahead, due].sort());
  });

  // "Work that grows with the data is done in slices." Next times take longer to find than their rows to read.
  test("is not needed for others to get a turn, among a thousand, after the clock was set back", async () => {
    const { team, ids, parts } = await startWith(kind, 1);
    const columns = `organization_id, project_id, tool_id, cron, time_zone, misfire, params, enabled, next_at, created_by, created_at,
      updated_at, run_as`;
    await team.store.transaction((db) =>
      db.query(
        `insert into schedules (id, ${columns})
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
         select id || '_' || n, ${columns} from schedules, numbers where id = $1`,
        ids,
      ),
    );
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await moveNextTimesBack(parts.store, team.now(), parts.log);
    isOver = true;
    expect(turns).toBeGreaterThan(1);
  });

  test("after a restore keeps no other from its next time", async () => {
    const { team, ids, parts, set, starts } = await startWith(kind, 2);
    const [failing = ""] = ids;
    await set("time_zone", "Moon", [failing]);
    team.advance(3601);
    await skipAfterRestore(team.store, team.now());
    expect(await startDue(parts)).toEqual([]);
    // Once its zone is known, it continues; what it missed before the restore is not caught up on.
    await set("time_zone", "UTC", [failing]);
    await set("misfire", "all", ids);
    team.advance(600);
    expect(await startDue(parts)).toHaveLength(2);
    expect(starts).toHaveLength(2);
  });
});
