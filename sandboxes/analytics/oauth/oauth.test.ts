import { createHash, createSign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type SandboxClient, startSandbox, testTime } from "../checks/sandbox-client.ts";

let sandbox: SandboxClient;
let client: { client_id: string; client_secret: string; refresh_tokens: Record<string, string> };
let serviceAccount: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox();
  const { credentials } = (await sandbox.door("")) as {
    credentials: { oauth: typeof client; service_account: typeof serviceAccount };
  };
  client = credentials.oauth;
  serviceAccount = credentials.service_account;
});
beforeEach(async () => {
  await sandbox.door("/reset", {});
  await sandbox.door("/clock", { now: testTime });
});
afterAll(() => sandbox.stop());

const read = "https://www.googleapis.com/auth/analytics.readonly";
const edit = "https://www.googleapis.com/auth/analytics.edit";
const redirectUri = "http://127.0.0.1:9/callback";
const verifier = "a-verifier-that-is-long-enough-to-be-one-of-them";
const challenge = createHash("sha256").update(verifier).digest("base64url");

const request = (more: Record<string, string> = {}) =>
  new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: `${read} ${edit}`,
    state: "state-1",
    access_type: "offline",
    prompt: "consent",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  });

async function decide(
  more: Record<string, string> = {},
  granted = [read, edit],
  person = "administrator",
  decision = "allow",
): Promise<URL> {
  const form = request(more);
  for (const scope of granted) form.append("granted", scope);
  form.set("person", person);
  form.set("decision", decision);
  const response = await fetch(`${sandbox.url}/o/oauth2/v2/auth/decision`, {
    method: "POST",
    body: form,
    redirect: "manual",
  });
  expect(response.status).toBe(302);
  return new URL(response.headers.get("location") ?? "");
}

interface TokenAnswer {
  status: number;
  body: Record<string, string> & { expires_in?: number };
}

async function token(form: Record<string, string>): Promise<TokenAnswer> {
  const response = await fetch(`${sandbox.url}/token`, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as TokenAnswer["body"] };
}

const clientForm = () => ({ client_id: client.client_id, client_secret: client.client_secret });
const exchange = (code: string | null, more: Record<string, string> = {}) =>
  token({
    grant_type: "authorization_code",
    code: code ?? "",
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...clientForm(),
    ...more,
  });
const refresh = (refreshToken: string) =>
  token({ grant_type: "refresh_token", refresh_token: refreshToken, ...clientForm() });
const revoke = (value: string) =>
  fetch(`${sandbox.url}/revoke`, { method: "POST", body: new URLSearchParams({ token: value }) });
const readProperty = async (accessToken: string | undefined) =>
  (await sandbox.call("GET", "/v1beta/properties/1000", undefined, accessToken ?? "")).status;

