import { join } from "node:path";
import { expect, test } from "vitest";
import { longestPause } from "../../test/attacks/support/watch-loop.ts";
import { cleanUpLater, describeOnBothStores, type StoreKind, temporaryFolder } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";
import type { Store } from "../store/db.ts";
import { deleteUnownedTexts, isReference } from "../store/large-texts.ts";
import { knownMigrations, migrate } from "../store/migrate.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { readSchedule } from "./schedules.store.ts";

const tool = {
  title: "Waits",
  params_schema: { type: "object" },
  steps: [{ name: "pause", step: "wait", input: { seconds: 1 } }],
};
const largeNote = "😀".repeat(500_000);

async function startWithTool(kind: StoreKind) {
  const team = await startTeam(kind);
  const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
  const { tool_id: toolId } = (await call("tools/create", tool)).body;
  const make = async (note: string) => {
    const { status, body } = await call("schedules/create", { tool_id: toolId, cron: "0 9 * * *", params: { note } });
    expect([status, body.params]).toEqual([200, { note }]);
    return body.schedule_id as string;
  };
  return { team, call, make, toolId };
}

describeOnBothStores("a schedule with large params", (kind) => {
  const columnOf = async (store: Store, id: string): Promise<string> =>
    String((await store.query("select params from schedules where id = $1", [id]))[0]?.params);
  const countTexts = async (store: Store): Promise<number> =>
    (await store.query("select distinct id from large_texts")).length;

  test("returns them, and its row stays small on SQLite", async () => {
    const { team, call, make } = await startWithTool(kind);
    const id = await make(largeNote);
    expect(isReference(await columnOf(team.store, id))).toBe(kind === "sqlite");
    expect((await readSchedule(team.store, id))?.params).toEqual({ note: largeNote });
    const changed = await call(`schedules/${id}/update`, { enabled: false });
    expect([changed.status, changed.body.enabled, changed.body.params]).toEqual([200, false, { note: largeNote }]);
    expect((await call("schedules/list")).body.results[0].params).toEqual({ note: largeNote });
  });

  test("stores no text that no schedule has any more", async () => {
    const { team, call, make, toolId } = await startWithTool(kind);
    const [one, other, third] = [await make(largeNote), await make(`${largeNote}!`), await make(`${largeNote}?`)];
    const large = kind === "sqlite" ? 1 : 0;
    expect(await countTexts(team.store)).toBe(3 * large);
    const next = { note: `${largeNote}.` };
    expect((await call(`schedules/${one}/update`, { params: next })).body.params).toEqual(next);
    await call(`schedules/${other}/update`, { params: { note: "short" } });
    await call(`schedules/${third}/delete`);
    await deleteUnownedTexts(team.store, team.now());
    expect(await countTexts(team.store)).toBe(large);
    const shown = [];
    for (const id of [one, other]) shown.push((await readSchedule(team.store, id))?.params);
    expect(shown).toEqual([next, { note: "short" }]);
    await call(`tools/${toolId}/delete`);
    await deleteUnownedTexts(team.store, team.now());
    expect(await countTexts(team.store)).toBe(0);
  });
});

// "Nothing that a tenant chooses may take more than 50 ms of the event loop": 200, for slow machines.
test("schedules with large params do not slow down the list of those beside them", async () => {
  const { call, make } = await startWithTool("sqlite");
  for (let number = 0; number < 30; number++) await make("small");
  for (let number = 0; number < 30; number++) await make("x".repeat(3_900_000));
  for (let number = 0; number < 30; number++) await make("small");
  const pause = await longestPause(async () => {
    expect((await call("schedules/list", { limit: 100 })).body.results).toHaveLength(30);
  });
  expect(pause).toBeLessThan(200);
}, 120_000);

test("large params that an earlier version stored in the row move out of it", async () => {
  const store = openSqlite(join(temporaryFolder(), "us.sqlite"));
  cleanUpLater(() => store.close());
  await migrate(
    store,
    new Date(),
    knownMigrations().filter(({ name }) => name < "0041"),
  );
  const notes = [700_000, 131_073, 131_072].map((length) => "😀".repeat(length - 2));
  await store.transaction(async (db) => {
    for (const statement of [
      "insert into organizations (id, name, project_creation, keys_on_reactivation, created_at) values ('org_1', '', '', '', '')",
      "insert into projects (id, organization_id, name, description, created_by, created_at, updated_at) values ('prj_1', 'org_1', '', '', '', '', '')",
      "insert into tools (id, organization_id, project_id, definition, revision, created_by, created_at, updated_at) values ('tol_1', 'org_1', 'prj_1', '{}', 1, '', '', '')",
    ])
      await db.query(statement);
    for (const [number, note] of notes.entries()) {
      await db.query(
        `insert into schedules (id, organization_id, project_id, tool_id, cron, time_zone, misfire, params, enabled,
         created_by, created_at, updated_at, run_as)
       values ($1, 'org_1', 'prj_1', 'tol_1', '@daily', 'UTC', 'skip', $2, 1, 'usr_1', '', '', 'usr_1')`,
        [`sch_${number}`, JSON.stringify(note)],
      );
    }
  });
  await migrate(store, new Date());
  expect((await store.query("select distinct id from large_texts order by id")).map(({ id }) => id)).toEqual([
    "sch_0",
    "sch_1",
  ]);
  for (const [number, note] of notes.entries()) expect((await readSchedule(store, `sch_${number}`))?.params).toBe(note);
});
