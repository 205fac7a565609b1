import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { permissions, startApp, type TestPerson } from "../../test/support/app.ts";
import { cleanUpLater, describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { steps } from "../systems/index.ts";

const redirect_uri = "http://127.0.0.1/callback";
const verifier = "a".repeat(64);
const code_challenge = createHash("sha256").update(verifier).digest("base64url");

async function startOauth(kind: StoreKind, options: { identity?: string[] } = {}) {
  const app = await startApp(kind, { privateHosts: { identity: options.identity ?? [] } });
  const owner = await app.person("owner@example.com");
  const project = await app.project(owner);
  const post = async (url: string, body: Record<string, string>) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const payload = new URLSearchParams(body).toString();
    const { statusCode: status, body: text } = await app.app.inject({ method: "POST", url, headers, payload });
    return { status, body: JSON.parse(text) };
  };
  const { body: client } = await app.app
    .inject({
      method: "POST",
      url: "/oauth/register",
      payload: { client_name: "Helper", redirect_uris: [redirect_uri] },
    })
    .then(({ body }) => ({ body: JSON.parse(body) }));
  const client_id: string = client.client_id;
  const allow = (more: object = {}, as: TestPerson = owner) => {
    // Another port than the registered one: programs listen on any.
    const wish = {
      client_id,
      redirect_uri: "http://127.0.0.1:5000/callback",

      code_challenge,
      ...more,
    };
    return app.call("auth/assistants/allow", wish, { as, project });
  };
  const codeIn = ({ body }: { body: { redirect_url: string } }) =>
    new URL(body.redirect_url).searchParams.get("code") ?? "";
  const exchange = (code: string, more: Record<string, string> = {}) =>
    post("/oauth/token", {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      client_id,
      redirect_uri: "http://127.0.0.1:5000/callback",
      ...more,
    });
  const refresh = (refresh_token: string) =>
    post("/oauth/token", { grant_type: "refresh_token", refresh_token, client_id });
  const mcp = async (token: string, method: string, params: object = {}) => {
    const { statusCode: status, body } = await app.app.inject({
      method: "POST",
      url: "/mcp",
      headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" },
      payload: { jsonrpc: "2.0", id: 1, method, params },
    });
    const data = body.startsWith("event:") ? body.split("data: ")[1] : body;
    return { status, body: JSON.parse(data ?? "{}") };
  };
  return { app, owner, project, client_id, allow, codeIn, exchange, refresh, mcp, post };
}

