import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendRows, renameProject } from "../../test/support/calls/audit.ts";
import { countingDeletes, prunerOf, setPolicy } from "../../test/support/databases/old-records.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { aTime, startTeam, type Team } from "../../test/support/team.ts";
import { verifyArchive } from "./verify-archive.ts";

const verify = async (team: Team) => (await team.call("audit/verify", {}, team.inProject(team.owner))).body;

const manifestsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".manifest.json"))
    .sort()
    .map((name) => join(folder, name));

/** A team with 250 audit rows that have expired, and some that have not. */
async function teamWithOldRows(kind: Parameters<typeof startTeam>[0]): Promise<Team> {
  const team = await startTeam(kind);
  await setPolicy(team, { audit: { days: 90 } });
  await appendRows(team, 247);
  team.advance(92 * 86_400);
  await renameProject(team, "Later");
  return team;
}

class Undone extends Error {}

/** Changes the store behind its back, looks, and undoes it. */
async function verdictAfter(team: Team, statement: string): Promise<{ valid: boolean; broken_at: number | null }> {
  const { verifyChain } = await import("../access/audit/verify-chain.ts");
  let verdict = { valid: true, broken_at: null as number | null };
  const attack = team.store.exclusively(async (db, runScript) => {
    await runScript(
      team.store.kind === "sqlite" ? "drop trigger audit_log_no_update" : "alter table audit_log disable trigger all",
    );
    await db.query(statement);
    verdict = await verifyChain(db, team.owner.organizationId, team.context.rooms.vault.keys);
    throw new Undone();
  });
  await expect(attack).rejects.toThrow(Undone);
  return verdict;
}

describeOnBothStores("archive the audit log", (kind) => {
  test("the chain is verified from its anchor, and the archive to it", async () => {
    const team = await teamWithOldRows(kind);
    const batches: { table: string; rows: number }[] = [];
    const pruner = prunerOf(team, { store: countingDeletes(team.store, batches) });
    await pruner.pass();
    const [manifest = ""] = manifestsIn(pruner.folder);
    expect(await verifyArchive(manifest)).toMatchObject({ kind: "audit", records: 250, valid: true });
    const { chain, archive_id } = JSON.parse(readFileSync(manifest, "utf8"));
    expect(chain).toMatchObject({ first_seq: 1, last_seq: 250 });
    expect(await verify(team)).toEqual({
      organization_id: team.owner.organizationId,
      valid: true,
      rows: 252,
      head: expect.any(String),
      broken_at: null,
      verified_from: 251,
      anchor: { seq: 250, hash: chain.last_hash, archive_id, created_at: aTime },
    });
    expect(batches.filter(({ table }) => table === "audit_log").map(({ rows }) => rows)).toEqual([100, 100, 50]);
    expect(await team.lastAudit()).toMatchObject({ action: "audit.archived", actor: "retention", target: archive_id });
    const since = new Date(team.now().getTime() - 3_600_000).toISOString();
    const found = await team.call("audit/list", { since, action: "project" }, team.inProject(team.owner));
    expect(found.body.results).toMatchObject([{ seq: 251 }]);
  });

  test("a second archive goes on where the first ended; a pass without expired rows changes nothing", async () => {
    const team = await teamWithOldRows(kind);
    const pruner = prunerOf(team);
    await pruner.pass();
    await pruner.pass();
    expect(manifestsIn(pruner.folder)).toHaveLength(1);
    team.advance(100 * 86_400);
    await pruner.pass();
    const manifests = manifestsIn(pruner.folder).map((file) => JSON.parse(readFileSync(file, "utf8")));
    const [first, second] = manifests.toSorted((a, b) => a.chain.first_seq - b.chain.first_seq);
    expect([second.chain.first_seq, second.chain.first_hash]).toEqual([251, first.chain.last_hash]);
    expect(await verify(team)).toMatchObject({ valid: true, verified_from: 253 });
  });

  test("forged anchors, deleted rows and changed archives are found", async () => {
    const team = await teamWithOldRows(kind);
    const pruner = prunerOf(team);
    await pruner.pass();
    for (const [statement, broken_at] of [
      ["update audit_anchors set seq = 251", 251],
      ["update audit_anchors set hash = 'x'", 250],
      ["update audit_anchors set sealed = 'x'", 250],
      ["delete from audit_anchors", 1],
      ["update audit_log set details = '{}' where seq = 252", 252],
    ] as const) {
      expect([statement, await verdictAfter(team, statement)]).toMatchObject([statement, { valid: false, broken_at }]);
    }
    const refusal = team.store.transaction((db) => db.query("delete from audit_log where seq = 251"));
    await expect(refusal).rejects.toThrow("the audit log is append-only");
    const [manifest = ""] = manifestsIn(pruner.folder);
    const file = manifest.replace(".manifest.json", ".jsonl.gz");
    const bytes = readFileSync(file);
    bytes.writeUInt8((bytes.at(-40) ?? 0) ^ 1, bytes.length - 40);
    writeFileSync(file, bytes);
    expect(await verifyArchive(manifest)).toMatchObject({ valid: false, problem: expect.stringContaining("differs") });
  });

  test("a broken chain is not archived, and neither is one of which a project is on hold", async () => {
    const team = await teamWithOldRows(kind);
    const hold = { project_id: team.projectId, reason: "Case 7" };
    const { body } = await team.call("organizations/holds/create", hold, { as: team.owner });
    const pruner = prunerOf(team);
    await pruner.pass();
    expect(await verify(team)).toMatchObject({ verified_from: 1 });
    await team.call("organizations/holds/release", { hold_id: body.hold_id, reason: "Closed" }, { as: team.owner });
    await team.store.exclusively(async (db, runScript) => {
      const off = kind === "sqlite" ? "drop trigger audit_log_no_update" : "alter table audit_log disable trigger all";
      await runScript(off);
      await db.query("update audit_log set details = '{}' where seq = 3");
      if (kind === "postgres") await runScript("alter table audit_log enable trigger all");
    });
    await pruner.pass();
    expect(await verify(team)).toMatchObject({ valid: false, broken_at: 3, verified_from: 1, anchor: null });
    expect(pruner.logged.join("")).toContain("an audit chain is broken and is not archived");
  });
});
