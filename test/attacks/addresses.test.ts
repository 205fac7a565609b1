import { describe, expect, test } from "vitest";
import type { Resolve } from "../../src/transport/address-guard.ts";
import { serve } from "../support/processes/local-servers.ts";
import { describeOnBothStores, type StoreKind } from "../support/stores.ts";
import { sandboxUrls, startSandbox } from "../support/systems/vault.ts";
import { startTeam, type Team } from "../support/team.ts";
import { startReceiver } from "../support/webhooks/receiver.ts";

/**
 * Tenants who point Signalbox at addresses that are not theirs: at the operator's network, at what the operator has opened for
 * somebody else or for something else, and at the sandboxes' control API.
 */

/** The operator's network, as its resolver knows it. */
const inside: Record<string, string> = { "vm.corp.example": "127.0.0.1", "db.corp.example": "10.1.2.3" };
const resolve: Resolve = async (name) => {
  const address = inside[name];
  if (address !== undefined) return [{ address, family: 4 }];
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
};

const webhook = (team: Team, url: string, as = team.owner) =>
  team.call("webhooks/create", { url }, { as, project: as === team.owner ? team.projectId : "" });

const detailOf = ({ body }: { body: { detail?: string; errors?: { detail: string }[] } }): string =>
  body.errors?.[0]?.detail ?? body.detail ?? "";