describe("the consent page", () => {
  test("is a page with labels that a person can click", async () => {
    const response = await fetch(
      `${sandbox.url}/o/oauth2/v2/auth?${request({ login_hint: "viewer@analytics-sandbox.example" })}`,
    );
    const page = await response.text();
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(page).toContain('<html lang="en">');
    expect(page.match(/<label><input type="checkbox" name="granted"/g)).toHaveLength(2);
    expect(page).toMatch(/value="viewer" checked/);
    expect(page.match(/<fieldset><legend>/g)).toHaveLength(2);
  });

  test.each<[string, Record<string, string>]>([
    ["invalid_client", { client_id: "nobody" }],
    ["redirect_uri_mismatch", { redirect_uri: "http://elsewhere.example/callback" }],
    ["invalid_scope", { scope: "https://www.googleapis.com/auth/drive" }],
    ["invalid_request", { scope: "" }],
    ["unsupported_response_type", { response_type: "token" }],
  ])("shows %s to the person, not to the client", async (error, more) => {
    const response = await fetch(`${sandbox.url}/o/oauth2/v2/auth?${request(more)}`, { redirect: "manual" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`Error 400: ${error}`);
  });

  test("a person who cancels or ticks nothing is heard", async () => {
    const cancelled = await decide({}, [read], "viewer", "deny");
    expect(Object.fromEntries(cancelled.searchParams)).toEqual({ error: "access_denied", state: "state-1" });
    expect((await decide({}, [])).searchParams.get("error")).toBe("access_denied");
  });
});

describe("code and refresh", () => {
  test("a code becomes tokens once, with the scopes that were ticked", async () => {
    const location = await decide({}, [read], "viewer");
    expect(location.searchParams.get("state")).toBe("state-1");
    expect(location.searchParams.get("scope")).toBe(read);
    const { status, body } = await exchange(location.searchParams.get("code"));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      expires_in: 3599,
      token_type: "Bearer",
      scope: read,
      refresh_token: expect.stringMatching(/^1\/\//),
    });
    expect(await readProperty(body.access_token)).toBe(200);
    const write = await sandbox.call(
      "POST",
      "/v1beta/properties/1000/keyEvents",
      { eventName: "login" },
      body.access_token ?? "",
    );
    expect(write.body.error.details[0].reason).toBe("ACCESS_TOKEN_SCOPE_INSUFFICIENT");
    expect(await exchange(location.searchParams.get("code"))).toEqual({
      status: 400,
      body: { error: "invalid_grant", error_description: "Bad Request" },
    });
  });

  test("the role of the person decides what the token may do", async () => {
    const { body } = await exchange((await decide({}, [read, edit], "editor")).searchParams.get("code"));
    const wish = { parent: "accounts/100", displayName: "x", timeZone: "Etc/UTC" };
    expect((await sandbox.call("POST", "/v1beta/properties", wish, body.access_token ?? "")).status).toBe(403);
    expect(
      (await sandbox.call("PATCH", "/v1beta/properties/1000?updateMask=displayName", wish, body.access_token ?? ""))
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
    const code = (await decide()).searchParams.get("code");
    expect(await exchange(code, more)).toEqual({ status, body: { error, error_description: description } });
  });

  test("a late code is refused", async () => {
    const code = (await decide()).searchParams.get("code");
    await sandbox.door("/clock", { advance_seconds: 601 });
    expect((await exchange(code)).body.error).toBe("invalid_grant");
  });

  test("an access token ends, a refresh token brings a new one and stays", async () => {
    const { body } = await exchange((await decide()).searchParams.get("code"));
    await sandbox.door("/clock", { advance_seconds: 3600 });
    expect(await readProperty(body.access_token)).toBe(401);
    const renewed = await refresh(body.refresh_token ?? "");
    expect(renewed.body.refresh_token).toBeUndefined();
    expect(renewed.body).toMatchObject({ expires_in: 3599, token_type: "Bearer", scope: `${read} ${edit}` });
    expect(await readProperty(renewed.body.access_token)).toBe(200);
    expect((await refresh(body.refresh_token ?? "")).status).toBe(200);
    await sandbox.door("/limits", { access_token_seconds: 5 });
    expect((await refresh(body.refresh_token ?? "")).body.expires_in).toBe(5);
  });

  test("a second consent has a refresh token only where consent was asked for again", async () => {
    const granted = async (more: Record<string, string>) =>
      (await exchange((await decide(more, [read, edit], "viewer")).searchParams.get("code"))).body;
    await granted({ prompt: "consent" });
    expect((await granted({ prompt: "" })).refresh_token).toBeUndefined();
    expect((await granted({ prompt: "consent" })).refresh_token).toBeDefined();
    expect((await granted({ access_type: "online" })).refresh_token).toBeUndefined();
  });

  test("a refresh token dies of half a year's rest, and in seven days in testing", async () => {
    const { body } = await exchange((await decide()).searchParams.get("code"));
    await sandbox.door("/clock", { advance_seconds: 181 * 86_400 });
    expect((await refresh(body.refresh_token ?? "")).body).toEqual({
      error: "invalid_grant",
      error_description: "Token has been expired or revoked.",
    });
    await sandbox.door("/limits", { refresh_token_seconds: 604_800 });
    const testing = await exchange((await decide()).searchParams.get("code"));
    expect(testing.body.refresh_token_expires_in).toBe(604_800);
    await sandbox.door("/clock", { advance_seconds: 604_801 });
    expect((await refresh(testing.body.refresh_token ?? "")).body.error).toBe("invalid_grant");
  });
});

describe("revoking and asking", () => {
  test("revoking one token ends both, and only once", async () => {
    const { body } = await exchange((await decide()).searchParams.get("code"));
    expect((await revoke(body.access_token ?? "")).status).toBe(200);
    expect(await readProperty(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token ?? "")).body.error).toBe("invalid_grant");
    const again = await revoke(body.refresh_token ?? "");
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ error: "invalid_token" });
  });

  test("listed tokens work, end with a revocation, and come back with a reset; grants stay through one", async () => {
    const { body } = await exchange((await decide()).searchParams.get("code"));
    const listed = client.refresh_tokens.viewer ?? "";
    expect((await refresh(listed)).status).toBe(200);
    await revoke(listed);
    expect((await refresh(listed)).status).toBe(400);
    await sandbox.door("/reset", {});
    await sandbox.door("/clock", { now: testTime });
    expect((await refresh(listed)).status).toBe(200);
    expect((await refresh(body.refresh_token ?? "")).status).toBe(200);
  });

  test("a grant outlives the sandbox's process", async () => {
    const { body } = await exchange((await decide()).searchParams.get("code"));
    const other = await startSandbox();
    const response = await fetch(`${other.url}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: body.refresh_token ?? "",
        ...clientForm(),
      }),
    });
    expect(response.status).toBe(200);
    await other.stop();
  });

  test("tokeninfo tells what a token is for", async () => {
    const { body } = await exchange(
      (await decide({ scope: `${read} email` }, [read], "viewer")).searchParams.get("code"),
    );
    const info = await (await fetch(`${sandbox.url}/tokeninfo?access_token=${body.access_token}`)).json();
    expect(info).toMatchObject({
      aud: client.client_id,
      email: "viewer@analytics-sandbox.example",
      email_verified: "true",
      expires_in: expect.stringMatching(/^359/),
    });
    expect((await fetch(`${sandbox.url}/tokeninfo?access_token=nothing`)).status).toBe(400);
  });
});

describe("a service account", () => {
  const now = Date.parse(testTime) / 1000;

  function assertion(claims: Record<string, unknown> = {}, key = serviceAccount.private_key ?? ""): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const all = {
      iss: serviceAccount.client_email,
      scope: read,
      aud: serviceAccount.token_uri,
      iat: now,
      exp: now + 3600,
      ...claims,
    };
    const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part(all)}`;
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(key, "base64url")}`;
  }

  const grant = (value: string) =>
    token({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: value });

  test("signs its own request", async () => {
    const { status, body } = await grant(assertion());
    expect(status).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), expires_in: 3599, token_type: "Bearer" });
    expect(await readProperty(body.access_token)).toBe(200);
  });

  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ["somebody else", { iss: "other@example.com" }, "invalid_grant", /account not found/],
    ["a day long", { exp: now + 86_400 }, "invalid_grant", /short-lived token/],
    ["an hour late", { iat: now - 7200, exp: now - 3600 }, "invalid_grant", /short-lived token/],
    ["no scope", { scope: "" }, "invalid_scope", /Empty or missing scope/],
    ["another audience", { aud: "https://elsewhere.example" }, "invalid_grant", /audience/],
  ])("%s is refused", async (_, claims, error, description) => {
    const { status, body } = await grant(assertion(claims));
    expect(status).toBe(400);
    expect(body.error).toBe(error);
    expect(body.error_description).toMatch(description);
  });

  test("a changed signature is refused", async () => {
    const good = assertion();
    expect((await grant(`${good.slice(0, -8)}AAAAAAAA`)).body.error_description).toBe("Invalid JWT Signature.");
    expect((await grant("nothing")).body.error).toBe("invalid_grant");
  });
});
