import { expect, test } from "vitest";
import { encoded, honestly, responseXml } from "../../../../test/support/sign-in/saml-provider.ts";
import { startSamlWorld } from "../../../../test/support/sign-in/saml-world.ts";
import { TestBrowser } from "../../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores } from "../../../../test/support/stores.ts";

describeOnBothStores("SAML", (kind) => {
  test("a person signs in with a signed assertion of the provider", async () => {
    const world = await startSamlWorld(kind);
    const ada = await world.colleague("ada");
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser, "&next=/latest/documentation");
    expect(request).toMatchObject({
      acsUrl: `http://us.test${world.acs}`,
      issuer: `http://us.test/sso/saml/${world.providerId}/metadata`,
      relayState: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
    });
    expect(request.xml).not.toContain("ForceAuthn");
    const posted = await browser.post(world.acs, {
      SAMLResponse: encoded(responseXml(request, honestly(request))),
      RelayState: request.relayState,
    });
    // A form from another site carries no cookies, so it opens no session: the browser is redirected to fetch the result with its cookie.
    expect([posted.status, posted.headers["set-cookie"]]).toEqual([303, undefined]);
    expect((await new TestBrowser(world.app).get(posted.location ?? "")).code).toBe("sso_flow_gone");
    const arrived = await browser.get(posted.location ?? "");
    expect([arrived.status, arrived.location]).toEqual([303, "/latest/documentation"]);
    expect(await world.store.query("select method, user_id from sessions")).toEqual([
      { method: "saml", user_id: ada.userId },
    ]);
    expect((await browser.get(posted.location ?? "")).code).toBe("sso_flow_gone");
    expect(await world.store.query("select subject, user_id from identities")).toEqual([
      { subject: "subject-1", user_id: ada.userId },
    ]);
  });

  test("a response is valid once: not twice for one request, not for another request, and not with the same ID", async () => {
    const world = await startSamlWorld(kind);
    await world.colleague("ada");
    const browser = new TestBrowser(world.app);
    const first = await world.begin(browser);
    const response = encoded(responseXml(first, honestly(first, { id: "_once" })));
    expect((await world.answer(browser, first, response)).status).toBe(303);
    expect((await world.answer(browser, first, response)).code).toBe("sso_flow_gone");
    const second = await world.begin(browser);
    expect((await world.answer(browser, second, response)).code).toBe("sso_answer_refused");
    const third = await world.begin(browser);
    const again = encoded(responseXml(third, honestly(third, { id: "_once" })));
    const replayed = await world.answer(browser, third, again);
    expect([replayed.status, replayed.code]).toEqual([403, "sso_answer_refused"]);
    expect(replayed.text).toContain("was used before");
    expect(await world.store.query("select id from sessions")).toHaveLength(1);
  });

  test("a deactivated person is refused with the reason", async () => {
    const world = await startSamlWorld(kind);
    const ada = await world.colleague("ada");
    await world.deactivate(ada);
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const refused = await world.answer(browser, request, encoded(responseXml(request, honestly(request))));
    expect([refused.status, refused.code]).toEqual([403, "account_deactivated"]);
  });

  test("confirming requires a fresh sign-in, and refuses an old one", async () => {
    const world = await startSamlWorld(kind);
    const email = world.owner.email;
    const browser = new TestBrowser(world.app);
    const first = await world.begin(browser);
    await world.answer(browser, first, encoded(responseXml(first, honestly(first, { email }))));
    const again = await world.begin(browser, "&confirm=1");
    expect(again.xml).toContain('ForceAuthn="true"');
    const old = honestly(again, { email, authnInstant: new Date(Date.now() - 3_600_000) });
    expect((await world.answer(browser, again, encoded(responseXml(again, old)))).code).toBe("sso_not_confirmed");
    const third = await world.begin(browser, "&confirm=1");
    const arrived = await world.answer(browser, third, encoded(responseXml(third, honestly(third, { email }))));
    expect([arrived.status, arrived.headers["set-cookie"]]).toEqual([303, undefined]);
  });
});
