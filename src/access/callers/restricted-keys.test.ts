import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { asRole, everythingIn, expectSameRefusal, startTeam, type Team } from "../../../test/support/team.ts";
import { newId } from "../../kernel/ids.ts";

/** "A key is owned by a user and carries no rights of its own: rights = owner's current role, capped by the key's scope." */

const narrowedKey = async ({ call, owner }: Team, wanted: object, as = owner): Promise<string> =>
  (await call("auth/keys/create", wanted, { as })).body.api_key;
const invite = { email: "new@example.com", permissions: asRole("viewer") };

describeOnBothStores("a key restricted to a role", (kind) => {
  test("reads the project with any role, and invites with none below admin", async () => {
    const team = await startTeam(kind);
    for (const [max_role, expected] of [
      ["viewer", "admin_required"],
      ["editor", "admin_required"],
      ["admin", 200],
    ]) {
      const authorization = `Bearer ${team.projectId}:${await narrowedKey(team, { max_role })}`;
      expect((await team.call("projects/get", {}, { authorization })).status).toBe(200);
      const answer = await team.call("auth/invite/create", invite, { authorization });
      expect([max_role, answer.body.code ?? answer.status]).toEqual([max_role, expected]);
    }
  });

  test("never exceeds its owner's role, and follows every change of it", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    const authorization = `Bearer ${team.projectId}:${await narrowedKey(team, { max_role: "admin" }, member)}`;
    const tryIt = async () => (await team.call("auth/invite/list", {}, { authorization })).body.code;
    expect(await tryIt()).toBe("admin_required");
    await team.call(`auth/users/${member.userId}/update`, { permissions: asRole("admin") }, team.inProject(team.owner));
    expect(await tryIt()).toBeUndefined();
    await team.call(`auth/users/${member.userId}/delete`, {}, team.inProject(team.owner));
    expect(await tryIt()).toBe("project_not_found");
  });
});

describeOnBothStores("a key restricted to projects", (kind) => {
  test("has its owner's role in those, and the others look absent", async () => {
    const team = await startTeam(kind);
    const apiKey = await narrowedKey(team, { project_ids: [team.projectId, team.projectId] });
    const reached = (await team.call("projects/list", {}, { authorization: `Bearer :${apiKey}` })).body.results;
    expect(reached).toMatchObject([{ project_id: team.projectId }]);
    const other = await team.project(team.owner);
    const read = (project: string) => team.call("projects/get", {}, { authorization: `Bearer ${project}:${apiKey}` });
    expect((await read(team.projectId)).status).toBe(200);
    expectSameRefusal("project_not_found", await read(other), await read(newId("project", "us")));
    const named = { authorization: `Bearer ${team.projectId}:${apiKey}` };
    expect((await team.call("auth/invite/create", invite, named)).status).toBe(200);
    expect((await team.call("projects/update", { project_id: other, name: "Mine" }, named)).body.code).toBe(
      "project_not_found",
    );
  });

  test("gains nothing by naming a project its owner cannot see", async () => {
    const team = await startTeam(kind);
    const { owner: stranger } = await team.neighbour();
    const apiKey = await narrowedKey(team, { project_ids: [team.projectId] }, stranger);
    const answer = await team.call("projects/get", {}, { authorization: `Bearer ${team.projectId}:${apiKey}` });
    expect(answer.body.code).toBe("project_not_found");
  });
});

describeOnBothStores("a restricted key of an organization's owner", (kind) => {
  test("does nothing that concerns the whole account", async () => {
    const team = await startTeam(kind);
    const project = { name: "New", description: "", organization_id: team.owner.organizationId };
    for (const wanted of [{ max_role: "admin" }, { max_role: "viewer" }, { project_ids: [team.projectId] }]) {
      const authorization = `Bearer :${await narrowedKey(team, wanted)}`;
      const before = await everythingIn(team.store);
      for (const [operation, body] of [
        ["projects/create", project],
        ["auth/keys/create", {}],
        ["auth/keys/list", {}],
        ["auth/keys/revoke", { key_id: "key_us_1" }],
        ["auth/keys/reroll", { key_id: "key_us_1" }],
        ["auth/keys/enable", { key_id: "key_us_1" }],
        ["auth/invite/accept", { invite_code: "inv_us_1" }],
        ["organizations/update", { name: "Taken over" }],
      ] as const) {
        const answer = await team.call(operation, body, { authorization });
        expect([operation, answer.status, answer.body.code]).toEqual([operation, 403, "key_restricted"]);
      }
      expect(await everythingIn(team.store)).toBe(before);
    }
  });

  test("sees the audit rows of its projects, and not those of the whole organization", async () => {
    const team = await startTeam(kind);
    const hidden = await team.project(team.owner, "Hidden");
    for (const wanted of [{ project_ids: [team.projectId] }, { max_role: "admin" }]) {
      const authorization = `Bearer ${team.projectId}:${await narrowedKey(team, wanted)}`;
      const own = await team.call("audit/list", {}, { authorization });
      expect([own.status, own.text.includes(hidden)]).toEqual([200, false]);
      for (const operation of ["audit/list", "audit/export"]) {
        const whole = await team.call(operation, { whole_organization: true }, { authorization });
        expect([whole.status, whole.body.code]).toEqual([403, "key_restricted"]);
      }
    }
  });
});

