import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSandbox } from "../checks/sandbox-client.ts";
import { read, type SignInClient, startSignIn } from "../checks/sign-in-client.ts";

let app: SignInClient;
beforeAll(async () => {
  app = await startSignIn();
});
beforeEach(() => app.reset());
afterAll(() => app.sandbox.stop());

describe("revoking and asking", () => {
  // "Revoking one token ends all grants of that person for our client."
  test("revoking one token ends every consent of the person for the client, and no one else's", async () => {
    const consent = async (person?: string) =>
      (await app.exchange((await app.decide({}, undefined, person)).searchParams.get("code"))).body;
    const [one, other, viewers] = [await consent(), await consent(), await consent("viewer")];
    expect((await app.revoke(one.access_token ?? "")).status).toBe(200);
    for (const { access_token, refresh_token } of [one, other]) {
      expect(await app.readProperty(access_token)).toBe(401);
      expect((await app.refresh(refresh_token ?? "")).body.error).toBe("invalid_grant");
    }
    expect((await app.refresh(viewers.refresh_token ?? "")).status).toBe(200);
    expect((await app.refresh(app.client.refresh_tokens.administrator ?? "")).status).toBe(200);
    const again = await app.revoke(other.refresh_token ?? "");
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ error: "invalid_token" });
    expect((await app.refresh((await consent()).refresh_token ?? "")).status).toBe(200);
  });

  // "refresh_token comes only when the consent screen was shown: first grant, or prompt=consent."
  test.each([
    ["a revocation", (body: Record<string, string>) => app.revoke(body.access_token ?? "")],
    ["a reset", () => app.reset()],
  ])("the consent after %s is a first one again", async (_what, end) => {
    const consent = async () => (await app.exchange((await app.decide({ prompt: "" })).searchParams.get("code"))).body;
    const first = await consent();
    expect(first.refresh_token).toBeDefined();
    expect((await consent()).refresh_token).toBeUndefined();
    await end(first);
    expect((await consent()).refresh_token).toBeDefined();
  });

  // "override any limit, token life included"
  test("a shorter life holds for the access tokens that are out", async () => {
    const { body } = await app.exchange((await app.decide()).searchParams.get("code"));
    await app.sandbox.control("/clock", { advance_seconds: 10 });
    expect(await app.readProperty(body.access_token)).toBe(200);
    await app.sandbox.control("/limits", { access_token_seconds: 10 });
    expect(await app.readProperty(body.access_token)).toBe(401);
  });

  test("listed tokens work, end with a revocation, and come back with a reset; grants stay through one", async () => {
    const { body } = await app.exchange((await app.decide()).searchParams.get("code"));
    const listed = app.client.refresh_tokens.viewer ?? "";
    expect((await app.refresh(listed)).status).toBe(200);
    await app.revoke(listed);
    expect((await app.refresh(listed)).status).toBe(400);
    await app.reset();
    expect((await app.refresh(listed)).status).toBe(200);
    expect((await app.refresh(body.refresh_token ?? "")).status).toBe(200);
  });

  test("a grant outlives the sandbox's process", async () => {
    const { body } = await app.exchange((await app.decide()).searchParams.get("code"));
    const other = await startSandbox();
    const response = await fetch(`${other.url}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: body.refresh_token ?? "",
        ...app.clientForm,
      }),
    });
    expect(response.status).toBe(200);
    await other.stop();
  });

  test("tokeninfo tells what a token is for", async () => {
    const { body } = await app.exchange(
      (await app.decide({ scope: `${read} email` }, [read], "viewer")).searchParams.get("code"),
    );
    const info = await (await fetch(`${app.sandbox.url}/tokeninfo?access_token=${body.access_token}`)).json();
    expect(info).toMatchObject({
      aud: app.client.client_id,
      email: "viewer@analytics-sandbox.example",
      email_verified: "true",
      expires_in: expect.stringMatching(/^359/),
    });
    expect((await fetch(`${app.sandbox.url}/tokeninfo?access_token=nothing`)).status).toBe(400);
    // As google-auth-library asks: by the header.
    const headers = { authorization: `Bearer ${body.access_token}` };
    const byHeader = await fetch(`${app.sandbox.url}/tokeninfo`, { method: "POST", headers });
    // A second may have passed.
    expect(await byHeader.json()).toEqual({ ...(info as object), expires_in: expect.stringMatching(/^359/) });
    expect(await (await fetch(`${app.sandbox.url}/tokeninfo`)).json()).toMatchObject({ error: "invalid_request" });
  });
});