describeOnBothStores("an assistant that a person allowed", (kind) => {
  test("has the tools that were allowed, at /mcp alone, and loses them with its key", async () => {
    const { app, owner, project, allow, codeIn, exchange, mcp } = await startOauth(kind);
    const code = codeIn(await allow({ read_only: true, state: "x" }));
    expect((await exchange(code, { code_verifier: "b".repeat(64) })).body.error).toBe("invalid_grant");
    const { body: tokens } = await exchange(code);
    expect(tokens).toMatchObject({
      token_type: "Bearer",
      expires_in: 3600,
      access_token: expect.stringMatching(/^sbm_us_/),
    });
    expect((await exchange(code)).body.error).toBe("invalid_grant");

    const { body: listed } = await mcp(tokens.access_token, "tools/list");
    const names = listed.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(steps.filter(({ effect }) => effect === "read").map(({ id }) => id));
    expect(names).toEqual(expect.arrayContaining(["list_deployments", "run_reports"]));
    const { body: refused } = await mcp(tokens.access_token, "tools/call", {
      name: "create_deployment",
      arguments: {},
    });
    expect(refused.result).toMatchObject({ isError: true, structuredContent: { code: "tool_not_allowed" } });
    const elsewhere = await app.call("auth/info", {}, { authorization: `Bearer ${project}:${tokens.access_token}` });
    expect(elsewhere.status).toBe(401);

    const { body: keys } = await app.call("auth/keys/list", {}, { as: owner });
    const key = keys.results.find(({ label }: { label: string }) => label === "Assistant: Helper");
    await app.call("auth/keys/revoke", { key_id: key.key_id }, { as: owner });
    expect((await mcp(tokens.access_token, "tools/list")).status).toBe(401);
    const { body: audit } = await app.call("audit/list", { action: "assistant" }, { as: owner, project });
    expect(audit.results.map(({ action }: { action: string }) => action)).toEqual([
      "assistant.connected",
      "assistant.allowed",
    ]);
  });

  test("renews its token once with each refresh token; a second use of one ends the access", async () => {
    const { allow, codeIn, exchange, refresh, mcp, app } = await startOauth(kind);
    const { body: first } = await exchange(codeIn(await allow({ tools: ["run_reports"] })));
    app.advance(3601);
    expect((await mcp(first.access_token, "tools/list")).status).toBe(401);
    const { body: second } = await refresh(first.refresh_token);
    const { body: listed } = await mcp(second.access_token, "tools/list");
    expect(listed.result.tools.map(({ name }: { name: string }) => name)).toEqual(["run_reports"]);
    expect((await refresh(first.refresh_token)).body.error).toBe("invalid_grant");
    expect((await mcp(second.access_token, "tools/list")).status).toBe(401);
    expect((await refresh(second.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("gives up its access with either token, and nobody else's", async () => {
    const { allow, codeIn, exchange, refresh, mcp, post } = await startOauth(kind);
    const revoke = (body: Record<string, string>) => post("/oauth/revoke", body);
    for (const name of ["access_token", "refresh_token"] as const) {
      const { body: tokens } = await exchange(codeIn(await allow()));
      const { body: others } = await exchange(codeIn(await allow()));
      expect(await revoke({ token: tokens[name], client_id: "another" })).toMatchObject({
        status: 400,
        body: { error: "invalid_client" },
      });
      expect((await mcp(tokens.access_token, "tools/list")).status).toBe(200);
      expect((await revoke({ token: tokens[name] })).status).toBe(200);
      expect((await mcp(tokens.access_token, "tools/list")).status).toBe(401);
      expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
      expect((await mcp(others.access_token, "tools/list")).status).toBe(200);
      expect((await revoke({ token: tokens[name] })).status).toBe(200);
    }
    expect((await revoke({})).body.error).toBe("invalid_request");
  });

  test("is locked out with the person, and has no more than the role that was allowed", async () => {
    const { app, owner, project, allow, codeIn, exchange, refresh, mcp } = await startOauth(kind);
    const colleague = await app.person("colleague@example.com", owner);
    await app.call(
      "auth/invite/create",
      { email: colleague.email, permissions: { items: { platformDefault: { actions: { "role:editor": true } } } } },
      { as: owner, project },
    );
    const { body: tokens } = await exchange(codeIn(await allow({}, colleague)));
    expect((await mcp(tokens.access_token, "tools/list")).status).toBe(200);
    await app.call("organizations/users/deactivate", { user_id: colleague.userId }, { as: owner });
    expect((await mcp(tokens.access_token, "tools/list")).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    await app.call("organizations/users/reactivate", { user_id: colleague.userId }, { as: owner });
    expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");

    const { body: weak } = await exchange(codeIn(await allow({ max_role: "viewer" })));
    const { body: refused } = await mcp(weak.access_token, "tools/call", {
      name: "list_deployments",
      arguments: { connection_id: "con_us_none" },
    });
    expect(refused.result.structuredContent.code).toBe("editor_required");
    for (const uri of ["https://evil.example/callback", "javascript:alert(1)", "http://127.0.0.1/other"]) {
      expect((await allow({ redirect_uri: uri })).body.code).toBe("assistant_unknown");
    }
  });

  test("cannot be allowed with a restricted key, whose expiry and revocation its access would outlive", async () => {
    const { app, owner, project, allow } = await startOauth(kind);
    for (const limits of [{ max_role: "admin" }, { max_role: "viewer" }, { project_ids: [project] }]) {
      const { body: restricted } = await app.call("auth/keys/create", limits, { as: owner });
      const { status, body } = await allow({}, { ...owner, apiKey: restricted.api_key });
      expect([limits, status, body.code]).toEqual([limits, 403, "key_restricted"]);
    }
    expect(await app.store.query("select id from assistant_grants")).toEqual([]);
  });

  test("gets nothing for the code of a person who was deactivated, not even once they are back", async () => {
    const { app, owner, project, allow, codeIn, exchange } = await startOauth(kind);
    const colleague = await app.person("colleague@example.com", owner);
    const invite = { email: colleague.email, permissions: permissions("role:viewer") };
    await app.call("auth/invite/create", invite, { as: owner, project });
    const others = codeIn(await allow());
    const codes = [codeIn(await allow({}, colleague)), codeIn(await allow({}, colleague))] as const;
    const set = async (to: "deactivate" | "reactivate") =>
      expect((await app.call(`organizations/users/${to}`, { user_id: colleague.userId }, { as: owner })).status).toBe(
        200,
      );
    await set("deactivate");
    expect((await exchange(codes[0])).body.error).toBe("invalid_grant");
    await set("reactivate");
    for (const code of codes) expect((await exchange(code)).body.error).toBe("invalid_grant");
    expect((await exchange(others)).status).toBe(200);

    // As a node of an older version leaves it: the account is deactivated, and the code still there.
    const another = await app.person("another@example.com", owner);
    await app.call("auth/invite/create", { ...invite, email: another.email }, { as: owner, project });
    const left = codeIn(await allow({}, another));
    await app.store.transaction((db) => db.query("update users set active = 0 where id = $1", [another.userId]));
    expect((await exchange(left)).body.error).toBe("invalid_grant");
  });

  test("a program registers with sound addresses only, and finds everything from the resource's metadata", async () => {
    const { app } = await startOauth(kind);
    const refusedFor = async (payload: object | string) => {
      const headers = { "content-type": "application/json" };
      const { statusCode, body } = await app.app.inject({ method: "POST", url: "/oauth/register", headers, payload });
      return [statusCode, JSON.parse(body).error];
    };
    for (const uri of [
      "http://evil.example/cb",
      "javascript:alert(1)",
      "data:text/html,x",
      "https://a.example/#x",
      "nothing",
    ]) {
      const payload = { client_name: "x", redirect_uris: [uri] };
      expect([uri, await refusedFor(payload)]).toEqual([uri, [400, "invalid_redirect_uri"]]);
    }
    const redirect_uris = [redirect_uri];
    for (const payload of [
      { redirect_uris, client_name: 5 },
      { redirect_uris, grant_types: ["client_credentials"] },
      { redirect_uris, response_types: "code" },
      "{",
    ]) {
      expect([payload, await refusedFor(payload)]).toEqual([payload, [400, "invalid_client_metadata"]]);
    }
    const get = async (url: string) => JSON.parse((await app.app.inject({ method: "GET", url })).body);
    const resource = await get("/.well-known/oauth-protected-resource/mcp");
    expect(resource).toMatchObject({ resource: "http://us.test/mcp", authorization_servers: ["http://us.test"] });
    expect(await get("/.well-known/oauth-authorization-server")).toMatchObject({
      issuer: "http://us.test",
      code_challenge_methods_supported: ["S256"],
      registration_endpoint: "http://us.test/oauth/register",
    });
  });

  test("a person reads the scheme of an address that does not lead to a web site", async () => {
    const { app, owner, project } = await startOauth(kind);
    const shown = [
      ["https://claude.ai/cb", "claude.ai"],
      ["https://claude.ai@evil.example/cb", "evil.example"],
      ["http://127.0.0.1:5000/cb", "127.0.0.1:5000"],
      ["web+evil://claude.ai/cb", "web+evil://claude.ai"],
      ["ftp://claude.ai/cb", "ftp://claude.ai"],
      ["com.example.app:/cb", "com.example.app:"],
    ];
    for (const [uri, expected] of shown) {
      const payload = { client_name: "Helper", redirect_uris: [uri] };
      const { body } = await app.app.inject({ method: "POST", url: "/oauth/register", payload });
      const wish = { client_id: JSON.parse(body).client_id, redirect_uri: uri };
      const described = await app.call("auth/assistants/describe", wish, { as: owner });
      expect([uri, described.body.redirect_host]).toEqual([uri, expected]);
      await app.call("auth/assistants/allow", { ...wish, code_challenge }, { as: owner, project });
      const { body: audit } = await app.call("audit/list", { limit: 1 }, { as: owner, project });
      expect(audit.results[0]).toMatchObject({ action: "assistant.allowed", details: { redirect_host: expected } });
    }
  });

  test("a program whose client id is an address is described by the document there, which cannot change in between", async () => {
    const documents = await serveDocuments();
    const { app, owner, allow, codeIn, exchange, mcp } = await startOauth(kind, { identity: [documents.origin] });
    const client_id = `${documents.origin}/client.json`;
    documents.put("/client.json", { client_id, client_name: "Helper", redirect_uris: [redirect_uri] });
    const describe = (id: string) =>
      app.call("auth/assistants/describe", { client_id: id, redirect_uri }, { as: owner });

    const { body: described } = await describe(client_id);
    expect(described).toMatchObject({ client_name: "Helper", client_host: new URL(client_id).host });
    documents.put("/client.json", { client_id, client_name: "Other", redirect_uris: ["https://evil.example/"] });
    const { client_document } = described;
    const { body: tokens } = await exchange(codeIn(await allow({ client_id, client_document })), { client_id });
    expect((await mcp(tokens.access_token, "tools/list")).status).toBe(200);

    const other = `${documents.origin}/other.json`;
    documents.put("/other.json", { client_id, client_name: "Helper", redirect_uris: [redirect_uri] });
    const refused = [
      await describe(other),
      await describe(`${documents.origin}/none.json`),
      await describe(documents.origin),
      await describe("https://127.0.0.1/client.json"),
      await allow({ client_id }),
      await allow({ client_id: other, client_document }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(refused.map(() => "assistant_unknown"));
    app.advance(901);
    expect((await allow({ client_id, client_document })).body.code).toBe("assistant_unknown");
  });
});

/** The web site of a program that describes itself there. */
async function serveDocuments() {
  const documents = new Map<string, object>();
  const server = createServer(({ url }, response) => {
    const document = documents.get(url ?? "");
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  cleanUpLater(async () => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, put: (path: string, document: object) => void documents.set(path, document) };
}
