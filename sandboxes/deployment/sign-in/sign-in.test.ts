import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const callback = "http://127.0.0.1:5555/signed-in";
const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

/** A browser of few words: follows redirects inside the sandbox with its cookies, presses one button. */
async function walk(decision: "allow" | "deny", changes: Record<string, string> = {}): Promise<URL> {
  const cookies = new Map<string, string>();
  let location = `${sandbox.url}/oauth/authorize?${new URLSearchParams({
    client_id: sandbox.credentials.sign_in.client_id,
    redirect_uri: callback,
    response_type: "code",
    scope: "openid email profile offline_access",
    state: "s1",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  })}`;
  for (let step = 0; step < 8; step++) {
    if (!location.startsWith(sandbox.url)) return new URL(location);
    const isConsent = location.includes("/login/oauth/consent/");
    const response = await fetch(location, {
      method: isConsent ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(isConsent && { body: new URLSearchParams({ decision }) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    location = new URL(response.headers.get("location") ?? "about:blank", location).href;
  }
  throw new Error("Too many steps.");
}

async function post(path: string, fields: Record<string, string>) {
  const { client_id, client_secret } = sandbox.credentials.sign_in;
  const response = await fetch(`${sandbox.url}${path}`, {
    method: "POST",
    body: new URLSearchParams({ client_id, client_secret, ...fields }),
  });
  const text = await response.text();
  return { status: response.status, body: text ? (JSON.parse(text) as Record<string, string>) : {} };
}

const getUserInfo = (token: string) =>
  fetch(`${sandbox.url}/login/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } });

test("signing in proves who somebody is, and opens nothing else", async () => {
  const location = await walk("allow");
  expect(location.searchParams.get("state")).toBe("s1");
  const code = location.searchParams.get("code") ?? "";
  const grant = { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
  const { body } = await post("/login/oauth/token", grant);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, id_token: expect.any(String) });
  const token = body.access_token ?? "";
  expect(await (await getUserInfo(token)).json()).toMatchObject({
    sub: sandbox.ids.user_id,
    email: "ann-archer@example.com",
    preferred_username: "ann-archer",
  });
  expect((await sandbox.call("/v2/user", { token })).status).toBe(403);

  await sandbox.advance(3601);
  expect((await getUserInfo(token)).status).toBe(401);
  const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token ?? "" };
  const renewed = await post("/login/oauth/token", refresh);
  expect(renewed.status).toBe(200);
  expect(renewed.body.refresh_token).not.toBe(body.refresh_token);
  expect((await getUserInfo(renewed.body.access_token ?? "")).status).toBe(200);

  await sandbox.reset();
  expect((await post("/login/oauth/token/introspect", { token: renewed.body.refresh_token ?? "" })).body.active).toBe(
    true,
  );
  await post("/login/oauth/token/revoke", { token: renewed.body.refresh_token ?? "" });
  const after = await post("/login/oauth/token", { ...refresh, refresh_token: renewed.body.refresh_token ?? "" });
  expect(after.body.error).toBe("invalid_grant");
});

test("a denial comes back as access_denied, and PKCE is required", async () => {
  expect((await walk("deny")).searchParams.get("error")).toBe("access_denied");
  const without = await walk("allow", { code_challenge: "", code_challenge_method: "" });
  expect(without.searchParams.get("error")).toBe("invalid_request");
});
