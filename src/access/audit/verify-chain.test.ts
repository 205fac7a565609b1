import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { renameProject } from "../../../test/support/calls/audit.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectGuarded, startTeam, type Team } from "../../../test/support/team.ts";
import { listChains } from "./audit.ts";
import { type ChainVerdict, verifyChain } from "./verify-chain.ts";

class Undone extends Error {}

/** Tampers with rows directly in the database, verifies the chain, and undoes it. */
async function verdictAfter({ store, owner }: Team, statement: string): Promise<ChainVerdict | null> {
  let verdict: ChainVerdict | null = null;
  const attack = store.exclusively(async (db, runScript) => {
    await runScript(
      store.kind === "sqlite"
        ? "drop trigger audit_log_no_update; drop trigger audit_log_no_delete"
        : "alter table audit_log disable trigger all",
    );
    await db.query(statement);
    verdict = await verifyChain(db, owner.organizationId);
    throw new Undone();
  });
  await expect(attack).rejects.toThrow(Undone);
  return verdict;
}

describeOnBothStores("verify the audit log", (kind) => {
  const verify = async (team: Team) => (await team.call("audit/verify", {}, team.inProject(team.owner))).body;

  test("an unchanged chain is valid, also after concurrent writes", async () => {
    const team = await startTeam(kind);
    await Promise.all(Array.from({ length: 20 }, (_, i) => renameProject(team, `Name ${i}`)));
    const [newest] = (await team.call("audit/list", { limit: 1 }, team.inProject(team.owner))).body.results;
    expect(await verify(team)).toEqual({
      organization_id: team.owner.organizationId,
      valid: true,
      rows: 22,
      head: newest.hash,
      broken_at: null,
      verified_from: 1,
      anchor: null,
    });
  });

  test("only an admin may, and a missing chain has no rows", async () => {
    const team = await startTeam(kind);
    await expectGuarded(team, "audit/verify", {}, "admin");
    expect(await verifyChain(team.store, "org_us_absent")).toMatchObject({ valid: true, rows: 0 });
    expect(await listChains(team.store)).toContain(team.owner.organizationId);
  });

  test("the database itself refuses to change or delete a row", async () => {
    const team = await startTeam(kind);
    for (const statement of ["update audit_log set action = 'x'", "delete from audit_log"]) {
      const refusal = team.store.transaction((db) => db.query(statement));
      await expect(refusal).rejects.toThrow("the audit log is append-only");
    }
    expect((await verify(team)).valid).toBe(true);
  });

  test("a row that was changed, deleted, moved or hidden is found", async () => {
    const team = await startTeam(kind);
    await renameProject(team, "B");
    await renameProject(team, "C");
    for (const [statement, broken_at] of [
      ["update audit_log set details = '{}' where seq = 2", 2],
      ["update audit_log set actor_id = 'usr_us_x' where seq = 4", 4],
      ["update audit_log set at = '2020-01-01T00:00:00.000Z' where seq = 3", 3],
      ["update audit_log set request_id = null where seq = 3", 3],
      ["update audit_log set seq = 9 where seq = 3", 3],
      ["delete from audit_log where seq = 1", 1],
      ["delete from audit_log where seq = 3", 3],
      ["delete from audit_log where seq = 4", 4],
      ["update audit_heads set seq = 3", 3],
    ] as const) {
      const verdict = await verdictAfter(team, statement);
      expect([statement, verdict]).toMatchObject([statement, { valid: false, broken_at }]);
    }
    expect((await verify(team)).valid).toBe(true);
  });

  test("an auditor can compute the hashes, and a forger would have to rewrite every later row", async () => {
    const team = await startTeam(kind);
    await renameProject(team, "B");
    const records = (await team.call("audit/list", { whole_organization: true }, team.inProject(team.owner))).body
      .results;
    const hashOf = (record: Record<string, unknown>) => {
      const {
        prev_hash,
        seq,
        created_at,
        action,
        actor,
        user_id,
        key_id,
        project_id,
        target,
        details,
        request_id,
        ip,
      } = record;
      const tail = [
        seq,
        created_at,
        action,
        actor,
        user_id,
        key_id,
        project_id,
        target,
        JSON.stringify(details),
        request_id,
        ip,
      ];
      return hash("sha256", JSON.stringify([prev_hash, team.owner.organizationId, ...tail]), "hex");
    };
    for (const record of records) expect(hashOf(record)).toBe(record.hash);
    const forged = hashOf({ ...records.at(-2), details: {} });
    const statement = `update audit_log set details = '{}', hash = '${forged}' where seq = 2`;
    expect(await verdictAfter(team, statement)).toMatchObject({ valid: false, broken_at: 3 });
  });
});
