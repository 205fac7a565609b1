import { expect, test } from "vitest";
import { startSsoWorld } from "../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("a session confirmed at the provider", (kind) => {
  test("a recent sign-in of the same person allows changes of credentials again", async () => {
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
    // There is still one new session in all.
    expect(await world.rows("sessions")).toHaveLength(1);
  });

  test("an old sign-in, another person, another session, or none confirms nothing", async () => {
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
