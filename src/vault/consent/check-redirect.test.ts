import { describe, expect, test } from "vitest";
import { startPopUp } from "../../../test/support/browser/pop-up.ts";

describe("the redirect from a consent page", () => {
  test("declining connects nothing, and says what to do", async () => {
    const { connect, consent, comeBack, status } = await startPopUp("sqlite", "analytics");
    const begun = await connect();
    const page = await comeBack(await consent(begun.connect_url, { decision: "deny" }));
    expect(page.text).toContain("The consent was declined");
    expect(await status(begun.connect_id)).toMatchObject({
      state: "failed",
      problem: {
        code: "authentication_failed",
        reason: "missing_permissions",
        remedy: expect.stringContaining("allow"),
      },
    });
  });

  test("a permission that was not granted is reported, and the account is a viewer", async () => {
    const { connect, consent, comeBack, status, team, asOwner } = await startPopUp("sqlite", "analytics");
    const begun = await connect();
    const granted = ["https://www.googleapis.com/auth/analytics.readonly"];
    const page = await comeBack(await consent(begun.connect_url, { granted }));
    // The last page says what does not work, and stays open until somebody has read it.
    expect(page.text).toMatch(/Create Key Events, Create properties .* do not/);
    expect(page.result.close).toBe(false);
    const { connection_id } = await status(begun.connect_id);
    const { body } = await team.call(`connections/${connection_id}/get`, {}, asOwner);
    expect(body).toMatchObject({
      access_level: "viewer",
      health: { reason: expect.stringContaining("analytics.edit") },
    });
    expect(body.scopes).not.toContain("https://www.googleapis.com/auth/analytics.edit");
  });

  // "connected" is said only when reading works.
  test.each([
    ["the permission to read left out", { granted: ["https://www.googleapis.com/auth/analytics.edit"] }, /readonly/],
    ["no analytics account in reach", { person: "outsider" }, /in reach of outsider@analytics-sandbox\.example/],
  ])("%s: nothing is connected, and the account that worked before still does", async (_what, answered, reason) => {
    const { connect, consent, comeBack, status, team, asOwner } = await startPopUp("sqlite", "analytics");
    const first = await connect();
    await comeBack(await consent(first.connect_url));
    const { connection_id } = await status(first.connect_id);
    const again = await connect({ connection_id });
    const page = await comeBack(await consent(again.connect_url, answered));
    expect([page.status, page.text]).toEqual([400, expect.stringMatching(reason)]);
    expect(await status(again.connect_id)).toMatchObject({
      state: "failed",
      problem: { reason: "missing_permissions", detail: expect.stringMatching(reason) },
    });
    const { body } = await team.call(`connections/${connection_id}/check`, {}, asOwner);
    expect(body).toMatchObject({ state: "connected", access_level: "administrator", health: { ok: true } });
  });

  // "Grants in a consent screen in testing end after seven days: the message at that moment says so."
  test("a grant of a consent screen in testing says when it ends, and why when it has ended", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp("sqlite", "analytics");
    await sandbox.control("limits", { refresh_token_seconds: 604_800 });
    const begun = await connect();
    const page = await comeBack(await consent(begun.connect_url));
    expect(page.text).toMatch(/ends this sign-in at \d{4}-.*in testing/);
    const { connection_id } = await status(begun.connect_id);
    const get = async () => (await team.call(`connections/${connection_id}/get`, {}, asOwner)).body;
    expect((await get()).health.reason).toMatch(/in testing/);
    team.advance(604_900);
    await sandbox.control("clock", { advance_seconds: 604_900 });
    await team.call(`connections/${connection_id}/check`, {}, asOwner);
    expect(await get()).toMatchObject({
      state: "needs_reconnect",
      state_reason: expect.stringMatching(/It was given until .* in testing ends after seven days/),
    });
  });

  test("no refresh token is a failure with its reason, because the connection would end within the hour", async () => {
    const { connect, consent, comeBack, status, sandbox } = await startPopUp("sqlite", "analytics");
    const begun = await connect();
    const answer = await consent(begun.connect_url);
    const body = { access_token: "ya29.x", expires_in: 3599, token_type: "Bearer" };
    await sandbox.control("faults", { match: { path: "/token" }, times: 1, status: 200, body });
    expect((await comeBack(answer)).text).toContain("no refresh token");
    expect(await status(begun.connect_id)).toMatchObject({ state: "failed" });
  });

  test("another issuer than the requested one is refused as a mix-up", async () => {
    const { connect, consent, comeBack, sandbox } = await startPopUp("sqlite", "analytics");
    const wrong = await consent((await connect()).connect_url);
    wrong.searchParams.set("iss", "https://accounts.example.com");
    expect((await comeBack(wrong)).text).toContain("another system");
    const right = await consent((await connect()).connect_url);
    right.searchParams.set("iss", sandbox.url);
    expect((await comeBack(right)).status).toBe(200);
  });

  test("the other system's answer is refused before its code is sent anywhere", async () => {
    const analytics = await startPopUp("sqlite", "analytics");
    const begun = await analytics.connect();
    const answer = new URL(`http://us.test/oauth/callback?code=abc&configurationId=icfg_1&state=${begun.connect_id}`);
    expect((await analytics.comeBack(answer)).text).toContain("response is not from this system");
    expect(await analytics.sandbox.requests("/token")).toEqual([]);
    const deployment = await startPopUp("sqlite", "deployment");
    const other = await deployment.connect();
    const wrong = new URL(`http://us.test/oauth/callback?code=abc&state=${other.connect_id}`);
    expect((await deployment.comeBack(wrong)).status).toBe(400);
    expect(await deployment.sandbox.requests("/v2/oauth/access_token")).toEqual([]);
  });

  test.each([
    ["https://vercel.com/done", true],
    ["https://app.vercel.com/done", true],
    ["https://vercel.com.example.org/", false],
    ["https://evilvercel.com/", false],
    ["http://vercel.com/", false],
    ["https://vercel.com@example.org/", false],
    ["https://user@vercel.com/", false],
    ["javascript:alert(1)", false],
    ["//example.org", false],
  ])("the window is sent on to %s: %s", async (next, isAllowed) => {
    const { connect, consent, comeBack } = await startPopUp("sqlite", "deployment");
    const answer = await consent((await connect()).connect_url);
    answer.searchParams.set("next", next);
    expect((await comeBack(answer)).result.next).toBe(isAllowed ? next : null);
  });

  test("the query of the address never appears as markup in the page, nor in the log", async () => {
    const { connect, comeBack, team } = await startPopUp("sqlite", "analytics");
    const begun = await connect();
    const answer = new URL(`http://us.test/oauth/callback?state=${begun.connect_id}`);
    answer.searchParams.set("error", "<script>alert(1)</script>");
    const page = await comeBack(answer);
    expect(page.text).not.toContain("<script>alert");
    expect(team.logged.join("")).not.toContain(begun.connect_id);
  });

  test("only GET completes a consent, so that a HEAD request does not use up its state", async () => {
    const { connect, consent, comeBack, team } = await startPopUp("sqlite", "analytics");
    const answer = await consent((await connect()).connect_url);
    const url = answer.pathname + answer.search;
    expect((await team.app.inject({ method: "HEAD", url })).statusCode).toBe(405);
    expect((await team.app.inject({ method: "POST", url })).statusCode).toBe(405);
    expect((await comeBack(answer)).status).toBe(200);
  });
});
