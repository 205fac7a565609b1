import { expect, test } from "vitest";
import { type SsoWorld, startSsoWorld } from "../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { findSsoFor } from "./required-sso.ts";

describeOnBothStores("sign-in at the organization's provider", (kind) => {
  /** The response of an operation in the browser's session. */
  const callWithSession = (world: SsoWorld, token: string | undefined) =>
    world.call(
      "auth/sessions/list",
      {},
      { headers: { cookie: `__Host-sb_session_us=${token}`, origin: "http://us.test" } },
    );

  test("the request has PKCE, state, nonce, the exact redirect, and a cookie for this browser alone", async () => {
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

  test("a person with an account in a verified domain is linked, signed in and redirected", async () => {
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
    // The second sign-in links nothing.
    await world.signIn();
    expect((await world.auditActions()).slice(-3)).toEqual(["identity.linked", "session.created", "session.created"]);
  });

  test("after that the subject alone decides: a changed address does not change the account", async () => {
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

  test("the domain of an address selects the provider, also on the sign-in page", async () => {
    const world = await startSsoWorld(kind, { required: true });
    expect(await findSsoFor(world.store, "ada@example.com")).toBeNull();
    expect((await world.browser().get("/sso/start?email=ada@example.com")).code).toBe("sso_not_offered");
    await world.verify("example.com");
    expect(await findSsoFor(world.store, "ada@example.com")).toEqual({
      organizationId: world.owner.organizationId,
      url: `/sso/start?provider=${world.providerId}`,
      label: "Scripted",
      required: true,
    });
    const sent = await world.browser().get("/sso/start?email=Ada@Example.com");
    expect(new URL(sent.location ?? "").searchParams.get("login_hint")).toBe("Ada@Example.com");
    await world.call(`single_sign_on/${world.providerId}/update`, { enabled: false }, { as: world.owner });
    expect(await findSsoFor(world.store, "ada@example.com")).toBeNull();
    expect((await world.signIn()).code).toBe("sso_not_offered");
  });

  test("the client's secret stays valid after a change of the organization's data key", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    const sealed = async () => (await world.store.query<{ sealed: string }>("select sealed from sso_providers"))[0];
    const before = await sealed();
    expect(await world.context.rooms.vault.keys.renew(world.store)).toBe(1);
    expect(await sealed()).not.toEqual(before);
    expect((await world.signIn()).status).toBe(303);
  });

  test("an address that is only in the provider's userinfo is fetched there", async () => {
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
