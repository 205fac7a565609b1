import { expect, test } from "vitest";
import { permissions } from "../../../test/support/app.ts";
import { scimOf, userUrn } from "../../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { allPages, aTime, startTeam } from "../../../test/support/team.ts";

describeOnBothStores("the directories of an organization", (kind) => {
  test("are created, listed and read by its owner; a token is shown once", async () => {
    const { call, owner, lastAudit, inProject } = await startTeam(kind);
    const made = await call("directory/create", { label: "Entra ID" }, { as: owner });
    expect(made.body).toEqual({
      directory_id: expect.stringMatching(/^dir_us_/),
      token_id: expect.stringMatching(/^dtk_us_/),
      scim_token: expect.stringMatching(/^sbs_us_[0-9A-Za-z]{49}$/),
    });
    expect(await lastAudit()).toMatchObject({ action: "directory.created", target: made.body.directory_id });
    const { directory_id, token_id, scim_token } = made.body;
    const record = { directory_id, label: "Entra ID", created_at: aTime };
    expect((await call("directory/list", {}, { as: owner })).body).toEqual({ results: [record], next: null });
    const read = await call(`directory/${directory_id}/get`, {}, inProject(owner));
    expect(read.body).toEqual({
      ...record,
      people: 0,
      groups: 0,
      tokens: [
        {
          token_id,
          hint: scim_token.slice(-4),
          status: "active",
          created_at: aTime,
          expires_at: null,
          last_used_at: null,
        },
      ],
    });
  });

  test("look absent to another organization's owner, and are refused to everyone but the owner", async () => {
    const team = await scimOf(await startTeam(kind));
    const { call, directoryId } = team;
    const { owner: stranger } = await team.neighbour();
    const admin = await team.colleague("admin", "admin");
    const calls: [operation: string, body: Record<string, unknown>][] = [
      [`directory/${directoryId}/get`, {}],
      [`directory/${directoryId}/requests`, {}],
      [`directory/${directoryId}/delete`, {}],
      ["directory/tokens/create", { directory_id: directoryId }],
      ["directory/tokens/rotate", { directory_id: directoryId }],
      ["directory/tokens/revoke", { directory_id: directoryId, token_id: "dtk_us_none" }],
      ["directory/groups/list", { directory_id: directoryId }],
    ];
    for (const [operation, body] of calls) {
      const foreign = await call(operation, body, { as: stranger });
      expect([operation, foreign.status, foreign.body.code]).toEqual([operation, 404, "directory_not_found"]);
      const weak = await call(operation, body, { as: admin });
      expect([operation, weak.status, weak.body.code]).toEqual([operation, 403, "owner_required"]);
    }
    expect((await call("directory/list", {}, { as: stranger })).body.results).toEqual([]);
    expect((await team.scim("GET", "/Users")).status).toBe(200);
    const unknown = { directory_id: directoryId, token_id: "dtk_us_none" };
    const refused = await call("directory/tokens/revoke", unknown, { as: team.owner });
    expect([refused.status, refused.body.code]).toEqual([404, "directory_token_not_found"]);
    const past = { directory_id: directoryId, expires_at: "2020-01-01T00:00:00Z" };
    expect((await call("directory/tokens/create", past, { as: team.owner })).status).toBe(422);
  });

  test("their last 100 requests are shown newest first, with why one was refused", async () => {
    const team = await scimOf(await startTeam(kind));
    await team.user("bob");
    expect((await team.scim("POST", "/Users", { schemas: [userUrn], userName: "bob" })).status).toBe(409);
    const path = `directory/${team.directoryId}/requests`;
    const sent = (limit: number) => allPages(team.call, path, { limit }, { as: team.owner });
    const base = { directory_id: team.directoryId, token_id: expect.stringMatching(/^dtk_/), created_at: aTime };
    const request = { ...base, method: "POST", path: "/scim/v2/Users", ip: expect.any(String) };
    expect((await sent(50)).flat()).toEqual([
      { ...request, status: 409, problem: "The userName is taken in this directory." },
      { ...request, status: 201, problem: null },
    ]);
    for (let count = 0; count < 100; count++) await team.scim("GET", "/Users?count=0");
    const kept = (await sent(60)).flat();
    expect([kept.length, new Set(kept.map(({ status }) => status))]).toEqual([100, new Set([200])]);
  });

  test("after a deletion its token is invalid, and people keep their accounts and memberships, which can be edited by hand", async () => {
    const team = await scimOf(await startTeam(kind));
    const bob = await team.colleague("bob");
    await team.user("bob", { emails: [{ value: bob.email, primary: true }] });
    const group = await team.group("Editors", [bob.userId]);
    const roles = [{ project_id: team.projectId, permissions: permissions("role:editor") }];
    const body = { directory_id: team.directoryId, roles };
    expect((await team.call(`directory/groups/${group.id}/roles`, body, { as: team.owner })).status).toBe(200);
    const gone = await team.call(`directory/${team.directoryId}/delete`, {}, { as: team.owner });
    expect(gone.body).toEqual({ directory_id: team.directoryId, deleted: true });
    expect((await team.scim("GET", "/Users")).status).toBe(401);
    expect((await team.call("auth/users/list", {}, team.inProject(bob))).status).toBe(200);
    const changed = await team.call(
      `auth/users/${bob.userId}/update`,
      { permissions: permissions("role:viewer") },
      team.inProject(team.owner),
    );
    expect(changed.status).toBe(200);
    // A new connection finds the person again by the address.
    const next = await scimOf(team);
    expect((await next.user("bob", { emails: [{ value: bob.email, primary: true }] })).id).toBe(bob.userId);
  });
});
