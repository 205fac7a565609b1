import { OAuth2Client } from "google-auth-library";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { read, type SignInClient, startSignIn } from "../checks/sign-in-client.ts";

let app: SignInClient;
beforeAll(async () => {
  app = await startSignIn();
});
beforeEach(() => app.reset());
afterAll(() => app.sandbox.stop());

/** The vendor's own library, with the sandbox's addresses in place of the vendor's. */
function library(): OAuth2Client {
  const { url } = app.sandbox;
  return new OAuth2Client({
    clientId: app.client.client_id,
    clientSecret: app.client.client_secret,
    redirectUri: "http://127.0.0.1:9/callback",
    endpoints: {
      tokenInfoUrl: `${url}/tokeninfo`,
      oauth2AuthBaseUrl: `${url}/o/oauth2/v2/auth`,
      oauth2TokenUrl: `${url}/token`,
      oauth2RevokeUrl: `${url}/revoke`,
    },
  });
}

/** A person consents; the library has the tokens of that consent. */
async function signedIn(...granted: string[]): Promise<OAuth2Client> {
  const decided = await app.decide({}, granted.length > 0 ? granted : undefined);
  const { body } = await app.exchange(decided.searchParams.get("code"));
  const client = library();
  client.setCredentials({ ...body, expiry_date: null } as never);
  return client;
}

const property = () => `${app.sandbox.url}/v1beta/properties/1000`;

describe("the vendor's library for sign-in", () => {
  // "Revoking one token ends all grants of that person for our client."
  test("revokes one token, and every other grant of the person is gone", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    expect((await other.request({ url: property() })).status).toBe(200);
    await one.revokeToken(one.credentials.access_token ?? "");
    await expect(other.refreshAccessToken()).rejects.toThrow("invalid_grant");
  });

  // "A person can untick a scope."
  test("is told which scopes were ticked, and is refused what needs the others", async () => {
    const reader = await signedIn(read);
    const { scopes } = await reader.getTokenInfo(reader.credentials.access_token ?? "");
    expect(scopes).toEqual([read]);
    expect((await reader.request({ url: property() })).status).toBe(200);
    const change = {
      url: `${property()}?updateMask=displayName`,
      method: "PATCH",
      data: { displayName: "No" },
    } as const;
    await expect(reader.request(change)).rejects.toMatchObject({ status: 403 });
  });

  // "Grants in a consent screen in testing end after seven days."
  test("loses a grant of a consent screen in testing after seven days", async () => {
    await app.sandbox.control("/limits", { refresh_token_seconds: 604_800 });
    const testing = await signedIn();
    await app.sandbox.control("/clock", { advance_seconds: 604_801 });
    await expect(testing.refreshAccessToken()).rejects.toThrow("invalid_grant");
  });
});
