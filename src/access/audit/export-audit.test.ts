import { expect, test } from "vitest";
import { appendRows, renameProject } from "../../../test/support/calls/audit.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectGuarded, expectRefused, startTeam, type Team } from "../../../test/support/team.ts";
import { verifyChain } from "./verify-chain.ts";

describeOnBothStores("export the audit log", (kind) => {
  const exported = async (team: Team, wanted: object) =>
    (await team.call("audit/export", wanted, team.inProject(team.owner))).body;

  test("as JSON lines, oldest first, the same records that the list shows", async () => {
    const team = await startTeam(kind);
    await renameProject(team, "B");
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
