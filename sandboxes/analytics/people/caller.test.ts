import { describe, expect, test } from "vitest";
import { good, reportPath } from "../checks/questions.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("credentials", () => {
  test("none at all, with the method's name in the details", async () => {
    const { status, body, headers } = await sandbox.call("POST", reportPath, good, null);
    expect(status).toBe(401);
    expect(body.error.status).toBe("UNAUTHENTICATED");
    expect(body.error.message).toMatch(
      /^Request is missing required authentication credential\. Expected OAuth 2 access token, /,
    );
    expect(body.error.details[0]).toMatchObject({
      reason: "CREDENTIALS_MISSING",
      domain: "googleapis.com",
      metadata: {
        service: "analyticsdata.googleapis.com",
        method: "google.analytics.data.v1beta.BetaAnalyticsData.RunReport",
      },
    });
    expect(headers.get("www-authenticate")).toBe('Bearer realm="https://accounts.google.com/"');
  });

  test("an unknown token, before the body is read", async () => {
    const { status, body, headers } = await sandbox.call("POST", reportPath, "{ no json", "ya29.unknown");
    expect(status).toBe(401);
    expect(body.error.message).toMatch(/^Request had invalid authentication credentials\. /);
    expect(body.error.details).toBeUndefined();
    expect(headers.get("www-authenticate")).toMatch(/error="invalid_token"$/);
  });

  test.each([
    ["POST", reportPath, "ya29.sandbox-edit-scope-only"],
    ["POST", "/v1beta/properties/1000/keyEvents", "ya29.sandbox-read-scope-only"],
    ["DELETE", "/v1beta/properties/1000", "ya29.sandbox-read-scope-only"],
  ])("a missing scope: %s %s with %s", async (method, path, token) => {
    const { status, body } = await sandbox.call(method, path, method === "POST" ? good : undefined, token);
    expect(status).toBe(403);
    expect(body.error.message).toBe("Request had insufficient authentication scopes.");
    expect(body.error.details[0].reason).toBe("ACCESS_TOKEN_SCOPE_INSUFFICIENT");
  });

  test("an Admin read goes with either scope", async () => {
    for (const token of ["ya29.sandbox-edit-scope-only", "ya29.sandbox-read-scope-only"]) {
      expect((await sandbox.call("GET", "/v1beta/properties/1000", undefined, token)).status).toBe(200);
    }
  });
});