describeOnBothStores("names in the operator's network", (kind: StoreKind) => {
  test("a webhook's test and its deliveries report the same for a name that exists there and for one that does not", async () => {
    const team = await startTeam(kind, { resolve });
    const said: string[] = [];
    for (const host of ["vm.corp.example", "db.corp.example", "nothing.corp.example"]) {
      const { body: made } = await webhook(team, `https://${host}/hook`);
      const { body } = await team.call(`webhooks/${made.webhook_id}/test`, {}, team.inProject(team.owner));
      const list = await team.call(`webhooks/${made.webhook_id}/deliveries`, {}, team.inProject(team.owner));
      expect(body).toMatchObject({ status: "failed", response_status: null });
      expect(list.body.results[0].problem).toBe(body.problem);
      said.push(body.problem);
      expect(list.text).not.toMatch(/127\.0\.0\.1|10\.1\.2\.3|ENOTFOUND|resolves/);
    }
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toContain("SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS");
    // The operator can see what it was about.
    const lines = team.logged.filter((line) => line.includes("an address was not called"));
    expect(lines.join()).toMatch(/vm\.corp\.example resolves to 127\.0\.0\.1/);
  });

  test("an account at a typed address is refused with the same message, whether the name exists or not", async () => {
    const team = await startTeam(kind, { resolve });
    const connect = (instance: string) =>
      team.call(
        "connections/connect",
        { system: "deployment", instance, credentials: { token: "a-token-of-mine" } },
        team.inProject(team.owner),
      );
    const answers = [];
    for (const host of ["vm.corp.example", "db.corp.example", "nothing.corp.example"]) {
      const { status, body } = await connect(`https://${host}`);
      answers.push(JSON.stringify([status, body.code, body.reason, body.detail, body.remedy]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("SIGNALBOX_PRIVATE_HOSTS_STEPS");
  });

  test("a step on an account whose name now points there ends with the same message, whether the name exists or not", async () => {
    const platform = await startSandbox("deployment");
    const team = await startTeam(kind, { resolve, privateHosts: { steps: [platform.url] } });
    const ends = [];
    for (const host of ["vm.corp.example", "nothing.corp.example"]) {
      const { body } = await team.call(
        "connections/connect",
        { system: "deployment", instance: platform.url, credentials: { token: platform.credentials.token } },
        team.inProject(team.owner),
      );
      await team.store.transaction((db) =>
        db.query("update connections set addresses = $1, revision = revision + 1 where id = $2", [
          JSON.stringify({ main: `https://${host}` }),
          body.connection_id,
        ]),
      );
      const input = { method: "GET", path: "/v2/user" };
      const call = { connection_id: body.connection_id, input };
      const run = await team.call("steps/deployment_api_call/run", call, team.inProject(team.owner));
      ends.push(JSON.stringify([run.status, run.body.status, run.body.problem]));
      expect(run.body.problem.code).toBe("policy_denied");
      const checked = await team.call(`connections/${body.connection_id}/check`, {}, team.inProject(team.owner));
      expect(checked.text).not.toMatch(/127\.0\.0\.1|ENOTFOUND|resolves/);
    }
    expect(new Set(ends).size).toBe(1);
  });

  test("an assistant's description is refused with the same message, whether the name exists or not", async () => {
    const team = await startTeam(kind, { resolve });
    const redirect_uri = "http://127.0.0.1/callback";
    const answers = [];
    for (const host of ["vm.corp.example", "db.corp.example", "nothing.corp.example"]) {
      const wish = { client_id: `https://${host}/x`, redirect_uri };
      const { status, body } = await team.call("auth/assistants/describe", wish, { as: team.owner });
      answers.push(JSON.stringify([status, body.code, body.detail, body.errors, body.remedy]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("assistant_unknown");
    expect(answers[0]).toContain("SIGNALBOX_PRIVATE_HOSTS_IDENTITY");
    const lines = team.logged.filter((line) => line.includes("an address was not called"));
    expect(lines.join()).toMatch(/vm\.corp\.example resolves to 127\.0\.0\.1/);
  });

  test("a literal private address is refused when the webhook is created, with that same message", async () => {
    const team = await startTeam(kind, { resolve });
    const refusals = await Promise.all(
      [
        "https://127.0.0.1/",
        "https://10.1.2.3/",
        "https://localhost/",
        "https://[::1]/",
        "https://169.254.169.254/",
      ].map(async (url) => detailOf(await webhook(team, url))),
    );
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toContain("SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS");
  });
});

describe("a private address that the operator allows", () => {
  const providerAt = (team: Team, issuer: string) =>
    team.call(
      "single_sign_on/create",
      { kind: "oidc", label: "Ours", issuer, client_id: "signalbox" },
      { as: team.owner },
    );
  const accountAt = (team: Team, instance: string) =>
    team.call(
      "connections/connect",
      { system: "deployment", instance, credentials: { token: "a-token-of-mine" } },
      team.inProject(team.owner),
    );

  test("for steps is closed to webhooks and identity providers, and likewise for each other use", async () => {
    const origin = await serve((_request, response) => response.writeHead(404).end());
    for (const use of ["steps", "webhooks", "identity"] as const) {
      const team = await startTeam("sqlite", { privateHosts: { [use]: [origin] } });
      const codes = {
        steps: (await accountAt(team, origin)).body.code,
        webhooks: (await webhook(team, `${origin}/hook`)).body.code,
        identity: (await providerAt(team, origin)).body.code,
      };
      // At the open one a real answer decides; at the others nothing is asked.
      const refused = { steps: "validation_failed", webhooks: "validation_failed", identity: "validation_failed" };
      const open = { steps: "authentication_failed", webhooks: undefined, identity: undefined };
      expect([use, codes]).toEqual([use, { ...refused, [use]: open[use] }]);
    }
  });

  test("for one organization is closed to others: they cannot create a webhook there, nor send with an existing one", async () => {
    const receiver = await startReceiver();
    const hosts: { origin: string; organizations: string[] }[] = [{ origin: receiver.origin, organizations: [] }];
    const team = await startTeam("sqlite", { privateHosts: { webhooks: hosts, steps: hosts } });
    hosts[0]?.organizations.push(team.owner.organizationId);
    const { owner: stranger } = await team.neighbour();
    const strangers = await team.project(stranger);
    expect((await webhook(team, receiver.url)).status).toBe(200);
    const wish = { url: receiver.url };
    const theirs = await team.call("webhooks/create", wish, { as: stranger, project: strangers });
    expect(theirs.body.code).toBe("validation_failed");
    const account = { system: "deployment", instance: receiver.origin, credentials: { token: "a-token-of-mine" } };
    const connecting = await team.call("connections/connect", account, { as: stranger, project: strangers });
    expect(connecting.body.code).toBe("validation_failed");
    // One that was made while the address was still open to everybody.
    const made = await team.call(
      "webhooks/create",
      { url: "https://example.com/" },
      { as: stranger, project: strangers },
    );
    await team.store.transaction((db) =>
      db.query("update webhooks set url = $1 where id = $2", [receiver.url, made.body.webhook_id]),
    );
    const tested = await team.call(`webhooks/${made.body.webhook_id}/test`, {}, { as: stranger, project: strangers });
    expect(tested.body).toMatchObject({ status: "failed", problem: expect.stringContaining("cannot be used") });
    expect(receiver.received).toEqual([]);
  });
});

describe("the control address of the sandboxes", () => {
  test("cannot be a webhook, an identity provider, a typed address or the path of a step", async () => {
    const deployment = await startSandbox("deployment");
    const team = await startTeam("sqlite", { sandboxes: sandboxUrls({ deployment: deployment.url }) });
    const reset = `${deployment.url}/_sandbox/reset`;
    expect((await webhook(team, reset)).body.code).toBe("validation_failed");
    const typed = { system: "deployment", instance: deployment.url, credentials: { token: "a-token-of-mine" } };
    expect((await team.call("connections/connect", typed, team.inProject(team.owner))).body.code).toBe(
      "validation_failed",
    );
    const provider = { kind: "oidc", label: "Ours", issuer: deployment.url, client_id: "signalbox" };
    expect((await team.call("single_sign_on/create", provider, { as: team.owner })).body.code).toBe(
      "validation_failed",
    );
    // Nor where a row says so already: whatever is sent for a webhook has no way there.
    const made = await webhook(team, "https://example.com/");
    await team.store.transaction((db) =>
      db.query("update webhooks set url = $1 where id = $2", [reset, made.body.webhook_id]),
    );
    const tested = await team.call(`webhooks/${made.body.webhook_id}/test`, {}, team.inProject(team.owner));
    expect(tested.body).toMatchObject({ status: "failed", response_status: null });
    const account = {
      system: "deployment",
      instance: "sandbox",
      credentials: { token: deployment.credentials.token },
    };
    const { body } = await team.call("connections/connect", account, team.inProject(team.owner));
    expect(body.connection_id).toMatch(/^con_/);
    for (const path of ["/_sandbox/reset", "/_sandbox", "/v1/../_sandbox/reset", "/v1/%2e%2e/_sandbox/reset"]) {
      const call = { connection_id: body.connection_id, input: { method: "POST", path } };
      const answer = await team.call("steps/deployment_api_call/run", call, team.inProject(team.owner));
      expect([path, answer.status, answer.body.code]).toEqual([path, 422, "validation_failed"]);
    }
  });
});

describe("letters that look like dots, slashes or digits", () => {
  const ofWebhooks = [
    "https://example\uff0ecom/hook",
    "https://example\u3002com/hook",
    "https://example\uff61com/hook",
    "https://\u2460\u2461\u2466.0.0.1/hook",
    "https://ex\u00adample.com/hook",
    "https://example.com\uff0fhook",
    "https://example.com/a/\uff0e\uff0e/hook",
    "https://example.com/a/%EF%BC%8E%EF%BC%8E/hook",
    "https://example.com/a\u2215hook",
  ];
  const ofAccounts = ["https://\uff41pi.example.com", "https://api\uff0eexample.com", "https://api.example.com\u3002"];

  test("a webhook, an account and an identity provider cannot have such an address", async () => {
    const team = await startTeam("sqlite");
    for (const url of ofWebhooks)
      expect([url, (await webhook(team, url)).body]).toMatchObject([url, { code: "validation_failed" }]);
    for (const instance of ofAccounts) {
      const account = { system: "deployment", instance, credentials: { token: "a-token-of-mine" } };
      const { body: refused } = await team.call("connections/connect", account, team.inProject(team.owner));
      expect([instance, refused]).toMatchObject([
        instance,
        { code: "validation_failed", errors: [{ pointer: "#/instance" }] },
      ]);
    }
    const wish = { kind: "oidc", label: "Ours", issuer: "https://idp\uff0eexample.com", client_id: "signalbox" };
    const { body } = await team.call("single_sign_on/create", wish, { as: team.owner });
    expect(body).toMatchObject({ code: "validation_failed", errors: [{ detail: expect.stringContaining("U+FF0E") }] });
  });

  test("addresses in other alphabets are accepted", async () => {
    const team = await startTeam("sqlite");
    const { body } = await webhook(team, "https://m\u00fcnchen.example/gr\u00fc\u00dfe?n=\uff11");
    expect(body.url).toBe("https://xn--mnchen-3ya.example/gr%C3%BC%C3%9Fe?n=%EF%BC%91");
  });
});
