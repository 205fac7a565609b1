import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import {
  countingDeletes,
  daysAgo,
  idsIn,
  insertOldDelivery,
  insertOldEvent,
  insertOldRun,
  newWebhook,
  prunerOf,
  setPolicy,
} from "../../test/support/databases/old-records.ts";
import { describeOnBothStores, temporaryFolder } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";
import { verifyArchive } from "./verify-archive.ts";

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(gz|json|partial)$/.test(name));

const manifestIn = (folder: string): string =>
  join(folder, filesIn(folder).find((name) => name.endsWith(".manifest.json")) ?? "");

const linesIn = (folder: string) => {
  const file = filesIn(folder).find((name) => name.endsWith(".jsonl.gz")) ?? "";
  const text = gunzipSync(readFileSync(join(folder, file))).toString();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { table: string; row: Record<string, unknown> });
};

describeOnBothStores("retention by policy", (kind) => {
  test("a server that never runs for an hour deletes old records, too", async () => {
    const team = await startTeam(kind);
    await insertOldRun(team);
    expect((await setPolicy(team, { runs: { days: 30 } })).status).toBe(200);
    const pruner = prunerOf(team);
    const timers = vi.spyOn(globalThis, "setTimeout");
    pruner.start();
    const [begin, milliseconds] = timers.mock.lastCall ?? [];
    timers.mockRestore();
    expect(milliseconds).toBeLessThanOrEqual(600_000);
    begin?.();
    await expect.poll(() => idsIn(team, "runs")).toEqual([]);
    await pruner.stop();
  });

  test("ended runs are exported with their steps and outputs, and only then deleted", async () => {
    const team = await startTeam(kind);
    const largeOutput = `"${"long \u2028 text \u{1f600} ".repeat(20_000)}"`;
    const old = await insertOldRun(team, { steps: 3, largeOutput });
    const [stored] = await team.store.query("select * from runs where id = $1", [old]);
    const kept = [
      await insertOldRun(team, { endedDaysAgo: 20 }),
      await insertOldRun(team, { endedDaysAgo: null, status: "waiting", steps: 1 }),
      await insertOldRun(team, { status: "outcome_unknown" }),
    ];
    expect((await setPolicy(team, { runs: { days: 30 } })).status).toBe(200);
    const pruner = prunerOf(team);
    await pruner.pass();
    expect(await idsIn(team, "runs")).toEqual(kept.toSorted());
    expect(await idsIn(team, "run_steps", "run_id")).toEqual([kept.at(1)]);
    expect([await idsIn(team, "large_outputs", "run_id"), await idsIn(team, "run_remains", "run_id")]).toEqual([
      [],
      [],
    ]);
    const lines = linesIn(pruner.folder);
    expect(lines.map(({ table }) => table)).toEqual(["runs", "run_steps", "run_steps", "run_steps", "large_outputs"]);
    expect(lines[0]?.row).toEqual({ ...stored });
    expect(lines.at(-1)?.row.output).toBe(largeOutput);
    const verdict = await verifyArchive(manifestIn(pruner.folder));
    expect(verdict).toMatchObject({ kind: "runs", records: 1, valid: true, problem: null });
    const { body } = await team.call("organizations/archives/list", {}, { as: team.owner });
    expect(body.results).toMatchObject([{ archive_id: verdict.archive_id, kind: "runs", records: 1 }]);
    expect(await team.lastAudit()).toMatchObject({
      action: "retention.archived",
      actor: "retention",
      target: verdict.archive_id,
      details: { kind: "runs", records: 1, sha256: body.results[0].sha256 },
    });
  });

  test("what something refers to stays until nothing does", async () => {
    const team = await startTeam(kind);
    const parent = await insertOldRun(team, { endedDaysAgo: null, status: "waiting" });
    const event = await insertOldEvent(team, 20);
    const kept = [
      parent,
      await insertOldRun(team, { source: { kind: "agent", id: parent } }),
      await insertOldRun(team, { source: { kind: "event", id: event } }),
      await insertOldRun(team, { conversationId: "cnv_us_a" }),
      await insertOldRun(team, { conversationId: "cnv_us_a", endedDaysAgo: 1 }),
    ];
    await insertOldRun(team, { conversationId: "cnv_us_b" });
    await setPolicy(team, { runs: { days: 30 } });
    const pruner = prunerOf(team);
    await pruner.pass();
    expect(await idsIn(team, "runs")).toEqual(kept.toSorted());
    team.advance(40 * 86_400);
    await team.store.transaction((db) =>
      db.query("update runs set status = 'failed', finished_at = $2 where id = $1", [parent, daysAgo(team, 31)]),
    );
    await pruner.pass();
    expect(await idsIn(team, "runs")).toEqual([]);
  });

  test("a legal hold keeps everything of its project until it is released", async () => {
    const team = await startTeam(kind);
    const other = await team.project(team.owner, "Another");
    const held = await insertOldRun(team);
    await insertOldRun(team, { projectId: other });
    const hook = await newWebhook(team);
    const delivery = await insertOldDelivery(team, hook, 40);
    await setPolicy(team, { runs: { days: 30, export: false } });
    const hold = { project_id: team.projectId, reason: "Case 7" };
    const { body } = await team.call("organizations/holds/create", hold, { as: team.owner });
    const pruner = prunerOf(team);
    await pruner.pass();
    expect([await idsIn(team, "runs"), await idsIn(team, "deliveries")]).toEqual([[held], [delivery]]);
    const whole = await team.call("organizations/holds/create", { reason: "Case 8" }, { as: team.owner });
    const release = (id: string) =>
      team.call("organizations/holds/release", { hold_id: id, reason: "Closed" }, { as: team.owner });
    expect((await release(body.hold_id)).status).toBe(200);
    await pruner.pass();
    expect(await idsIn(team, "runs")).toEqual([held]);
    await release(whole.body.hold_id);
    await pruner.pass();
    expect([await idsIn(team, "runs"), await idsIn(team, "deliveries")]).toEqual([[], []]);
    const audited = (
      await team.call("audit/list", { whole_organization: true, action: "retention" }, team.inProject(team.owner))
    ).body.results;
    expect(audited[0]).toMatchObject({ action: "retention.deleted", details: { records: 1 } });
  });

  test("by default events and settled deliveries stay 30 days, and everything else for ever", async () => {
    const team = await startTeam(kind);
    const run = await insertOldRun(team, { endedDaysAgo: 3000 });
    const hook = await newWebhook(team);
    const kept = [await insertOldEvent(team, 20), await insertOldEvent(team, 90, "queued")];
    await insertOldEvent(team, 32);
    const waiting = await insertOldDelivery(team, hook, 60, team.now().toISOString());
    await insertOldDelivery(team, hook, 32);
    await insertOldDelivery(team, "whk_us_gone", 32);
    const pruner = prunerOf(team);
    await pruner.pass();
    expect(await idsIn(team, "events")).toEqual(kept.toSorted());
    expect([await idsIn(team, "deliveries"), await idsIn(team, "runs")]).toEqual([[waiting], [run]]);
    expect(await team.lastAudit()).toMatchObject({ action: "webhook.created" });
  });

  test("nothing is deleted where the archive cannot be written", async () => {
    const team = await startTeam(kind);
    const old = await insertOldRun(team);
    await setPolicy(team, { runs: { days: 30 } });
    const file = join(temporaryFolder(), "a-file");
    writeFileSync(file, "");
    const pruner = prunerOf(team, { folder: file });
    await pruner.pass();
    expect(await idsIn(team, "runs")).toEqual([old]);
    expect(pruner.logged.join("")).toContain("old records of an organization could not be deleted");
  });

  test("no transaction deletes more than 100 rows or, of long rows, more than a megabyte", async () => {
    const team = await startTeam(kind);
    for (let count = 0; count < 230; count++) await insertOldRun(team, { steps: count === 0 ? 120 : 0 });
    for (let count = 0; count < 3; count++) await insertOldRun(team, { params: `"${"x".repeat(600_000)}"` });
    await setPolicy(team, { runs: { days: 30, export: false } });
    const batches: { table: string; rows: number }[] = [];
    const of = (table: string) => batches.filter((batch) => batch.table === table).map(({ rows }) => rows);
    await prunerOf(team, { store: countingDeletes(team.store, batches) }).pass();
    expect(of("runs")).toEqual([100, 100, 31, 1, 1]);
    expect(of("run_steps")).toEqual([50, 50, 20, 0]);
    expect(await idsIn(team, "runs")).toEqual([]);
  });

  // A soak of 30 minutes found it: the pass over more than 100,000 projects of one organization was one turn of the event loop, of 8 seconds.
  test("an organization with very many projects does not hold up others", async () => {
    const team = await startTeam(kind);
    const { organization_id, created_by } = (
      await team.store.query<{ organization_id: string; created_by: string }>("select * from projects limit 1")
    )[0] as { organization_id: string; created_by: string };
    await team.store.transaction(async (db) => {
      for (let number = 0; number < 450; number++) {
        await db.query(
          `insert into projects (id, organization_id, name, description, created_by, created_at, updated_at)
           values ($1, $2, 'p', '', $3, '2026-01-01', '2026-01-01')`,
          [`prj_us_many_${String(number).padStart(4, "0")}`, organization_id, created_by],
        );
      }
    });
    await setPolicy(team, { runs: { days: 30 } });
    const inLast = "prj_us_many_0449";
    const old = await insertOldRun(team);
    await team.store.transaction((db) =>
      db.query("update runs set project_id = $2 where id = $1", [old, inLast]).then(() => {}),
    );
    let statements = 0;
    let mostBetweenPauses = 0;
    const query: typeof team.store.query = (...args) => {
      mostBetweenPauses = Math.max(mostBetweenPauses, ++statements);
      return team.store.query(...args);
    };
    const pause = async () => {
      statements = 0;
    };
    await prunerOf(team, { store: { ...team.store, query }, pause }).pass();
    expect(mostBetweenPauses).toBeLessThan(350);
    expect(await idsIn(team, "runs")).toEqual([]);
  });

  test("one node prunes at a time, and another takes over when its lease has ended", async () => {
    const team = await startTeam(kind);
    await insertOldRun(team);
    await setPolicy(team, { runs: { days: 30, export: false } });
    const lease = (until: string) =>
      team.store.transaction((db) =>
        db.query(
          `insert into background_leases (name, holder, lease_until) values ('retention', 'another', $1)
           on conflict (name) do update set lease_until = excluded.lease_until`,
          [until],
        ),
      );
    await lease("2999-01-01T00:00:00.000Z");
    await prunerOf(team).pass();
    expect(await idsIn(team, "runs")).toHaveLength(1);
    await lease("2020-01-01T00:00:00.000Z");
    await prunerOf(team).pass();
    expect(await idsIn(team, "runs")).toEqual([]);
  });
});
