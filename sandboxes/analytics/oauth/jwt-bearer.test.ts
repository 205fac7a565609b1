import { createSign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testTime } from "../checks/sandbox-client.ts";
import { read, type SignInClient, startSignIn } from "../checks/sign-in-client.ts";

let app: SignInClient;
beforeAll(async () => {
  app = await startSignIn();
});
beforeEach(() => app.reset());
afterAll(() => app.sandbox.stop());

describe("a service account", () => {
  const now = Date.parse(testTime) / 1000;

  function assertion(claims: Record<string, unknown> = {}, key = app.serviceAccount.private_key ?? ""): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const all = {
      iss: app.serviceAccount.client_email,
      scope: read,
      aud: app.serviceAccount.token_uri,
      iat: now,
      exp: now + 3600,
      ...claims,
    };
    const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part(all)}`;
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(key, "base64url")}`;
  }

  const grant = (value: string) =>
    app.token({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: value });

  test("signs its own request", async () => {
    const { status, body } = await grant(assertion());
    expect(status).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), expires_in: 3599, token_type: "Bearer" });
    expect(await app.readProperty(body.access_token)).toBe(200);
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
