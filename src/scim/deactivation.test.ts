import { expect, test } from "vitest";
import type { TestPerson } from "../../test/support/app.ts";
import { type ScimTeam, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { openSession } from "../access/callers/sessions.ts";

/** "When a user is marked deactivated there, that user's accounts and API keys are deactivated immediately." */

const info = (team: ScimTeam, person: TestPerson) => team.call("auth/info", {}, { as: person });

/** A user who existed before the directory, which now manages the account. */
async function linked(team: ScimTeam, name: string, role?: "admin"): Promise<TestPerson> {
  const person = await team.colleague(name, role);
  const user = await team.user(name, { emails: [{ value: person.email, primary: true }] });
  expect(user.id).toBe(person.userId);
  return person;
}

const auditOf = async ({ store }: ScimTeam, userId: string): Promise<Record<string, unknown>[]> =>
  store.query("select action, actor_kind, actor_id, details from audit_log where target = $1 order by seq", [userId]);

describeOnBothStores("deactivation through the directory", (kind) => {
  test.each([
    ["PATCH without a path", { op: "replace", value: { active: false } }],
    ["PATCH with a capital and a text", { op: "Replace", path: "active", value: "False" }],
    ["PUT", null],
  ])(
    "by %s: keys and sessions are dead with the answer, one audit row, and none the second time",
    async (_, operation) => {
      const team = await startScim(kind);
      const ada = await linked(team, "ada", "admin");
      const session = await team.store.transaction((db) =>
        openSession(
          { db, region: "us", now: team.now, ip: null },
          { userId: ada.userId, method: "password", userAgent: "" },
        ),
      );
      const cookie = { cookie: `__Host-sb_session_us=${session.token}`, "sec-fetch-site": "same-origin" };
      const withCookie = () => team.call("auth/info", {}, { headers: cookie });
      expect([(await info(team, ada)).status, (await withCookie()).status]).toEqual([200, 200]);
      const path = `/Users/${ada.userId}`;
      const send = () =>
        operation
          ? team.patch(path, operation)
          : team.scim("PUT", path, { userName: "ada", emails: [{ value: ada.email }], active: false });
      const first = await send();
      expect([first.status, first.body.active]).toEqual([200, false]);
      const refused = await info(team, ada);
      expect([refused.status, refused.body.code]).toEqual([401, "owner_deactivated"]);
      expect((await withCookie()).status).toBe(401);
      const rows = async () => (await auditOf(team, ada.userId)).filter(({ action }) => action === "user.deactivated");
      expect(await rows()).toMatchObject([{ actor_kind: "directory", actor_id: team.directoryId }]);
      expect((await send()).status).toBe(200);
      expect((await rows()).length).toBe(1);
    },
  );

  test("webhooks report it once, and the reactivation once; keys stay disabled", async () => {
    const team = await startScim(kind);
    const hook = { url: "https://nobody.invalid/hooks", events: ["*"], whole_organization: true };
    expect((await team.call("webhooks/create", hook, team.inProject(team.owner))).status).toBe(200);
    const ada = await linked(team, "ada");
    const types = async () =>
      (await team.store.query<{ type: string }>("select type from deliveries order by id")).map(({ type }) => type);
    const before = (await types()).length;
    for (const active of [false, false, true, true]) {
      await team.patch(`/Users/${ada.userId}`, { op: "replace", path: "active", value: active });
    }
    expect((await types()).slice(before)).toEqual(["user.deactivated", "user.reactivated"]);
    expect((await info(team, ada)).body.code).toBe("owner_deactivated");
    expect(await team.store.query("select id from api_keys where user_id = $1", [ada.userId])).toHaveLength(1);
  });

  test("the last admin and the organization's owner are no exception", async () => {
    const team = await startScim(kind);
    const owner = await team.user("owner", { emails: [{ value: team.owner.email, primary: true }] });
    expect(owner.id).toBe(team.owner.userId);
    expect((await team.patch(`/Users/${owner.id}`, { op: "replace", path: "active", value: false })).status).toBe(200);
    expect((await info(team, team.owner)).body.code).toBe("owner_deactivated");
    const [row] = (await auditOf(team, owner.id)).filter(({ action }) => action === "user.deactivated");
    expect(JSON.parse(String(row?.details))).toMatchObject({ projects_without_active_admin: [team.projectId] });
  });

  test("DELETE revokes keys for good, ends memberships and invites, and removes the user from groups and filters", async () => {
    const team = await startScim(kind);
    const ada = await linked(team, "ada", "admin");
    await team.call(
      "auth/invite/create",
      { email: "new@example.com", permissions: { items: { platformDefault: { actions: { "role:viewer": true } } } } },
      team.inProject(ada),
    );
    const group = await team.group("G", [ada.userId]);
    expect((await team.scim("DELETE", `/Users/${ada.userId}`)).status).toBe(204);
    expect((await info(team, ada)).body.code).toBe("key_revoked");
    const left = async (sql: string) => (await team.store.query(sql, [ada.userId])).length;
    expect(await left("select 1 from memberships where user_id = $1")).toBe(0);
    expect(await left("select 1 from invites where invited_by = $1 and status = 'pending'")).toBe(0);
    expect(await left("select 1 from directory_values where owner_id = $1")).toBe(0);
    expect((await team.scim("GET", `/Groups/${group.id}`)).body.members).toEqual([]);
    expect((await auditOf(team, ada.userId)).at(-1)).toMatchObject({ action: "user.deleted", actor_kind: "directory" });
    // The address is free again: an invite to it creates a new account.
    const again = await team.person(ada.email, team.owner);
    expect(again.userId).not.toBe(ada.userId);
  });

  test("with 64 request loops in flight, no request that started after the answer succeeds", async () => {
    const team = await startScim(kind);
    const ada = await linked(team, "ada", "admin");
    let answered = false;
    let succeeded = 0;
    let late = 0;
    let refused = 0;
    const loop = async (): Promise<void> => {
      for (let turn = 0; turn < 400 && refused < 640; turn++) {
        const startedAfter = answered;
        const { status } = await info(team, ada);
        if (status === 200) succeeded++;
        if (status === 200 && startedAfter) late++;
        if (status === 401) refused++;
      }
    };
    const loops = Array.from({ length: 64 }, loop);
    while (succeeded < 200) await new Promise((resolve) => setImmediate(resolve));
    const answer = await team.patch(`/Users/${ada.userId}`, { op: "Replace", path: "active", value: "False" });
    answered = true;
    await Promise.all(loops);
    expect([answer.status, late, refused >= 640]).toEqual([200, 0, true]);
  });
});
