import { createServer, type RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { problemOf } from "../../test/support/calls/problem-of.ts";
import { cleanUpLater } from "../../test/support/stores.ts";
import { startSandbox, startVault } from "../../test/support/systems/vault.ts";

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

const refusalOf = async (work: Promise<unknown>) => {
  const { code, extras, message } = await problemOf(work);
  return { code, reason: extras.more?.reason, remedy: String(extras.more?.remedy), detail: message };
};

describe("credentials that do not work are refused with a reason, and never saved", () => {
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

  type Case = [
    name: string,
    wish: (all: All) => { system: "marketing" | "deployment" | "analytics"; instance?: string; credentials: object },
    reason: string,
    remedy: RegExp,
  ];
  const cases: Case[] = [
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
      /It was deleted, or the key file was changed/,
    ],
    [
      "analytics: a box left unticked, without which nothing can be read",
      ({ analytics: { credentials } }) => ({
        system: "analytics",
        credentials: { access_token: credentials.other_tokens.edit_scope_only },
      }),
      "missing_permissions",
      /“See and download your Google Analytics data” ticked/,
    ],
    [
      "analytics: a person who sees no analytics account",
      ({ analytics: { credentials } }) => ({
        system: "analytics",
        credentials: { access_token: credentials.other_tokens.outsider },
      }),
      "missing_permissions",
      /Google account that sees your properties.*Property access management/,
    ],
    ...(
      [
        ["no_role", "missing_permissions", /Property access management.*add new@analytics-sandbox\.iam\.example/],
        ["disabled_key", "invalid_credentials", /enable the key, or create a new one/],
        ["disabled_account", "invalid_credentials", /Enable it in the cloud console/],
        ["other_project", "missing_permissions", /Turn on .* in the cloud project 730055512841 .*another one than/],
      ] as const
    ).map(
      ([name, reason, remedy]): Case => [
        `analytics: a service account with ${name}`,
        ({ analytics: { credentials } }) => ({
          system: "analytics",
          credentials: { service_account_key: credentials.other_service_accounts[name] },
        }),
        reason,
        remedy,
      ],
    ),
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

  test("every kind of wrong credentials", async () => {
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

  test("an unreachable system is reported as such, not as wrong credentials", async () => {
    const all = await startAll();
    const away = { system: "marketing", instance: all.strangers.mute, credentials: good(all) } as const;
    expect(await refusalOf(all.world.vault.verify(all.world.projectId, away))).toEqual({
      code: "system_unavailable",
      reason: "unreachable",
      detail: `${all.strangers.mute} accepts no connection.`,
      remedy: expect.stringMatching(/the port for typing errors.*try again later.*The credentials are not the cause/),
    });
    await all.analytics.control("faults", { match: { path: "/token" }, times: 1, status: 503, body: {} });
    const { oauth } = all.analytics.credentials;
    const credentials = {
      refresh_token: oauth.refresh_tokens.viewer,
      client_id: oauth.client_id,
      client_secret: oauth.client_secret,
    };
    const wish = { system: "analytics", instance: "sandbox", credentials } as const;
    expect(await refusalOf(all.world.vault.verify(all.world.projectId, wish))).toMatchObject({
      code: "system_unavailable",
      reason: "unreachable",
    });
  });
});
