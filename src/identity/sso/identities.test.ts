import { expect, test } from "vitest";
import { type SsoWorld, startSsoWorld } from "../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

/** People of the provider's directory. */
async function sendAs(world: SsoWorld, directoryId: string, people: [userId: string, userName: string, id: string][]) {
  const at = world.now().toISOString();
  await world.store.transaction(async (db) => {
    await db.query(
      `insert into directories (id, organization_id, label, created_at) values ($1, $2, '', $3)
       on conflict (id) do nothing`,
      [directoryId, world.owner.organizationId, at],
    );
    for (const [userId, userName, externalId] of people) {
      await db.query(
        `insert into directory_people (user_id, directory_id, user_name, user_name_key, external_id, display, resource,
            created_at, updated_at) values ($1, $2, $3, $3, $4, '', '{}', $5, $5)`,
        [userId, directoryId, userName, externalId, at],
      );
    }
  });
  const path = `single_sign_on/${world.providerId}/update`;
  expect((await world.call(path, { directory_id: directoryId }, { as: world.owner })).status).toBe(200);
}

describeOnBothStores("the account of a person from a provider", (kind) => {
  test("an address in an unverified domain links nothing", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    await world.colleague("ada");
    const refused = await world.signIn();
    expect([refused.status, refused.code]).toEqual([403, "sso_domain_unverified"]);
    expect([await world.rows("identities"), await world.rows("sessions")]).toEqual([[], []]);
    expect((await world.auditActions()).at(-1)).toBe("sign_in.refused");
  });

  test("a domain that another organization has verified links nothing here", async () => {
    const world = await startSsoWorld(kind);
    await world.colleague("ada");
    await world.verify("example.com", (await world.neighbour()).owner);
    expect((await world.signIn()).code).toBe("sso_domain_unverified");
  });

  test("an address that the provider reports as unverified links nothing", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    for (const checked of [{ email_verified: false }, { email_verified: "false" }, { xms_edov: "0" }]) {
      world.idp.person = { sub: "subject-1", email: "ada@example.com", ...checked };
      const refused = await world.signIn();
      expect(refused.code).toBe("sso_domain_unverified");
      // The domain is verified, so the problem must not say otherwise.
      expect(refused.text).toContain("nobody has verified your e-mail address");
    }
  });

  test("the same address from a second provider takes over nothing, unless the domain names that provider", async () => {
    const world = await startSsoWorld(kind);
    const domainId = await world.verify("example.com");
    const ada = await world.colleague("ada");
    await world.signIn();
    // The same server as another client, with other subjects.
    const wanted = { kind: "oidc", label: "Second", issuer: world.idp.issuer, client_id: world.idp.clientId };
    const made = await world.call(
      "single_sign_on/create",
      { ...wanted, client_secret: world.idp.clientSecret },
      { as: world.owner },
    );
    world.idp.person = { ...world.idp.person, sub: "somebody else" };
    const query = `provider=${made.body.provider_id}`;
    const refused = await world.signIn(world.browser(), query);
    expect([refused.status, refused.code]).toEqual([403, "sso_linked_elsewhere"]);
    await world.call(`domains/${domainId}/update`, { provider_id: made.body.provider_id }, { as: world.owner });
    expect((await world.signIn(world.browser(), query)).status).toBe(303);
    const links = await world.rows("identities");
    expect(links.map(({ user_id }) => user_id)).toEqual([ada.userId, ada.userId]);
  });

  test("another subject with the same address is another person, until an owner unlinks the first", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    await world.signIn();
    world.idp.person = { ...world.idp.person, sub: "reissued" };
    expect((await world.signIn()).code).toBe("sso_linked_elsewhere");
    const { body } = await world.call("single_sign_on/identities/list", {}, { as: world.owner });
    expect(body.results).toMatchObject([{ subject: "subject-1", email: "ada@example.com" }]);
    const path = `single_sign_on/identities/${body.results[0].identity_id}/delete`;
    expect((await world.call(path, {}, { as: world.owner })).status).toBe(200);
    expect((await world.signIn()).status).toBe(303);
    const { owner: stranger } = await world.neighbour();
    const other = (await world.rows("identities"))[0]?.id;
    expect((await world.call(`single_sign_on/identities/${other}/delete`, {}, { as: stranger })).status).toBe(404);
  });

  test("a deactivated person is refused with the reason, and nothing is reactivated", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    await world.verify("example.com");
    const ada = await world.colleague("ada");
    const { browser } = await world.signIn();
    await world.deactivate(ada);
    const headers = { cookie: `__Host-sb_session_us=${browser.session}`, origin: "http://us.test" };
    expect((await world.call("auth/sessions/list", {}, { headers })).status).toBe(401);
    const refused = await world.signIn();
    expect([refused.status, refused.code]).toEqual([403, "account_deactivated"]);
    expect(refused.text).toContain("Your account is deactivated.");
    expect((await world.rows("users")).find(({ id }) => id === ada.userId)).toMatchObject({ active: 0 });
    // Nor at their first sign-in from there.
    await world.store.transaction((db) => db.query("delete from identities"));
    expect((await world.signIn()).code).toBe("account_deactivated");
    expect(await world.rows("identities")).toEqual([]);
  });

  test("sixteen sign-ins concurrent with a deactivation leave no session", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const ada = await world.colleague("ada");
    await world.signIn();
    const ready: (() => Promise<unknown>)[] = [];
    for (let count = 0; count < 16; count++) {
      const browser = world.browser();
      const { location } = await browser.get(`/sso/start?provider=${world.providerId}`);
      const back = world.idp.agree(location ?? "");
      ready.push(() => browser.get(back));
    }
    await Promise.all([
      ...ready.slice(0, 8).map((finish) => finish()),
      world.deactivate(ada),
      ...ready.slice(8).map((finish) => finish()),
    ]);
    const open = (await world.rows("sessions")).filter(({ revoked_at }) => revoked_at === null);
    expect(open).toEqual([]);
  });

  test("a sign-in does not create an account for a person whom the directory deleted", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    await world.verify("example.com");
    const ada = await world.colleague("ada");
    await world.signIn();
    await world.store.transaction((db) =>
      db.query(`update users set active = 0, removed_at = $2, email_key = 'no-address:' || id where id = $1`, [
        ada.userId,
        world.now().toISOString(),
      ]),
    );
    expect((await world.signIn()).code).toBe("account_removed");
    await world.store.transaction((db) => db.query("delete from identities"));
    expect((await world.signIn()).code).toBe("account_removed");
  });

  test("a directory's person is found by external id and by a verified address, never by a name that people choose", async () => {
    const world = await startSsoWorld(kind);
    const ada = await world.colleague("ada");
    const bob = await world.colleague("bob");
    const carl = await world.colleague("carl");
    const at = world.now().toISOString();
    await world.store.transaction(async (db) => {
      await db.query("insert into directories (id, organization_id, label, created_at) values ($1, $2, '', $3)", [
        "dir_1",
        world.owner.organizationId,
        at,
      ]);
      for (const [userId, userName, externalId] of [
        [ada.userId, "ada.l", "ext-1"],
        [bob.userId, "bob.b", "ext-2"],
        [carl.userId, "carl.c@example.org", "carl.c"],
      ]) {
        await db.query(
          `insert into directory_people (user_id, directory_id, user_name, user_name_key, external_id, display, resource,
              created_at, updated_at) values ($1, 'dir_1', $2, $2, $3, '', '{}', $4, $4)`,
          [userId as string, userName as string, externalId as string, at],
        );
      }
    });
    world.idp.person = { sub: "ext-1" };
    world.idp.userinfo = { sub: "ext-1" };
    // Only the directory's own provider may sign its people in.
    expect((await world.signIn()).code).toBe("sso_no_account");
    const path = `single_sign_on/${world.providerId}/update`;
    expect((await world.call(path, { directory_id: "dir_1" }, { as: world.owner })).body.directory_id).toBe("dir_1");
    expect((await world.signIn()).status).toBe(303);
    world.idp.person = { sub: "s-2", oid: "ext-2" };
    world.idp.userinfo = { sub: "s-2" };
    expect((await world.signIn()).status).toBe(303);
    const links = await world.rows("identities");
    expect(links.map(({ subject, user_id }) => [subject, user_id])).toEqual([
      ["ext-1", ada.userId],
      ["s-2", bob.userId],
    ]);
    // "MUST NOT be relied upon to be unique": people can choose these names freely.
    for (const name of [{ preferred_username: "carl.c" }, { upn: "carl.c" }, { nickname: "carl.c" }]) {
      world.idp.person = { sub: "s-3", ...name };
      world.idp.userinfo = { sub: "s-3", ...name };
      const refused = await world.signIn();
      expect([refused.code, refused.text.includes("Token configuration")]).toEqual(["sso_no_account", true]);
    }
    world.idp.person = { sub: "s-4", email: "carl.c@example.org", email_verified: true };
    expect((await world.signIn()).status).toBe(303);
    expect((await world.rows("identities")).at(-1)?.user_id).toBe(carl.userId);
    expect((await world.call(path, { directory_id: "dir_2" }, { as: world.owner })).status).toBe(422);
  });

  test("an external id of several people identifies none of them; their user names do", async () => {
    const world = await startSsoWorld(kind);
    const [ada, bob] = [await world.colleague("ada"), await world.colleague("bob")];
    await sendAs(world, "dir_1", [
      [ada.userId, "ada.l@example.org", "nick"],
      [bob.userId, "bob.b@example.org", "nick"],
    ]);
    world.idp.person = { sub: "nick" };
    world.idp.userinfo = { sub: "nick" };
    expect((await world.signIn()).code).toBe("sso_no_account");
    world.idp.person = { sub: "nick", email: "bob.b@example.org", email_verified: true };
    expect((await world.signIn()).status).toBe(303);
    expect((await world.rows("identities")).map(({ user_id }) => user_id)).toEqual([bob.userId]);
  });

  test("a person deleted and created again with another account signs in to the new one, never to the old one", async () => {
    const world = await startSsoWorld(kind);
    const [old, anew] = [await world.colleague("ada"), await world.colleague("ada2")];
    await sendAs(world, "dir_1", [[old.userId, "ada.l@example.org", "ext-1"]]);
    world.idp.person = { sub: "s-1", email: "ada.l@example.org", email_verified: true };
    world.idp.userinfo = { sub: "s-1" };
    expect((await world.signIn()).status).toBe(303);
    await world.store.transaction(async (db) => {
      const at = world.now().toISOString();
      await db.query("update directory_people set deleted_at = $1", [at]);
      await db.query(`update users set active = 0, removed_at = $2, email_key = 'no-address:' || id where id = $1`, [
        old.userId,
        at,
      ]);
    });
    expect((await world.signIn()).code).toBe("account_removed");
    expect((await world.rows("identities")).map(({ user_id }) => user_id)).toEqual([old.userId]);
    await sendAs(world, "dir_1", [[anew.userId, "ada.l@example.org", "ext-2"]]);
    expect((await world.signIn()).status).toBe(303);
    expect((await world.rows("identities")).map(({ user_id }) => user_id)).toEqual([anew.userId]);
  });

  test("a service user cannot sign in", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const { body } = await world.call("auth/service_users/create", { name: "robot" }, { as: world.owner });
    const at = world.now().toISOString();
    await world.store.transaction((db) =>
      db.query(
        `insert into identities (id, organization_id, provider_id, subject, user_id, created_at, last_used_at)
         values ('idn_1', $1, $2, 'subject-1', $3, $4, $4)`,
        [world.owner.organizationId, world.providerId, body.user_id, at],
      ),
    );
    expect((await world.signIn()).code).toBe("sso_no_account");
  });
});
