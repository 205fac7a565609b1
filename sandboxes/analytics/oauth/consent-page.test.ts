import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { read, type SignInClient, startSignIn } from "../checks/sign-in-client.ts";

let app: SignInClient;
beforeAll(async () => {
  app = await startSignIn();
});
beforeEach(() => app.reset());
afterAll(() => app.sandbox.stop());

describe("the consent page", () => {
  test("is a page with labels that a person can click", async () => {
    const response = await fetch(
      `${app.sandbox.url}/o/oauth2/v2/auth?${app.request({ login_hint: "viewer@analytics-sandbox.example" })}`,
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
    const response = await fetch(`${app.sandbox.url}/o/oauth2/v2/auth?${app.request(more)}`, { redirect: "manual" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`Error 400: ${error}`);
  });

  test("a person who is only asked who they are has no box to tick", async () => {
    const location = await app.decide({ scope: "openid email" }, []);
    expect(location.searchParams.get("scope")).toBe("openid email");
  });

  test("a person who cancels or ticks nothing is heard", async () => {
    const cancelled = await app.decide({}, [read], "viewer", "deny");
    expect(Object.fromEntries(cancelled.searchParams)).toEqual({ error: "access_denied", state: "state-1" });
    expect((await app.decide({}, [])).searchParams.get("error")).toBe("access_denied");
  });
});
