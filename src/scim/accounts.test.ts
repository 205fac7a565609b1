import { expect, test } from "vitest";
import { startScim } from "../../test/support/scim/scim.ts";
import { givePassword } from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const primary = (value: string) => ({ emails: [{ value, type: "work", primary: true }] });

describeOnBothStores("accounts that a directory manages", (kind) => {
  test("a person with a verified address in the organization is linked, not duplicated", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob", "viewer");
    const made = await team.user("bob.upn", primary("BOB@example.com"));
    expect(made.id).toBe(bob.userId);
    expect((await team.lastAudit()).action).toBe("user.linked");
    expect((await team.call("auth/info", {}, { as: bob })).status).toBe(200);
    // An unverified address proves nothing, so the directory gets a separate account.
    const carl = await team.colleague("carl");
    await team.store.transaction((db) =>
      db.query("update users set email_verified_at = null where id = $1", [carl.userId]),
    );
    expect((await team.user("carl", primary(carl.email))).id).not.toBe(carl.userId);
    // An account of another organization is never linked.
    const { owner: stranger } = await team.neighbour();
    expect((await team.user("stranger", primary(stranger.email))).id).not.toBe(stranger.userId);
  });

  test("users may share an address, and a userName need not be an address", async () => {
    const team = await startScim(kind);
    const [a, b, c] = [
      await team.user("a", primary("shared@example.com")),
      await team.user("b", primary("shared@example.com")),
      await team.user("c", primary("not an address")),
    ];
    expect(new Set([a.id, b.id, c.id]).size).toBe(3);
    expect([a, b, c].map((user) => user.emails[0].value)).toEqual([
      "shared@example.com",
      "shared@example.com",
      "not an address",
    ]);
    const rows = await team.store.query("select email, email_key from users where id in ($1, $2, $3) order by id", [
      a.id,
      b.id,
      c.id,
    ]);
    expect(rows).toEqual([
      { email: "shared@example.com", email_key: "shared@example.com" },
      { email: "shared@example.com", email_key: `no-address:${b.id}` },
      { email: "not an address", email_key: `no-address:${c.id}` },
    ]);
    const filter = encodeURIComponent('emails.value eq "shared@example.com"');
    expect((await team.scim("GET", `/Users?filter=${filter}`)).body.totalResults).toBe(2);
  });

  test("a changed address changes the account and creates no new one", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob");
    await team.user("bob", primary(bob.email));
    const accounts = async () => (await team.store.query("select 1 from users")).length;
    const before = await accounts();
    await team.patch(`/Users/${bob.userId}`, {
      op: "replace",
      path: 'emails[type eq "work"].value',
      value: "robert@example.com",
    });
    expect((await team.call("auth/info", {}, { as: bob })).body.user.email).toBe("robert@example.com");
    expect(await accounts()).toBe(before);
    // An address of another account is shown, and never taken from that account.
    await team.patch(`/Users/${bob.userId}`, {
      op: "replace",
      path: 'emails[type eq "work"].value',
      value: team.owner.email,
    });
    expect((await team.call("auth/info", {}, { as: team.owner })).body.user_id).toBe(team.owner.userId);
    const [row] = await team.store.query("select email_key from users where id = $1", [bob.userId]);
    expect(row).toEqual({ email_key: `no-address:${bob.userId}` });
  });

  test("pending invites for the address are accepted when the account is created", async () => {
    const team = await startScim(kind);
    const permissions = { items: { platformDefault: { actions: { "role:editor": true } } } };
    await team.call("auth/invite/create", { email: "new@example.com", permissions }, team.inProject(team.owner));
    const { id } = await team.user("new", primary("new@example.com"));
    const { body } = await team.call("auth/users/list", {}, team.inProject(team.owner));
    expect(body.results).toContainEqual(expect.objectContaining({ user_id: id, role: "editor", managed: false }));
  });

  // "Never a pending invite for a member."
  test("pending invites are accepted when an account is restored, gets the address, or is reactivated", async () => {
    const team = await startScim(kind);
    const permissions = { items: { platformDefault: { actions: { "role:viewer": true } } } };
    const invite = (email: string) =>
      team.call("auth/invite/create", { email, permissions }, team.inProject(team.owner));
    const members = async () =>
      (await team.call("auth/users/list", {}, team.inProject(team.owner))).body.results.map(
        ({ user_id }: { user_id: string }) => user_id,
      );
    const restored = await team.user("restored", { externalId: "E1", ...primary("restored@example.com") });
    await team.scim("DELETE", `/Users/${restored.id}`);
    expect((await invite("restored@example.com")).status).toBe(200);
    await team.user("restored", { externalId: "E1", ...primary("restored@example.com") });
    expect(await members()).toContain(restored.id);

    await invite("moved@example.com");
    const moved = await team.user("moved", primary("elsewhere@example.com"));
    expect(await members()).not.toContain(moved.id);
    const path = "emails[primary eq true].value";
    await team.patch(`/Users/${moved.id}`, { op: "replace", path, value: "moved@example.com" });
    expect(await members()).toContain(moved.id);

    await invite("away@example.com");
    const away = await team.user("away", { active: false, ...primary("away@example.com") });
    expect(await members()).not.toContain(away.id);
    await team.patch(`/Users/${away.id}`, { op: "replace", path: "active", value: true });
    expect(await members()).toContain(away.id);
  });

  test("deleted and created again with the same userName and externalId, it is the same account without its old keys and password", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob", "viewer");
    const signIn = { email: bob.email, password: "a password of some length" };
    await givePassword(team, bob, signIn.password);
    expect((await team.call("auth/sign_in/password", signIn)).status).toBe(200);
    await team.user("bob", { externalId: "E7", ...primary(bob.email) });
    await team.scim("DELETE", `/Users/${bob.userId}`);
    const again = await team.user("BOB", { externalId: "E7", ...primary(bob.email) });
    expect([again.id, again.userName, again.active]).toEqual([bob.userId, "BOB", true]);
    expect((await team.lastAudit()).action).toBe("user.restored");
    expect((await team.call("auth/info", {}, { as: bob })).body.code).toBe("key_revoked");
    expect((await team.call("auth/sign_in/password", signIn)).body.code).toBe("sign_in_failed");
    expect(await team.store.query("select 1 from memberships where user_id = $1", [bob.userId])).toEqual([]);
    const [row] = await team.store.query("select email_key, removed_at, active from users where id = $1", [bob.userId]);
    expect(row).toEqual({ email_key: bob.email, removed_at: null, active: 1 });
  });

  test("nulls, unknown attributes and a dummy password are accepted, and never stored or shown", async () => {
    const team = await startScim(kind);
    const password = "dummy-secret-1234";
    const made = await team.user("ada", {
      password,
      addresses: null,
      title: null,
      name: { givenName: null, familyName: "L", nonsense: 1 },
      emails: [{ value: "a@x.example", display: null }],
      phoneNumbers: [],
      nonsense: { deep: [1] },
      "urn:nonsense:2.0:User": { a: 1 },
    });
    expect(Object.keys(made).sort()).toEqual(["active", "emails", "id", "meta", "name", "schemas", "userName"]);
    expect([made.name, made.emails]).toEqual([{ familyName: "L" }, [{ value: "a@x.example" }]]);
    const everything = [
      await team.store.query("select * from directory_people"),
      await team.store.query("select * from directory_values"),
      await team.store.query("select * from audit_log"),
      team.logged,
    ];
    expect(JSON.stringify(everything)).not.toContain(password);
  });

  test("PUT and PATCH lead to the same user", async () => {
    const team = await startScim(kind);
    const body = { userName: "ada", name: { givenName: "Ada" }, ...primary("ada@x.example"), active: true };
    const one = await team.user("ada", body);
    const put = await team.scim("PUT", `/Users/${one.id}`, { ...one, ...body, active: false, title: "x" });
    const two = await team.user("bob", { ...body, userName: "bob" });
    await team.patch(`/Users/${two.id}`, { op: "replace", value: { title: "x" } });
    const patched = await team.patch(`/Users/${two.id}`, { op: "replace", value: { active: false } });
    const without = ({ id: _, meta: __, userName: ___, ...rest }: Record<string, unknown>) => rest;
    expect(without(put.body)).toEqual(without(patched.body));
  });
});
