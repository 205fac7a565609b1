import { describe, expect, test } from "vitest";
import { startApp } from "../../../test/support/app.ts";
import { startSsoWorld } from "../../../test/support/sign-in/sso-world.ts";
import { defaultPolicies } from "../../calls/rate-limits/default-quotas.ts";
import { safePath } from "./serve-sso.ts";

describe("the pages of single sign-on", () => {
  test("each serves its own method only; a HEAD request uses up no state", async () => {
    const world = await startSsoWorld("sqlite");
    await world.verify("example.com");
    await world.colleague("ada");
    const browser = world.browser();
    const { location } = await browser.get(`/sso/start?provider=${world.providerId}`);
    const back = world.idp.agree(location ?? "");
    const url = back.pathname + back.search;
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const method of ["HEAD", "POST", "PUT", "DELETE"] as const) {
      const answer = await world.app.inject({ method, url, headers: { cookie } });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, "GET"]);
    }
    const acs = await world.app.inject({ method: "GET", url: `/sso/saml/${world.providerId}/acs` });
    expect([acs.statusCode, acs.headers.allow]).toEqual([405, "POST"]);
    expect((await browser.get(back)).status).toBe(303);
  });

  test("a refusal is a page of its own: code, sentence, request, and no script, form or frame", async () => {
    const { app } = await startApp("sqlite");
    const answer = await app.inject({ method: "GET", url: "/sso/start?provider=<script>alert(1)</script>" });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'self'; .*form-action 'none'/),
    });
    expect(answer.body).toContain("sso_not_offered");
    expect(answer.body).toContain(
      "<p>There is no single sign-on for this address, or it is switched off.</p><p>Sign in with your password or passkey, or ask the owner of your organization.</p>",
    );
    expect(answer.body).toContain("You are not signed in");
    expect(answer.body).toContain(String(answer.headers["x-request-id"]));
    expect(answer.body).not.toContain("<script");
    // "The single sign-on error page has the product's look."
    expect(answer.body).toContain('<link rel="stylesheet" href="/sign-in/style.css">');
    expect(answer.body).toContain('<a class="brand" href="/">');
  });

  test("malformed ids and states are not found", async () => {
    const { app } = await startApp("sqlite");
    for (const url of [
      "/sso/start",
      "/sso/start?provider=%00",
      "/sso/start?email=%00@%00",
      "/sso/start?provider=a&provider=b",
      "/sso/oidc/callback",
      "/sso/oidc/callback?state=%00&code=%00",
      "/sso/saml/%00/finish?state=x",
      "/sso/saml/sso_us_x/finish?state=%F0%9F%92%A5",
      "/sso/saml/__proto__/metadata",
    ]) {
      const answer = await app.inject({ method: "GET", url });
      expect([url, [400, 404].includes(answer.statusCode)]).toEqual([url, true]);
    }
  });

  test("one address is rate limited", async () => {
    const rateLimits = { ...defaultPolicies, sign_in: { quota: 3, windowSeconds: 60 } };
    const { app } = await startApp("sqlite", { rateLimits });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) {
      statuses.push((await app.inject({ method: "GET", url: "/sso/start?provider=none" })).statusCode);
    }
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  test.each<[string | null, string | null]>([
    [null, null],
    ["/account", "/account"],
    ["/a/b?c=d#e", "/a/b?c=d#e"],
    ["account", null],
    ["//evil.example", null],
    ["/\\evil.example", null],
    ["/x/..//evil", null],
    ["https://us.test/", null],
    ["/sso/start", null],
    [`/${"x".repeat(600)}`, null],
    ["/\u00e4", "/%C3%A4"],
    ["/./sso/start", null],
    ["/.//evil.example", null],
    ["/a\nb", null],
    ["/oauth/start?state=abc", null],
    ["/oauth/authorize", "/oauth/authorize"],
  ])("%s leads to %s", (text, expected) => {
    expect(safePath(text, "http://us.test")).toBe(expected);
  });
});
