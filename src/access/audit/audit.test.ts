import { expect, test } from "vitest";
import { renameProject } from "../../../test/support/calls/audit.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { allPages, asRole, aTime, expectGuarded, expectRefused, startTeam } from "../../../test/support/team.ts";

describeOnBothStores("list the audit log", (kind) => {
  test("an admin reads who changed what in the project, newest first, page by page", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    const answer = await renameProject(team, "=1+1");
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
