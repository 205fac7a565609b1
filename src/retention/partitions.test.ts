import { describe, expect, inject, test } from "vitest";
import { appendRows, renameProject } from "../../test/support/calls/audit.ts";
import {
  idsIn,
  insertOldDelivery,
  insertOldEvent,
  insertOldRun,
  newWebhook,
  prunerOf,
  setPolicy,
} from "../../test/support/databases/old-records.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { knownMigrations, migrate } from "../store/migrate.ts";
import { readIndexes, readState } from "../store/partitions/catalogue.ts";
import type { GrowingTable } from "../store/partitions/months.ts";
import { PartitionRefused, partitionTable } from "../store/partitions/partition-table.ts";
import { growingTables } from "./growing-tables.ts";

const impatient = { lockMilliseconds: 50, tries: 2, pauseMilliseconds: 0 };
const patient = { lockMilliseconds: 2_000, tries: 20, pauseMilliseconds: 5 };
const tables = growingTables("us");
const names = tables.map(({ name }) => name);
const tableOf = (name: string): GrowingTable => tables.find((table) => table.name === name) as GrowingTable;

async function partitionAll(
  { store, now }: Team,
  wanted: readonly string[] = names,
  patience = impatient,
): Promise<void> {
  for (const name of wanted) await partitionTable(store, tableOf(name), now(), patience);
}

/** Runs and audit rows are written all the time meanwhile. Returns the runs; every call must succeed. */
async function whileWriting(team: Team, work: () => Promise<void>): Promise<string[]> {
  let isDone = false;
  const written: string[] = [];
  const write = async (): Promise<void> => {
    for (let i = 0; !isDone; i++) {
      written.push(await insertOldRun(team, { endedDaysAgo: 0 }));
      expect((await renameProject(team, `Name ${i}`)).status).toBe(200);
    }
  };
  const writing = Promise.all([write(), write()]);
  await work().finally(() => {
    isDone = true;
  });
  await writing;
  expect(written.length).toBeGreaterThan(1);
  return written;
}

/** A team with rows in every table that grows, and with statements that were prepared before the change. */
async function filledTeam(): Promise<Team & { hook: string; runId: string }> {
  const team = await startTeam("postgres");
  const hook = await newWebhook(team);
  const runId = await insertOldRun(team, { steps: 3, largeOutput: '"long"' });
  await insertOldDelivery(team, hook, 10);
  await insertOldEvent(team, 3);
  for (let i = 0; i < 3; i++) await lookEverywhere(team, hook);
  return { ...team, hook, runId };
}

const lookEverywhere = async (team: Team, hook: string) => ({
  runs: (await team.call("runs/list", {}, team.inProject(team.owner))).body.results,
  deliveries: (await team.call("webhooks/deliveries/list", { webhook_id: hook }, team.inProject(team.owner))).body
    .results,
  audit: (await team.call("audit/list", { whole_organization: true }, team.inProject(team.owner))).body.results,
});

const partitionsOf = async ({ store }: Team, name: string) => (await readState(store, tableOf(name)))?.partitions ?? [];

const rowsIn = async ({ store }: Team, relation: string): Promise<number> =>
  Number((await store.query<{ n: number }>(`select count(*) as n from ${relation}`))[0]?.n);

const verify = async (team: Team) => (await team.call("audit/verify", {}, team.inProject(team.owner))).body;