describeOnBothStores("operations for the organization's owner alone", (kind) => {
  const hidden = "https://example.com/hooks/whole?secret=s3cret";

  /** A webhook of the whole organization, and three restricted keys of its owner. */
  async function startOrganization() {
    const team = await startTeam(kind);
    const elsewhere = await team.project(team.owner, "Elsewhere");
    const wish = { url: hidden, whole_organization: true };
    const { body } = await team.call("webhooks/create", wish, team.inProject(team.owner));
    const keys = {
      "a role": await narrowedKey(team, { max_role: "admin" }),
      projects: await narrowedKey(team, { project_ids: [team.projectId] }),
      both: await narrowedKey(team, { project_ids: [team.projectId], max_role: "admin" }),
    };
    const asKey = (key: string) => ({ authorization: `Bearer ${team.projectId}:${key}` });
    return { team, elsewhere, webhookId: body.webhook_id as string, keys: Object.entries(keys), asKey };
  }

  test("a restricted key reads the address of an organization's webhook, as an admin does", async () => {
    const { team, webhookId, keys, asKey } = await startOrganization();
    for (const [narrowing, key] of keys) {
      const list = await team.call("webhooks/list", {}, asKey(key));
      const one = await team.call(`webhooks/${webhookId}/get`, {}, asKey(key));
      expect([narrowing, list.body.results[0].url, one.body.url]).toEqual([
        narrowing,
        "https://example.com",
        "https://example.com",
      ]);
      expect(list.text + one.text).not.toContain("s3cret");
    }
    expect((await team.call(`webhooks/${webhookId}/get`, {}, team.inProject(team.owner))).body.url).toBe(hidden);
  });

  test("a restricted key cannot change that webhook, send to it, or read its deliveries", async () => {
    const { team, webhookId, keys, asKey } = await startOrganization();
    const before = await everythingIn(team.store);
    for (const [narrowing, key] of keys) {
      for (const [what, body] of [
        ["update", { url: "https://example.org/" }],
        ["rotate_secret", {}],
        ["test", {}],
        ["deliveries", {}],
        ["replay", { since: "2026-01-01T00:00:00Z" }],
        ["delete", {}],
      ] as const) {
        const { body: refused } = await team.call(`webhooks/${webhookId}/${what}`, body, asKey(key));
        expect([narrowing, what, refused.code]).toEqual([narrowing, what, "key_restricted"]);
      }
      const wish = { url: "https://example.com/", whole_organization: true };
      expect((await team.call("webhooks/create", wish, asKey(key))).body.code).toBe("key_restricted");
    }
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("a response to its owner's full key is not replayed to a restricted key", async () => {
    const { team, webhookId, keys, asKey } = await startOrganization();
    const headers = { "idempotency-key": "once" };
    const rotate = (options: object) => team.call(`webhooks/${webhookId}/rotate_secret`, {}, { ...options, headers });
    const first = await rotate(team.inProject(team.owner));
    expect(first.body.webhook_secret).toMatch(/^whsec_/);
    for (const [narrowing, key] of keys) {
      const again = await rotate(asKey(key));
      expect([narrowing, again.body.code, again.text.includes("whsec_")]).toEqual([narrowing, "key_restricted", false]);
    }
    expect((await rotate(team.inProject(team.owner))).body).toEqual(first.body);
  });

  test("a key with the same restrictions gets the replay", async () => {
    const { team, asKey } = await startOrganization();
    const [one, two] = [
      await narrowedKey(team, { max_role: "admin", project_ids: [team.projectId] }),
      await narrowedKey(team, { max_role: "admin", project_ids: [team.projectId] }),
    ];
    const headers = { "idempotency-key": "once" };
    const first = await team.call("auth/invite/create", invite, { ...asKey(one), headers });
    expect((await team.call("auth/invite/create", invite, { ...asKey(two), headers })).body).toEqual(first.body);
  });

  test("a key restricted to projects lists the service users of these alone", async () => {
    const { team, elsewhere, keys, asKey } = await startOrganization();
    const made: string[] = [];
    for (const project of [team.projectId, elsewhere]) {
      const { body } = await team.call("auth/service_users/create", { name: project }, { as: team.owner });
      await team.call(
        "auth/service_users/add",
        { user_id: body.user_id, permissions: asRole("viewer") },
        { as: team.owner, project },
      );
      made.push(body.user_id);
    }
    for (const [narrowing, key] of keys) {
      const { results } = (await team.call("auth/service_users/list", {}, asKey(key))).body;
      const seen = results.map((each: { user_id: string }) => each.user_id);
      expect([narrowing, seen]).toEqual([narrowing, narrowing === "a role" ? made : made.slice(0, 1)]);
    }
  });
});
