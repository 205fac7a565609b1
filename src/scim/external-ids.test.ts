import { expect, test } from "vitest";
import { startScim } from "../../test/support/scim/scim.ts";
import { givePassword } from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const found = (filter: string) => `?filter=${encodeURIComponent(filter)}`;
const idsOf = (body: { Resources: { id: string }[] }) => body.Resources.map(({ id }) => id);

describeOnBothStores("userName and externalId", (kind) => {
  // "The service provider … does not enforce uniqueness" (RFC 7643, 3.1): two people can have one `mailNickname`.
  test("several people may share an externalId, and a filter lists all of them", async () => {
    const { user, scim, patch } = await startScim(kind);
    const [ada, bob, carl] = [
      await user("ada", { externalId: "E1" }),
      await user("bob", { externalId: "E1" }),
      await user("carl"),
    ];
    expect((await patch(`/Users/${carl.id}`, { op: "add", path: "externalId", value: "E1" })).status).toBe(200);
    const put = await scim("PUT", `/Users/${bob.id}`, { userName: "bob", externalId: "E1", title: "x" });
    expect([put.status, put.body.externalId]).toEqual([200, "E1"]);
    expect(idsOf((await scim("GET", `/Users${found('externalId eq "E1"')}`)).body)).toEqual([ada.id, bob.id, carl.id]);
    expect(idsOf((await scim("GET", `/Users${found('externalId eq "e1"')}`)).body)).toEqual([]);
    // The userName is still unique.
    const taken = await scim("POST", "/Users", { userName: "ADA", externalId: "E1" });
    expect([taken.status, taken.body.scimType]).toEqual([409, "uniqueness"]);
  });

  test("several groups may share an externalId", async () => {
    const { scim, patch } = await startScim(kind);
    const made = async (displayName: string) =>
      (await scim("POST", "/Groups", { displayName, externalId: "g" })).body.id;
    const ids = [await made("a"), await made("b")];
    const { id } = (await scim("POST", "/Groups", { displayName: "c" })).body;
    expect((await patch(`/Groups/${id}`, { op: "add", path: "externalId", value: "g" })).status).toBe(200);
    expect(idsOf((await scim("GET", `/Groups${found('externalId eq "g"')}`)).body)).toEqual([...ids, id]);
  });
});

/** "The service provider SHOULD NOT consider the deleted resource in conflict calculation" (RFC 7644, 3.6). */
describeOnBothStores("userName and externalId of a deleted person", (kind) => {
  test("are free: reusing one of them creates a new account", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob", "admin");
    const primary = { emails: [{ value: bob.email, type: "work", primary: true }] };
    await givePassword(team, bob, "a password of some length");
    expect((await team.user("bob", { externalId: "E1", ...primary })).id).toBe(bob.userId);
    expect((await team.scim("DELETE", `/Users/${bob.userId}`)).status).toBe(204);
    const rows = async () => (await team.store.query("select * from audit_log where target = $1", [bob.userId])).length;
    const before = await rows();

    // One with the same name and address, one with the same external id, and one with a new name and address.
    const named = await team.user("BOB", { externalId: "E2", ...primary });
    const known = await team.user("robert", { externalId: "E1" });
    const old = [bob.userId];
    for (const made of [named, known]) {
      expect(old).not.toContain(made.id);
      old.push(made.id);
    }
    // The address now belongs to the new person.
    expect(await team.store.query("select email_key, active from users where id = $1", [named.id])).toEqual([
      { email_key: bob.email, active: 1 },
    ]);
    expect(await team.store.query("select active, email_key from users where id = $1", [bob.userId])).toEqual([
      { active: 0, email_key: `no-address:${bob.userId}` },
    ]);
    expect((await team.call("auth/info", {}, { as: bob })).body.code).toBe("key_revoked");
    const signIn = { email: bob.email, password: "a password of some length" };
    expect((await team.call("auth/sign_in/password", signIn)).body.code).toBe("sign_in_failed");
    expect(await team.store.query("select 1 from memberships where user_id in ($1, $2)", [named.id, known.id])).toEqual(
      [],
    );
    expect((await team.scim("GET", `/Users/${bob.userId}`)).status).toBe(404);
    // Audit rows of the old account do not change.
    expect([before > 0, await rows()]).toEqual([true, before]);
  });

  test("without an externalId, a userName alone never restores the old account", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("ada");
    await team.scim("DELETE", `/Users/${id}`);
    const again = await team.user("ada");
    expect(again.id).not.toBe(id);
    // Both together identify the old account, also if another person has one of them.
    await team.patch(`/Users/${again.id}`, { op: "add", path: "externalId", value: "E1" });
    await team.user("bob", { externalId: "E1" });
    await team.scim("DELETE", `/Users/${again.id}`);
    expect((await team.user("Ada", { externalId: "E1" })).id).toBe(again.id);
  });

  test("a deleted group's name and externalId are free too", async () => {
    const { scim } = await startScim(kind);
    const body = { displayName: "Engineers", externalId: "g-1" };
    const { id } = (await scim("POST", "/Groups", body)).body;
    await scim("DELETE", `/Groups/${id}`);
    const again = await scim("POST", "/Groups", body);
    expect([again.status, again.body.id === id]).toEqual([201, false]);
  });
});
