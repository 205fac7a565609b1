import { expect, test } from "vitest";
import { permissions } from "../../test/support/app.ts";
import { type SsoWorld, startSsoWorld } from "../../test/support/sso-world.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { findSsoFor } from "./sso-offer.ts";

const account = "auth/sessions/list";

describeOnBothStores("sign-in at the organization's provider", (kind) => {
  /** What an operation says to whoever holds the browser's session. */
  const callWithSession = (world: SsoWorld, token: string | undefined) =>
    world.call(account, {}, { headers: { cookie: `__Host-sb_session_us=${token}`, origin: "http://us.test" } });

  test("the way there: PKCE, state, nonce, the exact redirect, and a cookie for this browser alone", async () => {
    const world = await startSsoWorld(kind);
    const browser = world.browser();
    const sent = await browser.get(`/sso/start?provider=${world.providerId}`);
    expect(sent.status).toBe(302);
    const { origin, pathname, searchParams } = new URL(sent.location ?? "");
    expect([origin, pathname]).toEqual([world.idp.issuer, "/authorize"]);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "signalbox",
      response_type: "code",
      redirect_uri: "http://us.test/sso/oidc/callback",
      scope: "openid email profile",
      state: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(sent.headers["set-cookie"]).toMatch(
      /^__Host-sb_sso_us=[0-9A-Za-z]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(sent.headers["referrer-policy"]).toBe("no-referrer");
    // "Stored hashed": neither the state nor the cookie is in the store.
    const kept = JSON.stringify(await world.rows("sso_flows"));
    expect(kept).not.toContain(searchParams.get("state"));
    expect(kept).not.toContain([...browser.cookies.values()][0]);
  });

  test("somebody with an account in a verified domain is linked, signed in and sent on", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const ada = await world.colleague("ada");
    const arrived = await world.signIn(world.browser(), `provider=${world.providerId}&next=/latest/documentation`);
    expect([arrived.status, arrived.location]).toEqual([303, "/latest/documentation"]);
    expect((await callWithSession(world, arrived.browser.session)).body.results).toMatchObject([
      { method: "oidc", current: true, user_agent: "test browser" },
    ]);
    expect(await world.rows("identities")).toMatchObject([
      { provider_id: world.providerId, subject: "subject-1", user_id: ada.userId, email: "ada@example.com" },
    ]);
    expect((await world.auditActions()).slice(-2)).toEqual(["identity.linked", "session.created"]);
    // The second time nothing is linked any more.
    await world.signIn();
    expect((await world.auditActions()).slice(-3)).toEqual(["identity.linked", "session.created", "session.created"]);
  });

  test("the subject alone decides from then on: a changed address changes nothing about whose account it is", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const ada = await world.colleague("ada");
    const eve = await world.colleague("eve");
    await world.signIn();
    world.idp.person = { ...world.idp.person, email: eve.email };
    const { browser } = await world.signIn();
    const [session] = (await world.rows("sessions")).slice(-1);
    expect([session?.user_id, browser.session === undefined]).toEqual([ada.userId, false]);
  });

  test("by the domain of an address, and the sign-in page is told the same", async () => {
    const world = await startSsoWorld(kind, { required: true });
    expect(await findSsoFor(world.store, "ada@example.com")).toBeNull();
    expect((await world.browser().get("/sso/start?email=ada@example.com")).code).toBe("sso_not_offered");
    await world.verify("example.com");
    expect(await findSsoFor(world.store, "ada@example.com")).toEqual({
      organizationId: world.owner.organizationId,
      url: `/sso/start?provider=${world.providerId}`,
      required: true,
    });
    const sent = await world.browser().get("/sso/start?email=Ada@Example.com");
    expect(new URL(sent.location ?? "").searchParams.get("login_hint")).toBe("Ada@Example.com");
    await world.call(`single_sign_on/${world.providerId}/update`, { enabled: false }, { as: world.owner });
    expect(await findSsoFor(world.store, "ada@example.com")).toBeNull();
    expect((await world.signIn()).code).toBe("sso_not_offered");
  });

  test("the client's secret outlives a change of the organization's data key", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    const sealed = async () => (await world.store.query<{ sealed: string }>("select sealed from sso_providers"))[0];
    const before = await sealed();
    expect(await world.context.rooms.vault.keys.renew(world.store)).toBe(1);
    expect(await sealed()).not.toEqual(before);
    expect((await world.signIn()).status).toBe(303);
  });

  test("an address that is only in the provider's userinfo is asked for there", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    world.idp.person = { sub: "subject-1" };
    world.idp.userinfo = { sub: "subject-1", email: "ada@example.com", email_verified: true };
    expect((await world.signIn()).status).toBe(303);
    world.idp.person = { sub: "subject-2" };
    expect((await world.signIn()).code).toBe("sso_answer_refused");
  });
});

