import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import {
  allPages,
  asRole,
  aTime,
  expectGuarded,
  expectRefused,
  startTeam,
  type Team,
} from "../../../test/support/team.ts";
import { operatorScope } from "../operator.ts";
import { appendAudit, type ChainVerdict, listChains, lockChain, verifyChain } from "./audit.ts";

/** Adds rows to those of the team's own calls, in one transaction. */
const appendRows = ({ store, now, owner, projectId }: Team, count: number, target = "x") =>
  store.transaction(async (db) => {
    let head = await lockChain(db, owner.organizationId);
    for (let i = 0; i < count; i++) {
      head = await appendAudit(operatorScope(db, "us", now), head, { action: "test.row", target, projectId });
    }
  });

const rename = (team: Team, name: string) => team.call("projects/update", { name }, team.inProject(team.owner));

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

describeOnBothStores("list the audit log", (kind) => {
  test("an admin reads who changed what in the project, newest first, page by page", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    const answer = await rename(team, "=1+1");
    await team.call("projects/get", {}, team.inProject(team.owner));
    const pages = await allPages(team.call, "audit/list", { limit: 2 }, team.inProject(admin));
    expect(pages.map((page) => page.map((each) => each.action))).toEqual([
      ["project.updated", "invite.created"],
      ["project.created"],
    ]);
    const [newest, before] = pages[0] ?? [];
    expect(newest).toEqual({
      seq: 5,
      created_at: aTime,
      action: "project.updated",
      actor: "person",
      user_id: team.owner.userId,
      key_id: expect.stringMatching(/^key_us_/),
      project_id: team.projectId,
      target: team.projectId,
      details: { name: "=1+1" },
      request_id: answer.headers["x-request-id"],
      ip: "127.0.0.1",
      prev_hash: before?.hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("only the owner reads the whole organization; another organization's rows are in no list", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    await team.neighbour();
    const whole = { whole_organization: true };
    const { body } = await team.call("audit/list", whole, team.inProject(team.owner));
    expect(body.results.map((each: { action: string }) => each.action)).toEqual([
      "invite.created",
      "user.created",
      "project.created",
      "organization.created",
    ]);
    for (const operation of ["audit/list", "audit/export"]) {
      await expectRefused(team, operation, team.inProject(admin), [[whole, 403, "owner_required"]]);
    }
  });

  test("only an admin may, and only with a valid page", async () => {
    const team = await startTeam(kind);
    await expectGuarded(team, "audit/list", {}, "admin");
    await expectRefused(team, "audit/list", team.inProject(team.owner), [
      [{ after: "x" }, 422, "validation_failed", "#/after"],
      [{ after: "9".repeat(16) }, 422, "validation_failed", "#/after"],
      [{ limit: 101 }, 422, "validation_failed", "#/limit"],
      [{ whole_organization: "yes" }, 400, "malformed_request", "#/whole_organization"],
    ]);
  });
});

describeOnBothStores("search the audit log", (kind) => {
  const found = async (team: Team, wanted: object, operation = "audit/list") =>
    (await team.call(operation, wanted, team.inProject(team.owner))).body;
  const actions = async (team: Team, wanted: object): Promise<string[]> =>
    (await found(team, wanted)).results.map((each: { action: string }) => each.action);

  test("by person, kind of action, time and text, alone and together, in the list and in an export", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    team.advance(3600);
    const noon = team.now().toISOString();
    await team.call("projects/update", { name: "100%_Straße" }, team.inProject(admin));
    await rename(team, "Other");
    expect(await actions(team, { user_id: admin.userId })).toEqual(["project.updated"]);
    expect(await actions(team, { action: "project" })).toEqual([
      "project.updated",
      "project.updated",
      "project.created",
    ]);
    expect(await actions(team, { action: "project.created" })).toEqual(["project.created"]);
    expect(await actions(team, { since: noon })).toHaveLength(2);
    expect(await actions(team, { until: noon })).toEqual(["invite.created", "project.created"]);
    expect(await actions(team, { text: "100%_STRA" })).toHaveLength(1);
    expect(await actions(team, { text: "100__Stra" })).toEqual([]);
    expect(await actions(team, { text: "stra", user_id: team.owner.userId })).toEqual([]);
    const exported = await found(team, { user_id: admin.userId, format: "csv" }, "audit/export");
    expect([exported.rows, exported.next]).toEqual([1, null]);
    await expectRefused(team, "audit/list", team.inProject(team.owner), [
      [{ action: "Invite" }, 422, "validation_failed", "#/action"],
      [{ since: "yesterday" }, 422, "validation_failed", "#/since"],
      [{ text: "" }, 422, "validation_failed", "#/text"],
    ]);
  });

  test("a page looks through 1,000 rows, and goes on behind them; a time is found without reading them", async () => {
    const team = await startTeam(kind);
    const early = team.now().toISOString();
    team.advance(86_400);
    await appendRows(team, 1001);
    const first = await found(team, { action: "project.created" });
    expect([first.results, first.next]).toEqual([[], expect.any(String)]);
    const second = await found(team, { action: "project.created", after: first.next });
    expect([second.results.length, second.next]).toEqual([1, null]);
    expect(await actions(team, { until: new Date(Date.parse(early) + 3_600_000).toISOString() })).toEqual([
      "project.created",
    ]);
  });
});

describeOnBothStores("verify the audit log", (kind) => {
  const verify = async (team: Team) => (await team.call("audit/verify", {}, team.inProject(team.owner))).body;

  test("an unchanged chain is valid, also after concurrent writes", async () => {
    const team = await startTeam(kind);
    await Promise.all(Array.from({ length: 20 }, (_, i) => rename(team, `Name ${i}`)));
    const [newest] = (await team.call("audit/list", { limit: 1 }, team.inProject(team.owner))).body.results;
    expect(await verify(team)).toEqual({
      organization_id: team.owner.organizationId,
      valid: true,
      rows: 22,
      head: newest.hash,
      broken_at: null,
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
    await rename(team, "B");
    await rename(team, "C");
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
    await rename(team, "B");
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

describeOnBothStores("export the audit log", (kind) => {
  const exported = async (team: Team, wanted: object) =>
    (await team.call("audit/export", wanted, team.inProject(team.owner))).body;

  test("as JSON lines, oldest first, the same records that the list shows", async () => {
    const team = await startTeam(kind);
    await rename(team, "B");
    const answer = await exported(team, {});
    const listed = await team.call("audit/list", {}, team.inProject(team.owner));
    expect(answer).toEqual({ format: "jsonl", rows: 2, content: expect.any(String), next: null });
    const lines = answer.content.trimEnd().split("\n");
    expect(lines.map((line: string) => JSON.parse(line))).toEqual(listed.body.results.toReversed());
  });

  test("1,000 rows at a time, to the end with next; the whole chain is verified", async () => {
    const team = await startTeam(kind);
    await appendRows(team, 1001);
    const first = await exported(team, {});
    const second = await exported(team, { after: first.next });
    expect([first.rows, second.rows, second.next]).toEqual([1000, 2, null]);
    const seqs = `${first.content}${second.content}`
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).seq);
    expect(seqs).toEqual(Array.from({ length: 1002 }, (_, i) => i + 2));
    const verdict = await verifyChain(team.store, team.owner.organizationId);
    expect(verdict).toMatchObject({ valid: true, rows: 1003 });
  });

  test("as CSV in which no cell is read as a formula", async () => {
    const team = await startTeam(kind);
    for (const target of ["=1+1", "+1", "-1", "@sum", "\tx", 'say "hi"']) await appendRows(team, 1, target);
    const { content, rows } = await exported(team, { format: "csv" });
    const lines = content.trimEnd().split("\r\n");
    expect(lines).toHaveLength(rows + 1);
    expect(lines[0]).toBe(
      "seq,created_at,action,actor,user_id,key_id,project_id,target,details,request_id,ip,prev_hash,hash",
    );
    expect(lines[1]).toContain(`,"{""name"":""A project""}",`);
    for (const cell of [`"'=1+1"`, `"'+1"`, `"'-1"`, `"'@sum"`, `"'\tx"`, `"say ""hi"""`]) {
      expect(content).toContain(`,${cell},`);
    }
  });

  test("only for an admin, in a format that exists", async () => {
    const team = await startTeam(kind);
    await expectGuarded(team, "audit/export", {}, "admin");
    await expectRefused(team, "audit/export", team.inProject(team.owner), [
      [{ format: "xml" }, 422, "validation_failed", "#/format"],
      [{ after: "-1" }, 422, "validation_failed", "#/after"],
    ]);
  });
});

describeOnBothStores("every change leaves one row, and every refusal none", (kind) => {
  test("in the same transaction, numbered without a gap", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner } = team;
    const invite = { email: "new@example.com", permissions: asRole("viewer") };
    const { invite_code } = (await call("auth/invite/create", invite, inProject(owner))).body;
    expect((await call("auth/invite/create", invite, inProject(owner))).status).toBe(409);
    expect((await call(`auth/users/${owner.userId}/delete`, {}, inProject(owner))).status).toBe(409);
    await call("auth/invite/delete", { invite_code }, inProject(owner));
    const rows = (await call("audit/list", { whole_organization: true }, inProject(owner))).body.results;
    expect(rows.map((each: { seq: number; action: string }) => [each.seq, each.action])).toEqual([
      [4, "invite.deleted"],
      [3, "invite.created"],
      [2, "project.created"],
      [1, "organization.created"],
    ]);
  });
});
