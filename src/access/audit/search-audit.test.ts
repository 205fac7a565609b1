import { expect, test } from "vitest";
import { appendRows, renameProject } from "../../../test/support/calls/audit.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectRefused, startTeam, type Team } from "../../../test/support/team.ts";

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
    await renameProject(team, "Other");
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