describeOnBothStores("whose account it is", (kind) => {
  test("an address in a domain that nobody has verified links nothing", async () => {
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

  test("an address that the provider has not checked links nothing", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    for (const checked of [{ email_verified: false }, { email_verified: "false" }, { xms_edov: "0" }]) {
      world.idp.person = { sub: "subject-1", email: "ada@example.com", ...checked };
      expect((await world.signIn()).code).toBe("sso_domain_unverified");
    }
  });

  test("without an account, and where signing in makes none, the page says so", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const refused = await world.signIn();
    expect([refused.status, refused.code]).toEqual([403, "sso_no_account"]);
    expect(refused.text).toContain("Ask the owner of your organization");
    expect(refused.text).toMatch(/req_\w+/);
    expect(await world.rows("users")).toHaveLength(1);
  });

  test("just in time: an account, its place in the default project, and the invites that waited for it", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const second = await world.project(world.owner, "Second");
    const invite = { email: "ada@example.com", permissions: permissions("role:viewer") };
    expect((await world.call("auth/invite/create", invite, { as: world.owner, project: second })).status).toBe(200);
    const change = {
      just_in_time: true,
      default_project_id: world.projectId,
      default_permissions: permissions("role:editor"),
    };
    await world.call(`single_sign_on/${world.providerId}/update`, change, { as: world.owner });
    const { status, browser } = await world.signIn();
    expect(status).toBe(303);
    const headers = { cookie: `__Host-sb_session_us=${browser.session}`, origin: "http://us.test" };
    const { body } = await world.call("projects/list", {}, { headers });
    const roles = body.results.map((each: { project_id: string; role: string }) => [each.project_id, each.role]);
    expect(roles.sort()).toEqual(
      [
        [world.projectId, "editor"],
        [second, "viewer"],
      ].sort(),
    );
    expect((await world.auditActions()).slice(-5)).toEqual([
      "user.created",
      "user.joined",
      "identity.linked",
      "session.created",
      "user.joined",
    ]);
    // The second time nobody is made.
    await world.signIn();
    expect(await world.rows("users")).toHaveLength(2);
  });

  test("whom an open invite waits for is let in also where signing in makes no accounts otherwise", async () => {
    const world = await startSsoWorld(kind, { required: true });
    const invite = { email: "ada@example.com", permissions: permissions("role:viewer") };
    await world.call("auth/invite/create", invite, world.inProject(world.owner));
    expect((await world.signIn()).code).toBe("sso_no_account");
    await world.verify("example.com");
    world.idp.person = { ...world.idp.person, sub: "subject-2", email: "eve@example.com" };
    expect((await world.signIn()).code).toBe("sso_no_account");
    expect(await world.rows("users")).toHaveLength(1);
    world.idp.person = { ...world.idp.person, sub: "subject-1", email: "ada@example.com" };
    expect((await world.signIn()).status).toBe(303);
    const roles = await world.store.query("select role from memberships where project_id = $1", [world.projectId]);
    expect(roles.map(({ role }) => role).sort()).toEqual(["admin", "viewer"]);
  });

  test("an account made for an address that nobody has verified takes up no invites", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const invite = { email: "ada@example.com", permissions: permissions("admin") };
    await world.call("auth/invite/create", invite, world.inProject(world.owner));
    expect((await world.signIn()).status).toBe(303);
    expect(await world.store.query("select * from memberships where role = 'admin'")).toHaveLength(1);
    const made = (await world.rows("users")).find(({ email }) => email === "ada@example.com");
    expect(made).toMatchObject({ email_verified_at: null, organization_role: "member" });
  });

  test("without an address no account is made", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    world.idp.person = { sub: "subject-1" };
    world.idp.userinfo = { sub: "subject-1" };
    expect((await world.signIn()).code).toBe("sso_no_account");
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

  test("another subject of the same provider with the same address is somebody else, until an owner unlinks the first", async () => {
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
    expect((await world.call(account, {}, { headers })).status).toBe(401);
    const refused = await world.signIn();
    expect([refused.status, refused.code]).toEqual([403, "account_deactivated"]);
    expect(refused.text).toContain("Your account is deactivated.");
    expect((await world.rows("users")).find(({ id }) => id === ada.userId)).toMatchObject({ active: 0 });
    // Nor where they had never come from there before.
    await world.store.transaction((db) => db.query("delete from identities"));
    expect((await world.signIn()).code).toBe("account_deactivated");
    expect(await world.rows("identities")).toEqual([]);
  });

  test("sixteen sign-ins under way while the person is deactivated leave no session behind", async () => {
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

  test("whom the directory has deleted is not made anew by signing in", async () => {
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

  test("whoever the directory sent is found by its ids and names, without any address", async () => {
    const world = await startSsoWorld(kind);
    const ada = await world.colleague("ada");
    const bob = await world.colleague("bob");
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
    // Only the provider that goes with the directory may speak for its people.
    expect((await world.signIn()).code).toBe("sso_no_account");
    const path = `single_sign_on/${world.providerId}/update`;
    expect((await world.call(path, { directory_id: "dir_1" }, { as: world.owner })).body.directory_id).toBe("dir_1");
    expect((await world.signIn()).status).toBe(303);
    world.idp.person = { sub: "s-2", preferred_username: "Bob.B" };
    world.idp.userinfo = { sub: "s-2" };
    expect((await world.signIn()).status).toBe(303);
    const links = await world.rows("identities");
    expect(links.map(({ subject, user_id }) => [subject, user_id])).toEqual([
      ["ext-1", ada.userId],
      ["s-2", bob.userId],
    ]);
    expect((await world.call(path, { directory_id: "dir_2" }, { as: world.owner })).status).toBe(422);
  });

  test("a service user is nobody who signs in", async () => {
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

describeOnBothStores("a session confirmed at the provider", (kind) => {
  test("the same person, just now: then what changes how the account is opened is allowed again", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    world.idp.person = { ...world.idp.person, email: world.owner.email };
    const { browser } = await world.signIn();
    world.advance(3600);
    const headers = { cookie: `__Host-sb_session_us=${browser.session}`, origin: "http://us.test" };
    const name = () => world.call("domains/create", { domain: "example.org" }, { headers });
    expect((await name()).body.code).toBe("confirmation_required");
    const sent = await browser.get("/sso/start?confirm=1&next=/latest/documentation");
    const asked = new URL(sent.location ?? "").searchParams;
    expect([asked.get("prompt"), asked.get("max_age")]).toEqual(["login", "0"]);
    world.idp.person = { ...world.idp.person, auth_time: Math.floor(world.now().getTime() / 1000) };
    const back = await browser.get(world.idp.agree(sent.location ?? ""));
    expect([back.status, back.location, back.headers["set-cookie"]]).toEqual([303, "/latest/documentation", undefined]);
    expect((await name()).status).toBe(200);
    expect(await world.auditActions()).toContain("session.confirmed");
    // One new session in all.
    expect(await world.rows("sessions")).toHaveLength(1);
  });

  test("a sign-in of long ago, another person, another session, or none confirm nothing", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("eve");
    world.idp.person = { ...world.idp.person, email: world.owner.email };
    const { browser } = await world.signIn();
    const person = { ...world.idp.person };
    const now = () => Math.floor(world.now().getTime() / 1000);
    const confirmAs = async (changes: Record<string, unknown>) => {
      const sent = await browser.get(`/sso/start?confirm=1&provider=${world.providerId}`);
      world.idp.person = { ...person, auth_time: now(), ...changes };
      return (await browser.get(world.idp.agree(sent.location ?? ""))).code;
    };
    expect(await confirmAs({ auth_time: now() - 3600 })).toBe("sso_not_confirmed");
    expect(await confirmAs({ auth_time: undefined })).toBe("sso_not_confirmed");
    expect(await confirmAs({ sub: "eve", email: "eve@example.com" })).toBe("sso_not_confirmed");
    expect(await world.rows("identities")).toHaveLength(1);
    expect((await world.browser().get("/sso/start?confirm=1")).code).toBe("session_ended");
    const sent = await browser.get("/sso/start?confirm=1");
    browser.cookies.delete("__Host-sb_session_us");
    world.idp.person = { ...person, auth_time: now() };
    expect((await browser.get(world.idp.agree(sent.location ?? ""))).code).toBe("sso_not_confirmed");
  });
});
