import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import { asRole, everythingIn, expectRefused, startTeam, type Team } from "../../test/support/team.ts";
import type { Store } from "../store/db.ts";
import { deactivateUser, reactivateUser } from "./deactivation.ts";
import { operatorScope } from "./operator.ts";

async function stateOf({ call }: Team, apiKey: string): Promise<number | string> {
  const answer = await call("auth/info", {}, { authorization: `Bearer :${apiKey}` });
  return answer.body.code ?? answer.status;
}
const invite = (email: string) => ({ email, permissions: asRole("viewer") });
const openInvites = async ({ call }: Team, options: object) =>
  (await call("auth/invite/list", {}, options)).body.results.map((each: { email: string }) => each.email);

describeOnBothStores("a person is deactivated", (kind) => {
  test("all of very many sessions, keys and invites end, and no other person's", async () => {
    const team = await startTeam(kind);
    const [leaver, other] = [await team.colleague("leaver", "admin"), await team.colleague("other", "admin")];
    const count = 1_100;
    await team.store.transaction(async (db) => {
      const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
      for (const { userId } of [leaver, other]) {
        await db.query(
          `insert into sessions (id, user_id, hash, method, created_at, last_seen_at, confirmed_at, expires_at, user_agent, enrolling,
                                 revoked_at)
           ${numbers} select 'ses_' || i || cast($1 as text), $1, $1 || i, 'password', '2000', '2100', '2100', '2100', '', 0,
                             case when i % 2 = 0 then '2000' end from n`,
          [userId],
        );
        await db.query(
          `insert into api_keys (id, user_id, hash, label, hint, created_at)
           ${numbers} select 'key_' || i || cast($1 as text), $1, $1 || i, '', '', '2000' from n`,
          [userId],
        );
        await db.query(
          `insert into invites (code, project_id, email, email_key, actions, role, status, invited_by, created_at, expires_at, sent_at,
                                sent_count)
           ${numbers} select 'inv_' || i || cast($2 as text), $1, '', $2 || i, '[]', 'viewer', 'pending', $2, '2000', '2100', '2000', 1
                        from n`,
          [team.projectId, userId],
        );
      }
    });
    const done = await team.deactivate(leaver);
    expect(done).toMatchObject({ keysDeactivated: count + 1, sessionsEnded: count / 2, invitesWithdrawn: count });
    const [left] = await team.store.query(
      `select (select count(*) from sessions where user_id = $1 and revoked_at is null) as sessions,
              (select count(*) from api_keys where user_id = $1 and disabled_at is null) as keys,
              (select count(*) from invites where invited_by = $1) as invites`,
      [other.userId],
    );
    expect(left).toEqual({ sessions: count / 2, keys: count + 1, invites: count });
  });

  // "When a user is marked deactivated there, that user's accounts and API keys are deactivated immediately."
  test("all their keys are refused from the next request on, and no other person's", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver", "admin");
    const second = (await team.call("auth/keys/create", {}, { as: leaver })).body.api_key;
    const done = await team.deactivate(leaver);
    expect(done).toMatchObject({
      user: { active: false },
      keysDeactivated: 2,
      invitesWithdrawn: 0,
      projectsWithoutAdmin: [],
    });
    for (const apiKey of [leaver.apiKey, second]) {
      const answer = await team.call("projects/get", {}, { authorization: `Bearer ${team.projectId}:${apiKey}` });
      expect(answer.body).toMatchObject({ status: 401, code: "owner_deactivated" });
    }
    expect(await stateOf(team, team.owner.apiKey)).toBe(200);
    expect(await team.lastAudit()).toMatchObject({
      action: "user.deactivated",
      actor: "operator",
      user_id: null,
      target: leaver.userId,
      details: {
        email: "leaver@example.com",
        keys_deactivated: 2,
        invites_withdrawn: 0,
        projects_without_active_admin: [],
      },
    });
  });

  test("a call of theirs that waits for a lock is refused too", async () => {
    const store = await newStore(kind);
    let beforeNextChange: (() => Promise<unknown>) | null = null;
    const held: Store = {
      ...store,
      transaction: async (work) => {
        const first = beforeNextChange;
        beforeNextChange = null;
        await first?.();
        return store.transaction(work);
      },
    };
    const team = await startTeam(kind, { store: held });
    const leaver = await team.colleague("leaver", "admin");
    beforeNextChange = () => deactivateUser(operatorScope(store, "us", team.now), leaver.userId);
    const answer = await team.call("auth/invite/create", invite("friend@example.com"), team.inProject(leaver));
    expect(answer.body).toMatchObject({ status: 401, code: "owner_deactivated" });
    expect(await openInvites(team, team.inProject(team.owner))).toEqual([leaver.email]);
  });

  test("their pending invites are withdrawn in every project; their memberships are kept", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner } = team;
    const leaver = await team.colleague("leaver", "admin");
    const elsewhere = { as: owner, project: await team.project(leaver) };
    await call("auth/invite/create", invite("a@example.com"), inProject(leaver));
    await call("auth/invite/create", invite("b@example.com"), { ...elsewhere, as: leaver });
    await call("auth/invite/create", invite("c@example.com"), inProject(owner));
    expect((await team.deactivate(leaver)).invitesWithdrawn).toBe(2);
    expect(await openInvites(team, inProject(owner))).toEqual([leaver.email, "c@example.com"]);
    expect(await openInvites(team, elsewhere)).toEqual([]);
    const people = await call("auth/users/list", {}, inProject(owner));
    expect(people.body.results).toMatchObject([{ active: true }, { user_id: leaver.userId, active: false }]);
  });

  test("being the last admin does not prevent it: the result names the projects without an admin", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver", "admin");
    const orphan = await team.project(leaver);
    expect((await team.deactivate(leaver)).projectsWithoutAdmin).toEqual([orphan]);
    expect(await team.lastAudit()).toMatchObject({ details: { projects_without_active_admin: [orphan] } });
    const takeOver = { email: team.owner.email, permissions: asRole("admin") };
    const repaired = await team.call("auth/invite/create", takeOver, { as: team.owner, project: orphan });
    expect(repaired.status).toBe(200);
  });

  test("a second time changes nothing, and an unknown person is not found", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver", "admin");
    await team.deactivate(leaver);
    const before = await everythingIn(team.store);
    expect(await team.deactivate(leaver)).toMatchObject({ keysDeactivated: 0, invitesWithdrawn: 0 });
    for (const change of [deactivateUser, reactivateUser]) {
      const absent = change(operatorScope(team.store, "us", team.now), "usr_us_absent");
      await expect(absent).rejects.toMatchObject({ code: "user_not_found" });
    }
    expect(await everythingIn(team.store)).toBe(before);
  });
});

