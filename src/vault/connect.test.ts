import { createServer, type RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { cleanUpLater, describeOnBothStores } from "../../test/support/stores.ts";
import { startSandbox, startVault } from "../../test/support/vault.ts";
import { Problem } from "../kernel/problem.ts";
import { restOrigin } from "./instances.ts";

/** Something at an address of this machine that is not the system it should be. */
async function startStranger(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUpLater(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

const problemOf = async (work: Promise<unknown>): Promise<Problem> => {
  const error = await work.then(
    () => new Error("Nothing was refused."),
    (reason) => reason,
  );
  if (!(error instanceof Problem)) throw error;
  return error;
};

const refusalOf = async (work: Promise<unknown>) => {
  const { code, extras, message } = await problemOf(work);
  return { code, reason: extras.more?.reason, remedy: String(extras.more?.remedy), detail: message };
};

describeOnBothStores("connect with credentials", (kind) => {
  test("marketing: one click for the sandbox, and the account says who it is", async () => {
    const world = await startVault(kind, { marketing: await startSandbox("marketing") });
    const connection = await world.connect({ system: "marketing", instance: "sandbox" });
    expect(connection.id).toMatch(/^con_us_/);
    expect(connection).toMatchObject({
      state: "connected",
      instance: "sandbox",
      wayIn: "client_credentials",
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

  test("deployment: a token acts for the team that is named, by id or slug, or for its person", async () => {
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
    const viewer = await connect({ token: deployment.credentials.viewer_token, team_id });
    expect(viewer.accessLevel).toBe("viewer");
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
      expect(connection).toMatchObject({ accessLevel: level, wayIn: "refresh_token" });
      expect(connection.identity.properties?.[0]).toMatchObject({ property_id: "1000", account_id: "100" });
    }
    expect(await connect({ token: tokens.editor })).toMatchObject({ accessLevel: "editor", wayIn: "token" });
    for (const key of [service_account, JSON.stringify(service_account)]) {
      const connection = await connect({ service_account_key: key });
      expect(connection.identity.email).toBe(service_account.client_email);
      expect(connection).toMatchObject({ accessLevel: "editor", wayIn: "service_account" });
      // Both clocks go on, or the system would not take what is signed.
      world.advance(4000);
      await analytics.control("clock", { advance_seconds: 4000 });
      expect((await world.vault.token(connection)).generation).toBe(2);
    }
    expect(await connect({ access_token: other_tokens.read_scope_only })).toMatchObject({
      accessLevel: "viewer",
      health: { ok: true, reason: expect.stringContaining("analytics.edit was not granted") },
    });
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

describe("credentials that open nothing are told apart, and never saved", () => {
  async function startAll() {
    const [marketing, deployment, analytics] = await Promise.all(
      (["marketing", "deployment", "analytics"] as const).map(startSandbox),
    );
    if (!marketing || !deployment || !analytics) throw new Error("A sandbox is missing.");
    const page = await startStranger((_request, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>");
    });
    const text = await startStranger((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end("{this is no json");
    });
    const elsewhere = await startStranger((_request, response) => {
      response.writeHead(302, { location: "https://example.com/" }).end();
    });
    const mute = "http://127.0.0.1:9";
    const strangers = { page, text, elsewhere, mute };
    const world = await startVault(
      "sqlite",
      { marketing, deployment, analytics },
      { privateOrigins: Object.values(strangers) },
    );
    return { marketing, deployment, analytics, strangers, world };
  }
  type All = Awaited<ReturnType<typeof startAll>>;

  const good = ({ marketing }: All) => ({
    client_id: marketing.credentials.client_id,
    client_secret: marketing.credentials.client_secret,
  });

  const cases: [
    name: string,
    wish: (all: All) => { system: "marketing" | "deployment" | "analytics"; instance?: string; credentials: object },
    reason: string,
    remedy: RegExp,
  ][] = [
    [
      "marketing: a wrong secret",
      (all) => ({ system: "marketing", credentials: { ...good(all), client_secret: "wrong" } }),
      "invalid_credentials",
      /credentials/,
    ],
    [
      "marketing: an unknown client",
      (all) => ({ system: "marketing", credentials: { ...good(all), client_id: "unknown" } }),
      "invalid_credentials",
      /credentials/,
    ],
    [
      "marketing: an API user without permissions (603)",
      ({ marketing }) => ({ system: "marketing", credentials: marketing.credentials.no_permissions }),
      "missing_permissions",
      /role with API permissions/,
    ],
    [
      "marketing: the sandbox's address with a typing error in its path",
      (all) => ({ system: "marketing", credentials: { ...good(all), rest_endpoint: `${all.marketing.url}/rset` } }),
      "wrong_endpoint",
      /REST endpoint/,
    ],
    [
      "marketing: its identity address",
      (all) => ({ system: "marketing", credentials: { ...good(all), rest_endpoint: `${all.marketing.url}/identity` } }),
      "wrong_endpoint",
      /REST endpoint/,
    ],
    [
      "marketing: a live address of nobody",
      (all) => ({
        system: "marketing",
        instance: "live",
        credentials: { ...good(all), rest_endpoint: "https://123-abc-456.mktorest.invalid/rest" },
      }),
      "wrong_endpoint",
      /mktorest\.com/,
    ],
    [
      "marketing: a page at the address",
      (all) => ({ system: "marketing", instance: all.strangers.page, credentials: good(all) }),
      "wrong_endpoint",
      /typing errors/,
    ],
    [
      "marketing: something that is no JSON",
      (all) => ({ system: "marketing", instance: all.strangers.text, credentials: good(all) }),
      "wrong_endpoint",
      /typing errors/,
    ],
    [
      "marketing: an address that sends elsewhere",
      (all) => ({ system: "marketing", instance: all.strangers.elsewhere, credentials: good(all) }),
      "wrong_endpoint",
      /typing errors/,
    ],
    [
      "marketing: nobody at the address",
      (all) => ({ system: "marketing", instance: all.strangers.mute, credentials: good(all) }),
      "wrong_endpoint",
      /typing errors/,
    ],
    [
      "marketing: a name that does not exist",
      (all) => ({ system: "marketing", instance: "https://typo.invalid", credentials: good(all) }),
      "wrong_endpoint",
      /typing errors/,
    ],
    [
      "deployment: a token that nobody knows",
      () => ({ system: "deployment", credentials: { token: "nobody" } }),
      "invalid_credentials",
      /credentials/,
    ],
    [
      "deployment: a token that has ended",
      ({ deployment }) => ({ system: "deployment", credentials: { token: deployment.credentials.expired_token } }),
      "invalid_credentials",
      /credentials/,
    ],
    [
      "deployment: a team that the token does not reach",
      ({ deployment: { credentials } }) => ({
        system: "deployment",
        credentials: { token: credentials.outsider_token, team_id: credentials.team_id },
      }),
      "missing_permissions",
      /team/,
    ],
    [
      "deployment: a team that does not exist",
      ({ deployment: { credentials } }) => ({
        system: "deployment",
        credentials: { token: credentials.token, team_slug: "nobodys" },
      }),
      "missing_permissions",
      /team_slug/,
    ],
    [
      "analytics: a refresh token that nobody knows",
      ({ analytics: { credentials } }) => ({
        system: "analytics",
        credentials: {
          refresh_token: "1//nobody",
          client_id: credentials.oauth.client_id,
          client_secret: credentials.oauth.client_secret,
        },
      }),
      "invalid_credentials",
      /Connect the account again/,
    ],
    [
      "analytics: the wrong client",
      ({ analytics: { credentials } }) => ({
        system: "analytics",
        credentials: {
          refresh_token: credentials.oauth.refresh_tokens.viewer,
          client_id: credentials.oauth.client_id,
          client_secret: "wrong",
        },
      }),
      "invalid_credentials",
      /client secret/,
    ],
    [
      "analytics: an access token that nobody knows",
      () => ({ system: "analytics", credentials: { access_token: "ya29.nobody" } }),
      "invalid_credentials",
      /credentials/,
    ],
    [
      "analytics: a service account with another's key",
      ({ analytics: { credentials } }) => ({
        system: "analytics",
        credentials: { service_account_key: { ...credentials.service_account, client_email: "x@example.com" } },
      }),
      "invalid_credentials",
      /Connect the account again/,
    ],
    [
      "analytics: a service account whose key was cut",
      ({ analytics: { credentials } }) => ({
        system: "analytics",
        credentials: { service_account_key: { ...credentials.service_account, private_key: "-----BEGIN" } },
      }),
      "invalid_credentials",
      /key file/,
    ],
  ];

  test("every row of them", async () => {
    const all = await startAll();
    for (const [name, wish, reason, remedy] of cases) {
      const { system, instance = "sandbox", credentials } = wish(all);
      const asked = { system, instance, credentials: credentials as Record<string, unknown> };
      const refusal = await refusalOf(all.world.vault.verify(all.world.projectId, asked));
      expect([name, refusal.code, refusal.reason]).toEqual([name, "authentication_failed", reason]);
      expect(`${name}: ${refusal.remedy}`).toMatch(remedy);
    }
    expect(await all.world.store.query("select * from connections")).toEqual([]);
    expect(all.world.logged.join("")).not.toContain(all.marketing.credentials.client_secret);
  });

  test("a system that is away is unreachable, and says nothing against the credentials", async () => {
    const all = await startAll();
    await all.analytics.control("faults", { match: { path: "/token" }, times: 1, status: 503, body: {} });
    const { oauth } = all.analytics.credentials;
    const credentials = {
      refresh_token: oauth.refresh_tokens.viewer,
      client_id: oauth.client_id,
      client_secret: oauth.client_secret,
    };
    const wish = { system: "analytics", instance: "sandbox", credentials } as const;
    expect(await refusalOf(all.world.vault.verify(all.world.projectId, wish))).toMatchObject({ reason: "unreachable" });
  });

  test.each([
    ["marketing", {}, "#/credentials/client_id"],
    ["marketing", { client_id: "a" }, "#/credentials/client_secret"],
    ["marketing", { client_id: "a\r\nb", client_secret: "c" }, "#/credentials/client_id"],
    ["marketing", { client_id: 7, client_secret: "c" }, "#/credentials/client_id"],
    ["deployment", {}, "#/credentials/token"],
    ["deployment", { token: "a b" }, "#/credentials/token"],
    ["analytics", {}, "#/credentials"],
    ["analytics", { service_account_key: "not json" }, "#/credentials/service_account_key"],
    ["analytics", { service_account_key: { client_email: "a" } }, "#/credentials/service_account_key"],
  ] as const)("%s with %j is pointed at", async (system, credentials, pointer) => {
    const world = await startVault("sqlite", {});
    const wish = { system, instance: "sandbox", credentials: credentials as Record<string, unknown> };
    const problem = await problemOf(world.vault.verify(world.projectId, wish));
    expect([problem.code, problem.extras.errors?.[0]?.pointer]).toEqual(["validation_failed", pointer]);
  });

  test.each([
    "https://10.0.0.1",
    "https://[::1]",
    "https://example.com:8443",
    "http://example.com",
    "https://example.com/api",
    "https://u:p@example.com",
    "ftp://example.com",
    "prod",
  ])("%s is no instance", async (instance) => {
    const world = await startVault("sqlite", {});
    const wish = { system: "deployment", instance, credentials: { token: "t" } } as const;
    const problem = await problemOf(world.vault.verify(world.projectId, wish));
    expect([problem.code, problem.extras.errors?.[0]?.pointer]).toEqual(["validation_failed", "#/instance"]);
  });
});

describe("a REST endpoint is reduced to its origin", () => {
  test.each([
    ["https://123-ABC-456.mktorest.com/rest", "https://123-abc-456.mktorest.com"],
    ["https://123-abc-456.mktorest.com/", "https://123-abc-456.mktorest.com"],
    ["http://127.0.0.1:4111/rest/", "http://127.0.0.1:4111"],
  ])("%s is %s", (text, origin) => expect(restOrigin(text)).toBe(origin));

  test.each(["123-abc-456.mktorest.com", "https://a.mktorest.com/rest/v1", "https://a.mktorest.com/rest?x=1", ""])(
    "%s is none",
    (text) => expect(() => restOrigin(text)).toThrow(),
  );
});
