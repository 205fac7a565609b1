import { expect, test } from "vitest";
import { problemOf } from "../../test/support/calls/problem-of.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startSandbox, startVault } from "../../test/support/systems/vault.ts";

describeOnBothStores("connect with credentials", (kind) => {
  test("marketing: one click for the sandbox, and the account is identified", async () => {
    const world = await startVault(kind, { marketing: await startSandbox("marketing") });
    const connection = await world.connect({ system: "marketing", instance: "sandbox" });
    expect(connection.id).toMatch(/^con_us_/);
    expect(connection).toMatchObject({
      state: "connected",
      instance: "sandbox",
      signInMethod: "client_credentials",
      identity: { email: "api-user@example.com", label: expect.stringContaining("api-user@example.com at 127.0.0.1") },
      health: { ok: true, reason: null },
    });
  });

  test.each(["", "/", "/rest", "/rest/"])("marketing: the REST endpoint may end with «%s»", async (ending) => {
    const marketing = await startSandbox("marketing");
    const world = await startVault(kind, { marketing });
    const { client_id, client_secret } = marketing.credentials;
    const credentials = { client_id, client_secret, rest_api_endpoint: marketing.url + ending };
    const connection = await world.connect({ system: "marketing", instance: "sandbox", credentials, label: "Ours" });
    expect(connection).toMatchObject({ label: "Ours", addresses: { main: marketing.url } });
  });

  test("deployment: a token acts for the named team, by id or slug, or for its owner", async () => {
    const deployment = await startSandbox("deployment");
    const world = await startVault(kind, { deployment });
    const { token, team_id, team_slug } = deployment.credentials;
    const connect = (credentials: Record<string, unknown>) =>
      world.connect({ system: "deployment", instance: "sandbox", credentials });
    const team = { team_id, team_slug };
    expect(await connect({ token, team_id })).toMatchObject({ identity: team, accessLevel: "administrator" });
    expect(await connect({ access_token: token, team_slug })).toMatchObject({ identity: team });
    const personal = await connect({ token });
    expect(personal.identity).not.toHaveProperty("team_id");
    expect(personal.identity.user_id).toBeTruthy();
    expect(personal.identity.teams?.map(({ team_slug: slug }) => slug).sort()).toEqual(["acme", "acme-labs"]);
    const viewer = await connect({ token: deployment.credentials.viewer_token, team_id });
    expect(viewer.accessLevel).toBe("viewer");
  });

  // "Project-scoped tokens (user and team requests denied) connect, are shown as limited to their projects."
  test("deployment: a token for one project connects, and says so", async () => {
    const deployment = await startSandbox("deployment");
    const world = await startVault(kind, { deployment });
    const { project_token: token, team_id, team_slug } = deployment.credentials;
    const wish = (credentials: Record<string, unknown>) =>
      ({ system: "deployment", instance: "sandbox", credentials }) as const;
    const unnamed = await problemOf(world.vault.verify(world.projectId, wish({ token, team_id })));
    expect(unnamed).toMatchObject({ code: "authentication_failed" });
    expect(unnamed.extras.more).toMatchObject({
      reason: "missing_permissions",
      remedy: expect.stringContaining("`project_id`"),
    });
    const foreign = await problemOf(world.vault.verify(world.projectId, wish({ token, team_id, project_id: "shop" })));
    expect(foreign.message).toContain('"shop" is none of them');
    const projects = [{ project_id: deployment.ids.project_id, name: "web" }];
    const connection = await world.connect(wish({ token, team_slug, project_id: "web" }));
    expect(connection).toMatchObject({
      label: "acme, only web",
      identity: { team_id, team_slug, projects, projects_total: 1 },
      accessLevel: null,
      health: { ok: true },
    });
    const found = await world.vault.checkAccount(connection);
    expect(found).toMatchObject({ kind: "well", who: { identity: { team_id, team_slug, projects } } });
    const { projects_token } = deployment.credentials;
    const several = await world.connect(wish({ token: projects_token, team_id, project_id: "web,docs" }));
    expect(several.label).toBe(`${team_id}, only web, docs`);
    const many = Array.from({ length: 51 }, (_, at) => `p${at}`).join(",");
    const tooMany = await problemOf(world.vault.verify(world.projectId, wish({ token, project_id: many })));
    expect(tooMany).toMatchObject({ code: "validation_failed", message: expect.stringContaining("more than 50") });
  });

  test("analytics: refresh token, access token and service account, each with its level and its properties", async () => {
    const analytics = await startSandbox("analytics");
    const world = await startVault(kind, { analytics });
    const { tokens, oauth, service_account, other_tokens } = analytics.credentials;
    const client = { client_id: oauth.client_id, client_secret: oauth.client_secret };
    const connect = (credentials: Record<string, unknown>) =>
      world.connect({ system: "analytics", instance: "sandbox", credentials });
    for (const level of ["viewer", "editor", "administrator"]) {
      const connection = await connect({ refresh_token: oauth.refresh_tokens[level], ...client });
      expect(connection).toMatchObject({ accessLevel: level, signInMethod: "refresh_token" });
      expect(connection.identity.properties?.[0]).toMatchObject({ property_id: "1000", account_id: "100" });
    }
    expect(await connect({ token: tokens.editor })).toMatchObject({ accessLevel: "editor", signInMethod: "token" });
    for (const credentials of [service_account, { service_account_key: JSON.stringify(service_account) }]) {
      const connection = await connect(credentials);
      expect(connection.identity.email).toBe(service_account.client_email);
      expect(connection).toMatchObject({ accessLevel: "editor", signInMethod: "service_account" });
      // Both clocks go on, or the system would not take what is signed.
      world.advance(4000);
      await analytics.control("clock", { advance_seconds: 4000 });
      expect((await world.vault.token(connection)).generation).toBe(2);
    }
    expect(await connect({ access_token: other_tokens.read_scope_only })).toMatchObject({
      accessLevel: "viewer",
      health: { ok: true, reason: expect.stringContaining("analytics.edit was not granted") },
    });
    // "Find the level by reading only; never send a write to learn something."
    const calls = (await analytics.requests()).map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(calls)].sort()).toEqual([
      "GET /v1beta/accountSummaries",
      "GET /v1beta/properties/0/metadata",
      "POST /token",
      "POST /tokeninfo",
      "POST /v1beta/accounts/100:runAccessReport",
    ]);
  });

  test("reconnecting keeps id, label, policy and settings, and refuses another system", async () => {
    const [marketing, deployment] = [await startSandbox("marketing"), await startSandbox("deployment")];
    const world = await startVault(kind, { marketing, deployment });
    const first = await world.connect({ system: "marketing", instance: "sandbox", label: "Ours" });
    await world.vault.lost(first, "withdrawn");
    const again = await world.connect({ system: "marketing", instance: "sandbox", connectionId: first.id });
    expect(again).toMatchObject({ id: first.id, label: "Ours", state: "connected", stateReason: null });
    expect(again.tokenGeneration).toBeGreaterThan(first.tokenGeneration);
    const { token } = deployment.credentials;
    const wish = { system: "deployment", instance: "sandbox", credentials: { token }, connectionId: first.id } as const;
    expect((await problemOf(world.vault.verify(world.projectId, wish))).code).toBe("validation_failed");
    const elsewhere = { ...wish, system: "marketing", connectionId: "con_us_none" } as const;
    expect((await problemOf(world.vault.verify(world.projectId, elsewhere))).code).toBe("connection_not_found");
  });

  test("nothing of a secret is in the store in the clear, nor in the log", async () => {
    const [marketing, analytics] = [await startSandbox("marketing"), await startSandbox("analytics")];
    const world = await startVault(kind, { marketing, analytics });
    await world.connect({ system: "marketing", instance: "sandbox" });
    const { oauth } = analytics.credentials;
    const credentials = {
      client_id: oauth.client_id,
      client_secret: oauth.client_secret,
      refresh_token: oauth.refresh_tokens.editor,
    };
    const connection = await world.connect({ system: "analytics", instance: "sandbox", credentials });
    await world.vault.lost(connection, "for the log");
    const kept = JSON.stringify(await world.store.query("select * from connections")) + world.logged.join("");
    const secrets = [marketing.credentials.client_secret, oauth.client_secret, oauth.refresh_tokens.editor];
    for (const secret of secrets) expect(kept).not.toContain(secret);
    expect(kept).not.toContain("ya29");
    expect(world.logged.join("")).toContain("a connection was lost");
  });
});
