import { expect, test } from "vitest";
import { scimOf, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { expectWrongRegion, startTeam } from "../../test/support/team.ts";
import { newApiKey } from "../access/callers/api-key-format.ts";
import { createDirectory } from "../access/directory/directories.ts";
import { operatorScope } from "../access/operator.ts";
import { defaultPolicies } from "../calls/rate-limits/default-quotas.ts";

describeOnBothStores("requests to /scim/v2", (kind) => {
  test("401 with WWW-Authenticate and a SCIM body without a live token", async () => {
    const team = await startScim(kind);
    const { scim, token, owner } = team;
    const wrong = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
    const headers = [
      null,
      "",
      "Bearer",
      token,
      `Basic ${token}`,
      `Bearer ${wrong}`,
      `Bearer ${owner.apiKey}`,
      `Bearer :${owner.apiKey}`,
      `Bearer ${newApiKey("us")}`,
      `Bearer ${"x".repeat(600)}`,
    ];
    for (const path of ["/Users", "/ServiceProviderConfig", "/Nonsense"]) {
      for (const authorization of headers) {
        const answer = await scim("GET", path, undefined, { authorization });
        expect([authorization, answer.status]).toEqual([authorization, 401]);
        const challenge =
          authorization === null ? 'Bearer realm="signalbox"' : 'Bearer realm="signalbox", error="invalid_token"';
        expect(answer.headers["www-authenticate"]).toBe(challenge);
      }
    }
    expect((await scim("GET", "/Users", undefined, { authorization: `bearer  ${token}` })).status).toBe(200);
    // A SCIM token is valid for SCIM only.
    for (const authorization of [`Bearer ${token}`, `Bearer :${token}`]) {
      expect((await team.call("auth/info", {}, { authorization })).status).toBe(401);
    }
  });

  test("a token is rotated with an overlap and revoked at once", async () => {
    const team = await startScim(kind);
    const { call, owner, directoryId, scim, token } = team;
    const with_ = (plain: string) => ({ authorization: `Bearer ${plain}` });
    const status = async (plain: string) => (await scim("GET", "/Users", undefined, with_(plain))).status;
    const rotated = await call(
      "directory/tokens/rotate",
      { directory_id: directoryId, overlap_seconds: 60 },
      { as: owner },
    );
    const next: string = rotated.body.scim_token;
    expect([await status(token), await status(next)]).toEqual([200, 200]);
    team.advance(61);
    expect([await status(token), await status(next)]).toEqual([401, 200]);
    const { body } = await call("directory/tokens/create", { directory_id: directoryId }, { as: owner });
    const revoke = { directory_id: directoryId, token_id: rotated.body.token_id };
    expect((await call("directory/tokens/revoke", revoke, { as: owner })).status).toBe(200);
    expect([await status(next), await status(body.scim_token)]).toEqual([401, 200]);
    expect((await call("directory/tokens/revoke", revoke, { as: owner })).body.code).toBe("key_already_revoked");
    const { body: shown } = await call(`directory/${directoryId}/get`, {}, { as: owner });
    expect(shown.tokens.map((each: { status: string }) => each.status)).toEqual(["expired", "revoked", "active"]);
    expect(JSON.stringify(shown)).not.toContain(token.slice(10));
    // The store keeps hashes only, and the log never contains a token.
    const kept = JSON.stringify(await team.store.query("select * from directory_tokens"));
    for (const plain of [token, next, body.scim_token]) {
      expect(kept).not.toContain(plain);
      expect(team.logged.join("")).not.toContain(plain);
    }
  });

  test("another region's token is 421, without a lookup", async () => {
    const team = await startScim(kind);
    const scope = operatorScope(team.store, "eu", team.now);
    const { token } = await team.store.transaction((db) =>
      createDirectory({ ...scope, db }, team.owner.organizationId, "x"),
    );
    const answer = await team.scim("GET", "/Users", undefined, { authorization: `Bearer ${token.plain}` });
    expect([answer.status, answer.body.detail]).toEqual([421, expect.stringContaining("eu")]);
    expectWrongRegion(await team.call("directory/dir_eu_none/get", {}, { as: team.owner }), "eu");
  });

  test("paths below /scim/v2 match in any case and with extra slashes", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("ada");
    const { scim, app } = team;
    for (const path of [
      "/users",
      "/USERS",
      "/Users/",
      '/Users/?filter=userName%20eq%20"ada"',
      `/users/${id}/`,
      `//Users/${id}`,
      "/serviceproviderconfig",
      "/serviceConfiguration",
      "/resourceTypes/user",
      "/schemas/URN:ietf:params:scim:schemas:core:2.0:User",
    ]) {
      expect([path, (await scim("GET", path)).status]).toEqual([path, 200]);
    }
    expect((await scim("GET", `/Users/${id.toUpperCase()}`)).status).toBe(404);
    for (const path of [
      "",
      "/",
      "/Nonsense",
      "/Users/a/b",
      "/Users/%00",
      "/Users/..%2f..",
      "/__proto__",
      "/constructor",
    ]) {
      expect([path, (await scim("GET", path)).status]).toEqual([path, 404]);
    }
    const headers = { authorization: `Bearer ${team.token}` };
    for (const url of ["/SCIM/V2/Users", "/scim/v1/Users", "/Users", "/scim/v22/Users"]) {
      expect([url, (await app.inject({ method: "GET", url, headers })).statusCode]).toEqual([url, 404]);
    }
  });

  test("unsupported methods are 405; Bulk and Me are 501", async () => {
    const { scim } = await startScim(kind);
    for (const [method, path, allow] of [
      ["DELETE", "/Users", "GET, POST"],
      ["PUT", "/Groups", "GET, POST"],
      ["POST", "/Schemas", "GET"],
      ["POST", "/Users/x", "GET, PUT, PATCH, DELETE"],
      ["GET", "/Users/.search", "POST"],
    ] as const) {
      const { status, headers } = await scim(method, path, method === "GET" ? undefined : {});
      expect([method, path, status, headers.allow]).toEqual([method, path, 405, allow]);
    }
    for (const path of ["/Bulk", "/Me"]) expect((await scim("POST", path, {})).status).toBe(501);
  });

  test("the service describes itself", async () => {
    const { scim } = await startScim(kind);
    const config = (await scim("GET", "/ServiceProviderConfig")).body;
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: "oauthbearertoken" }],
    });
    const types = (await scim("GET", "/ResourceTypes")).body;
    expect(types.Resources).toMatchObject([
      { id: "User", endpoint: "/Users" },
      { id: "Group", endpoint: "/Groups" },
    ]);
    const all = (await scim("GET", "/Schemas")).body;
    expect([all.totalResults, all.itemsPerPage]).toEqual([3, 3]);
    for (const schema of all.Resources) {
      const one = await scim("GET", `/Schemas/${schema.id}`);
      expect(one.body).toEqual(schema);
      for (const attribute of schema.attributes) {
        expect(attribute).toMatchObject({
          name: expect.any(String),
          type: expect.any(String),
          multiValued: expect.any(Boolean),
          description: expect.any(String),
          required: expect.any(Boolean),
          mutability: expect.any(String),
          returned: expect.any(String),
        });
      }
    }
    const userName = all.Resources[0].attributes.find(({ name }: { name: string }) => name === "userName");
    expect(userName).toMatchObject({ required: true, caseExact: false, uniqueness: "server" });
    expect((await scim("GET", "/Schemas/urn:nonsense")).status).toBe(404);
  });

  test("a body over 4 MiB is 413, a smaller one is read", async () => {
    const { scim } = await startScim(kind);
    const body = (bytes: number) => `{"userName":"ada","nonsense":"${"x".repeat(bytes)}"}`;
    expect((await scim("POST", "/Users", body(4 * 1024 * 1024))).status).toBe(413);
    expect((await scim("POST", "/Users", body(4 * 1024 * 1024 - 100))).status).toBe(201);
  });

  test("each directory has its own rate limit, of at least 25 calls a second, and it can be set", async () => {
    expect(defaultPolicies.scim.quota / defaultPolicies.scim.windowSeconds).toBeGreaterThanOrEqual(25);
    const team = await scimOf(
      await startTeam(kind, { rateLimits: { ...defaultPolicies, scim: { quota: 2, windowSeconds: 60 } } }),
    );
    const first = await team.scim("GET", "/Users");
    expect(first.headers).toMatchObject({
      "ratelimit-policy": '"scim";q=2;w=60',
      ratelimit: expect.stringMatching(/^"scim";r=1;t=\d+$/),
    });
    await team.scim("GET", "/Users");
    const refused = await team.scim("GET", "/Users");
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    const { body } = await team.call("directory/create", { label: "Other" }, { as: team.owner });
    expect((await team.scim("GET", "/Users", undefined, { authorization: `Bearer ${body.scim_token}` })).status).toBe(
      200,
    );
  });

  test("requests are logged and counted like all others, without their content", async () => {
    const team = await startScim(kind);
    const secret = "somebody-secret-name";
    await team.user(secret);
    await team.scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${secret}"`)}`);
    const lines = team.logged.filter((line) => line.includes("scim/Users"));
    expect(lines.length).toBe(2);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      operation: "scim/Users",
      status: 201,
      key_id: expect.stringMatching(/^dtk_us_/),
    });
    expect(team.logged.join("")).not.toContain(secret);
    const { body } = await team.app.inject({ method: "GET", url: "/metrics" });
    expect(body).toMatch(/signalbox_requests_total\{[^}]*operation="scim\/Users"[^}]*status="201"[^}]*\} 1/);
  });
});