describeOnBothStores("a person is reactivated", (kind) => {
  test("they are members of their projects again, with a new key; old keys and invites stay disabled", async () => {
    const team = await startTeam(kind);
    const person = await team.colleague("person", "admin");
    await team.call("auth/invite/create", invite("a@example.com"), team.inProject(person));
    await team.deactivate(person);
    const back = await team.reactivate(person);
    expect(back).toMatchObject({ user: { active: true, deactivatedAt: null }, keysRestored: 0 });
    expect(await team.lastAudit()).toMatchObject({
      action: "user.reactivated",
      actor: "operator",
      target: person.userId,
      details: { email: person.email, keys_restored: 0, key_id: back.newKey?.key.id },
    });
    const apiKey = back.newKey?.apiKey ?? "";
    const seen = await team.call("auth/invite/list", {}, { authorization: `Bearer ${team.projectId}:${apiKey}` });
    expect(seen.body.results).toMatchObject([{ email: person.email }]);
    expect(await stateOf(team, person.apiKey)).toBe("owner_deactivated");
    expect(await team.reactivate(person)).toMatchObject({ keysRestored: 0, newKey: null });
  });

  test("old keys are enabled if the organization chose so, but never revoked ones", async () => {
    const team = await startTeam(kind);
    await team.call("organizations/update", { keys_on_reactivation: "restore" }, { as: team.owner });
    const person = await team.colleague("person");
    const revoked = (await team.call("auth/keys/create", {}, { as: person })).body;
    await team.call("auth/keys/revoke", { key_id: revoked.key_id }, { as: person });
    await team.deactivate(person);
    expect((await team.reactivate(person)).keysRestored).toBe(1);
    expect(await stateOf(team, person.apiKey)).toBe(200);
    expect(await stateOf(team, revoked.api_key)).toBe("key_revoked");
  });

  test("they or their organization's owner enable keys one by one, but not while the person is deactivated", async () => {
    const team = await startTeam(kind);
    const person = await team.colleague("person");
    const second = (await team.call("auth/keys/create", { label: "second" }, { as: person })).body;
    const { key_id } = (await team.call("auth/info", {}, { as: person })).body.key;
    await team.deactivate(person);
    await expectRefused(team, "auth/keys/enable", { as: team.owner }, [[{ key_id }, 409, "user_deactivated"]]);
    const { newKey } = await team.reactivate(person);

    const byThem = { authorization: `Bearer :${newKey?.apiKey}` };
    const keys = (await team.call("auth/keys/list", {}, byThem)).body.results;
    expect(keys.map((each: { status: string }) => each.status)).toEqual(["deactivated", "deactivated", "active"]);
    const answer = await team.call("auth/keys/enable", { key_id: second.key_id }, byThem);
    expect([answer.status, answer.body]).toEqual([200, { ...keys[1], status: "active" }]);
    expect(await team.lastAudit()).toMatchObject({
      action: "key.enabled",
      user_id: person.userId,
      target: second.key_id,
    });
    expect([await stateOf(team, second.api_key), await stateOf(team, person.apiKey)]).toEqual([
      200,
      "owner_deactivated",
    ]);

    expect((await team.call("auth/keys/enable", { key_id }, { as: team.owner })).status).toBe(200);
    expect(await stateOf(team, person.apiKey)).toBe(200);
  });
});