/** What statements and later migrations rely on: names of indexes and triggers, and rules of columns. */
const shapeOf = async ({ store }: Team, table: GrowingTable) => ({
  columns: await store.query(
    `select column_name, data_type, is_nullable, column_default from information_schema.columns
      where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [table.name],
  ),
  indexes: (await readIndexes(store, table.name, table.column))
    .filter(({ isUniqueInPartitionOnly }) => !isUniqueInPartitionOnly)
    .map(({ name, text, constraint }) => [name, text.replace(" ON ONLY ", " ON "), constraint]),
  triggers: (
    await store.query<{ text: string }>(
      "select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = to_regclass($1) order by tgname",
      [table.name],
    )
  )
    .map(({ text }) => text)
    .filter((text) => !/audit_log_once|events_once/.test(text)),
});

/** In every partition; and a number is given once over all of them. */
async function expectAppendOnly(team: Team): Promise<void> {
  const columns = "organization_id, seq, action, actor_kind, details, prev_hash, hash, at";
  const again = (at: string, add = 0) =>
    team.store.transaction((db) =>
      db.query(
        `insert into audit_log (${columns}) select organization_id, seq + $2, action, actor_kind, details, prev_hash, hash, $1
             from audit_log order by seq desc limit 1`,
        [at, add],
      ),
    );
  await expect(again("2020-01-01T00:00:00.000Z")).rejects.toThrow("the audit log has this number already");
  await expect(again("2199-01-01T00:00:00.000Z")).rejects.toThrow("the audit log has this number already");
  await again("2199-01-01T00:00:00.000Z", 1);
  for (const { name } of await partitionsOf(team, "audit_log")) {
    for (const statement of [`update ${name} set action = 'x'`, `truncate ${name}`])
      await expect(team.store.transaction((db) => db.query(statement))).rejects.toThrow("append-only");
    if ((await rowsIn(team, name)) === 0) continue;
    await expect(team.store.transaction((db) => db.query(`delete from ${name}`))).rejects.toThrow("append-only");
  }
}

describe.skipIf(inject("postgresUrl") === null)("tables that are partitioned by month", () => {
  test("keep their rows, columns, indexes and triggers, and the same calls return the same", async () => {
    const team = await filledTeam();
    const seen = await lookEverywhere(team, team.hook);
    const shapes = await Promise.all(tables.map((table) => shapeOf(team, table)));
    const sizes = await Promise.all(names.map((name) => rowsIn(team, name)));
    await partitionAll(team);
    expect(await lookEverywhere(team, team.hook)).toEqual(seen);
    expect(await Promise.all(tables.map((table) => shapeOf(team, table)))).toEqual(shapes);
    expect(await Promise.all(names.map((name) => rowsIn(team, name)))).toEqual(sizes);
    for (const name of names) {
      const partitions = await partitionsOf(team, name);
      expect([partitions.length, partitions[0]?.from, partitions.at(-1)?.to]).toEqual([
        expect.toSatisfy((count) => count === 2 || count === 3),
        null,
        null,
      ]);
    }
    const [checks] = await team.store.query<{ n: number }>(
      "select count(*) as n from pg_constraint where conname like '%partition_bound'",
    );
    expect(checks?.n).toBe(0);
    await renameProject(team, "Afterwards");
    expect(await verify(team)).toMatchObject({ valid: true });
    expect((await team.lastAudit()).action).toBe("project.updated");
    await expectAppendOnly(team);
  });

  test("take later migrations, and upserts by their key; a server adds months before they begin, and rows of any time have a place", async () => {
    const team = await filledTeam();
    await partitionAll(team, ["runs", "run_steps", "large_outputs", "audit_log"]);
    const sql = `alter table runs add column shade text; create index runs_shade on runs (shade, id) where shade is not null;
      alter table audit_log add column shade text not null default ''; create index audit_log_shade on audit_log (shade);
      drop index runs_not_succeeded;`;
    await migrate(team.store, new Date(), [...knownMigrations(), { number: 9000, name: "9000_shade.sql", sql }]);
    await team.store.transaction(async (db) => {
      await db.query("update runs set shade = 'blue' where id = $1", [team.runId]);
      const overwrite = `insert into large_outputs (run_id, position, turn, bytes, preview, output) values ($1, -1, -1, 9, '', 'new')
        on conflict (run_id, position, turn) do update set output = excluded.output`;
      await db.query(overwrite, [team.runId]);
    });
    expect(await team.store.query("select output from large_outputs")).toEqual([{ output: "new" }]);
    expect(await team.store.query("select id from runs where shade = 'blue'")).toEqual([{ id: team.runId }]);
    const pruner = prunerOf(team);
    await pruner.pass();
    const before = await partitionsOf(team, "runs");
    expect(before.length).toBeLessThan(4);
    const future = await insertOldRun(team, { endedDaysAgo: -75, steps: 2 });
    const far = await insertOldRun(team, { endedDaysAgo: -4000 });
    const past = await insertOldRun(team, { endedDaysAgo: 9000 });
    team.advance(80 * 86_400);
    await pruner.pass();
    await pruner.pass();
    const partitions = await partitionsOf(team, "runs");
    expect(partitions.length).toBeGreaterThan(before.length);
    expect(partitions.at(-1)?.from?.getTime()).toBeGreaterThan(team.now().getTime() + 28 * 86_400_000);
    expect(await idsIn(team, "runs")).toEqual([past, team.runId, future, far].toSorted());
    const own = await team.store.query<{ part: string }>(
      "select tableoid::regclass::text as part from runs where id in ($1, $2, $3) order by id",
      [past, future, far],
    );
    expect(own[0]?.part).toBe(partitions[0]?.name);
    expect(own[1]?.part).toMatch(/^runs_\d{4}_\d\d$/);
    expect(own[2]?.part).toBe(partitions.at(-1)?.name);
    expect(await idsIn(team, "run_steps", "run_id")).toEqual([team.runId, future].toSorted());
    expect(pruner.logged).toEqual([]);
    // The new months have the new index, too.
    const indexes = await readIndexes(team.store, own[1]?.part ?? "", "id");
    expect(indexes.filter(({ text }) => text.includes("shade")).length).toBe(1);
    expect(indexes.length).toBe((await readIndexes(team.store, "runs", "id")).length);
  });

  test("a busy table, and one that cannot be partitioned, stay as they are; an interrupted command is undone by the server", async () => {
    const team = await filledTeam();
    const table = tableOf("runs");
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = team.store.transaction(async (db) => {
      await db.query("update runs set fence = fence + 1 where id = $1", [team.runId]);
      await held;
    });
    await expect
      .poll(() => team.store.query("select 1 from pg_locks where relation = 'runs'::regclass and granted"))
      .not.toEqual([]);
    const refused = partitionTable(team.store, table, team.now(), impatient);
    await expect(refused).rejects.toThrow(
      /The table runs is in use\. .* Nothing was changed for it; run the command again/,
    );
    release();
    await holding;
    expect((await readState(team.store, table))?.isPartitioned).toBe(false);
    const soon = table.boundAt(new Date(team.now().getTime() + 2 * 86_400_000));
    await team.store.exclusively((_db, runScript) =>
      runScript(`alter table runs add constraint runs_partition_bound check (id < '${soon}') not valid`),
    );
    const pruner = prunerOf(team);
    await pruner.pass();
    expect(await team.store.query("select 1 from pg_constraint where conname = 'runs_partition_bound'")).toEqual([]);
    expect(pruner.logged.join()).toContain("an interrupted `signalbox partition` was undone");
    const attempt = (table: GrowingTable) => partitionTable(team.store, table, team.now(), impatient);
    const { ruleForAll: _, ...withoutRule } = tableOf("events");
    await expect(attempt(withoutRule)).rejects.toThrow("Its unique key events_once does not contain id.");
    await insertOldRun(team, { endedDaysAgo: -90 });
    await expect(attempt(tableOf("runs"))).rejects.toThrow(/^The table runs has rows from \d{4}-\d\d or later/);
    await team.store.exclusively((_db, runScript) => runScript("create view own as select * from deliveries"));
    await expect(attempt(tableOf("deliveries"))).rejects.toThrow("The view own reads it");
    await expect(attempt(tableOf("deliveries"))).rejects.toBeInstanceOf(PartitionRefused);
    for (const name of ["runs", "deliveries"]) expect(await partitionsOf(team, name)).toEqual([]);
    await team.store.exclusively((_db, runScript) => runScript("drop view own"));
  });

  test("months of which retention has left nothing are dropped, and the audit chain is verified without them", async () => {
    const team = await filledTeam();
    await setPolicy(team, { audit: { days: 90 }, runs: { days: 30, export: false } });
    await appendRows(team, 5);
    const written = await whileWriting(team, () => partitionAll(team, ["runs", "audit_log"], patient));
    expect(await idsIn(team, "runs")).toEqual(expect.arrayContaining(written));
    expect(await verify(team)).toMatchObject({ valid: true });
    const pruner = prunerOf(team);
    for (let month = 0; month < 3; month++) {
      team.advance(31 * 86_400);
      await pruner.pass();
      await appendRows(team, 3);
      await insertOldRun(team, { endedDaysAgo: 0, steps: 1 });
    }
    const spread = await team.store.query<{ n: number }>("select count(distinct tableoid) as n from audit_log");
    expect(spread[0]?.n).toBeGreaterThan(1);
    expect(await verify(team)).toMatchObject({ valid: true, verified_from: expect.any(Number) });
    const before = await partitionsOf(team, "audit_log");
    team.advance(40 * 86_400);
    await pruner.pass();
    const after = await partitionsOf(team, "audit_log");
    // What was the first partition is gone with its rows. One empty partition stands for all the time before.
    const gone = before.filter(({ name }) => !after.some((each) => each.name === name));
    expect(gone.map(({ name }) => name)).toContain(before[0]?.name);
    expect(await rowsIn(team, after[0]?.name ?? "")).toBe(0);
    expect(await verify(team)).toMatchObject({ valid: true, anchor: { seq: expect.any(Number) } });
    expect((await verify(team)).verified_from).toBeGreaterThan(5);
    // All the time before, last month until a week has passed, this month, the next one, and all the time after.
    expect((await partitionsOf(team, "runs")).length).toBeLessThanOrEqual(5);
    await renameProject(team, "Still here");
    expect(await verify(team)).toMatchObject({ valid: true });
    expect(pruner.logged).toEqual([]);
  });
});
