import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { edit, read, type SignInClient, startSignIn } from "../checks/sign-in-client.ts";

let app: SignInClient;
beforeAll(async () => {
  app = await startSignIn();
});
beforeEach(() => app.reset());
afterAll(() => app.sandbox.stop());

describe("code and refresh", () => {
  test("a code becomes tokens once, with the scopes that were ticked", async () => {
    const location = await app.decide({}, [read], "viewer");
    expect(location.searchParams.get("state")).toBe("state-1");
    expect(location.searchParams.get("scope")).toBe(read);
    const { status, body } = await app.exchange(location.searchParams.get("code"));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      expires_in: 3599,
      token_type: "Bearer",
      scope: read,
      refresh_token: expect.stringMatching(/^1\/\//),
    });
    expect(await app.readProperty(body.access_token)).toBe(200);
    const write = await app.sandbox.call(
      "POST",
      "/v1beta/properties/1000/keyEvents",
      { eventName: "login" },
      body.access_token ?? "",
    );
    expect(write.body.error.details[0].reason).toBe("ACCESS_TOKEN_SCOPE_INSUFFICIENT");
    expect(await app.exchange(location.searchParams.get("code"))).toEqual({
      status: 400,
      body: { error: "invalid_grant", error_description: "Bad Request" },
    });
  });

  test("the role of the person decides what the token may do", async () => {
    const { body } = await app.exchange((await app.decide({}, [read, edit], "editor")).searchParams.get("code"));
    const wish = { parent: "accounts/100", displayName: "x", timeZone: "Etc/UTC" };
    expect((await app.sandbox.call("POST", "/v1beta/properties", wish, body.access_token ?? "")).status).toBe(403);
    expect(
      (await app.sandbox.call("PATCH", "/v1beta/properties/1000?updateMask=displayName", wish, body.access_token ?? ""))
        .status,
    ).toBe(200);
  });

  test.each<[string, Record<string, string>, number, string, string]>([
    ["a wrong verifier", { code_verifier: "x".repeat(43) }, 400, "invalid_grant", "Invalid code verifier."],
    ["no verifier", { code_verifier: "" }, 400, "invalid_grant", "Missing code verifier."],
    ["another address", { redirect_uri: "http://127.0.0.1:9/other" }, 400, "redirect_uri_mismatch", "Bad Request"],
    ["another client", { client_id: "nobody" }, 401, "invalid_client", "The OAuth client was not found."],
    ["a wrong secret", { client_secret: "x" }, 401, "invalid_client", "Unauthorized"],
    [
      "an unknown grant type",
      { grant_type: "password" },
      400,
      "unsupported_grant_type",
      "Invalid grant_type: password",
    ],
    ["an invented code", { code: "4/0Anothing" }, 400, "invalid_grant", "Bad Request"],
    ["no code", { code: "" }, 400, "invalid_request", "Missing required parameter: code"],
  ])("%s is refused", async (_, more, status, error, description) => {
    const code = (await app.decide()).searchParams.get("code");
    expect(await app.exchange(code, more)).toEqual({ status, body: { error, error_description: description } });
  });

  test.each([
    ["client", 401, "invalid_client"],
    ["%zz:%", 401, "invalid_client"],
    ["", 400, "invalid_request"],
  ])("a client named as %j in the header is refused", async (user, status, error) => {
    const headers = { authorization: `Basic ${Buffer.from(user).toString("base64")}` };
    const answer = await app.token({ grant_type: "refresh_token", refresh_token: "x" }, headers);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  test("a late code is refused", async () => {
    const code = (await app.decide()).searchParams.get("code");
    await app.sandbox.control("/clock", { advance_seconds: 601 });
    expect((await app.exchange(code)).body.error).toBe("invalid_grant");
  });

  test("an access token ends, a refresh token brings a new one and stays", async () => {
    const { body } = await app.exchange((await app.decide()).searchParams.get("code"));
    await app.sandbox.control("/clock", { advance_seconds: 3600 });
    expect(await app.readProperty(body.access_token)).toBe(401);
    const renewed = await app.refresh(body.refresh_token ?? "");
    expect(renewed.body.refresh_token).toBeUndefined();
    expect(renewed.body).toMatchObject({ expires_in: 3599, token_type: "Bearer", scope: `${read} ${edit}` });
    expect(await app.readProperty(renewed.body.access_token)).toBe(200);
    expect((await app.refresh(body.refresh_token ?? "")).status).toBe(200);
    await app.sandbox.control("/limits", { access_token_seconds: 5 });
    expect((await app.refresh(body.refresh_token ?? "")).body.expires_in).toBe(5);
    // "override any limit, token life included": by the name that it has in the other sandboxes too.
    await app.sandbox.control("/limits", { token_life_seconds: 7 });
    expect((await app.refresh(body.refresh_token ?? "")).body.expires_in).toBe(7);
  });

  test("a second consent has a refresh token only where consent was asked for again", async () => {
    const granted = async (more: Record<string, string>) =>
      (await app.exchange((await app.decide(more, [read, edit], "viewer")).searchParams.get("code"))).body;
    await granted({ prompt: "consent" });
    expect((await granted({ prompt: "" })).refresh_token).toBeUndefined();
    expect((await granted({ prompt: "consent" })).refresh_token).toBeDefined();
    expect((await granted({ access_type: "online" })).refresh_token).toBeUndefined();
  });

  test("a refresh token dies of half a year's rest, and in seven days in testing", async () => {
    const { body } = await app.exchange((await app.decide()).searchParams.get("code"));
    await app.sandbox.control("/clock", { advance_seconds: 181 * 86_400 });
    expect((await app.refresh(body.refresh_token ?? "")).body).toEqual({
      error: "invalid_grant",
      error_description: "Token has been expired or revoked.",
    });
    await app.sandbox.control("/limits", { refresh_token_seconds: 604_800 });
    const testing = await app.exchange((await app.decide()).searchParams.get("code"));
    expect(testing.body.refresh_token_expires_in).toBe(604_800);
    await app.sandbox.control("/clock", { advance_seconds: 604_801 });
    expect((await app.refresh(testing.body.refresh_token ?? "")).body.error).toBe("invalid_grant");
  });
});
