import { describe, expect, test } from "vitest";
import type { Answer } from "../../work.ts";
import { marketingSignIn } from "./sign-in.ts";

const endpoint = {
  instance: "live",
  addresses: { main: "https://123-abc-456.mktorest.com" },
  client: null,
  isTyped: true,
} as const;
const grant = { kind: "client credentials", clientId: "id", clientSecret: "hush" } as const;
const answered = (status: number, body: unknown): Answer => ({ status, headers: {}, body, bytes: 0 });

describe("asking for a token", () => {
  test("the secret is in the form, and not in the address", () => {
    const asked = marketingSignIn.obtain(grant, endpoint).next().value;
    expect(asked).toMatchObject({ method: "POST", target: "/identity/oauth/token", form: { client_secret: "hush" } });
  });

  test.each([
    [400, { error: "invalid_request", error_description: "Missing grant type" }],
    [401, { error: "unauthorized", error_description: "Full authentication is required to access this resource" }],
  ])("a service that reads no forms (%s) is asked as its documentation says", (status, body) => {
    const asking = marketingSignIn.obtain(grant, endpoint);
    asking.next();
    const again = asking.next(answered(status, body)).value;
    expect(again).toMatchObject({ method: "POST", target: expect.stringContaining("?grant_type=client_credentials&") });
    const token = { access_token: "t", token_type: "bearer", expires_in: 3599, scope: "api@example.com" };
    expect(asking.next(answered(200, token))).toMatchObject({
      done: true,
      value: { token: "t", email: "api@example.com" },
    });
  });

  test("wrong credentials are believed at once", () => {
    const asking = marketingSignIn.obtain(grant, endpoint);
    asking.next();
    const refusal = { error: "invalid_client", error_description: "Bad client credentials" };
    expect(() => asking.next(answered(401, refusal))).toThrow(/refuses the client id or secret/);
  });
});
