import { createHmac } from "node:crypto";
import { Vercel } from "vercel-sdk-1.18";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { registration } from "../credentials.ts";
import { startReceiver } from "../testing/receiver.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const callback = "http://127.0.0.1:5555/oauth/callback";

/** What a person does: opens the page, chooses, presses a button. Answers where the browser is sent. */
async function click(choices: Record<string, string | string[]> = {}, query = `state=s1&redirect_uri=${callback}`) {
  const { install_url: page } = sandbox.credentials.oauth;
  const html = await (await fetch(`${page}?${query}`)).text();
  const form = new URLSearchParams();
  for (const [, name, value] of html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)) {
    form.set(name ?? "", value ?? "");
  }
  const chosen = { owner: sandbox.credentials.team_id, access: "all", decision: "install", ...choices };
  for (const [name, value] of Object.entries(chosen)) for (const each of [value].flat()) form.append(name, each);
  return fetch(page, { method: "POST", body: form, redirect: "manual" });
}

const locationOf = (response: Response) => new URL(response.headers.get("location") ?? "");

async function exchange(code: string, changes: Record<string, string> = {}) {
  const { client_id, client_secret } = sandbox.credentials.oauth;
  const body = new URLSearchParams({ client_id, client_secret, code, redirect_uri: callback, ...changes });
  const response = await fetch(`${sandbox.url}/v2/oauth/access_token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function connect(choices: Record<string, string | string[]> = {}) {
  const { searchParams } = locationOf(await click(choices));
  const { body } = await exchange(searchParams.get("code") ?? "");
  return { token: body.access_token ?? "", installation: body.installation_id ?? "" };
}

describe("installing the integration", () => {
  test("shows a page that needs no script, with what is asked for and every choice labelled", async () => {
    const response = await fetch(`${sandbox.credentials.oauth.install_url}?state=%22%3E`);
    const html = await response.text();
    expect(html).toContain('<html lang="en">');
    expect(html).not.toContain("<script");
    expect(html).toContain('value="&#34;&#62;"');
    for (const text of [
      "ann-archer@example.com",
      "Acme (team)",
      "personal account",
      "All projects",
      "with their build logs",
      "Install</button>",
    ]) {
      expect(html).toContain(text);
    }
  });

  test("comes back with a code, the configuration, the team and the state", async () => {
    const location = locationOf(await click());
    expect(location.origin + location.pathname).toBe(callback);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      code: expect.any(String),
      configurationId: expect.stringMatching(/^icfg_/),
      teamId: sandbox.credentials.team_id,
      state: "s1",
      source: "external",
      next: `${sandbox.url}/integrations/signalbox/installed`,
    });
    expect((await fetch(location.searchParams.get("next") ?? "")).status).toBe(200);
    const { status, body } = await exchange(location.searchParams.get("code") ?? "");
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: "Bearer",
      access_token: expect.any(String),
      installation_id: location.searchParams.get("configurationId"),
      user_id: sandbox.ids.user_id,
      team_id: sandbox.credentials.team_id,
    });
  });

  test("from the marketplace carries no state; on a personal account there is no team", async () => {
    const location = locationOf(
      await click({ owner: sandbox.ids.user_id }, `source=marketplace&redirect_uri=${callback}`),
    );
    expect(location.searchParams.get("source")).toBe("marketplace");
    expect(location.searchParams.has("state")).toBe(false);
    expect(location.searchParams.has("teamId")).toBe(false);
    expect((await exchange(location.searchParams.get("code") ?? "")).body.team_id).toBeNull();
  });

  test("refused by the person leads nowhere; a foreign redirect is not followed", async () => {
    const canceled = await click({ decision: "cancel" });
    expect([canceled.status, canceled.headers.get("location")]).toEqual([200, null]);
    const foreign = await fetch(`${sandbox.credentials.oauth.install_url}?redirect_uri=https://evil.example/`);
    expect(foreign.status).toBe(400);
    expect((await click({ access: "selected" })).status).toBe(400);
  });

  test("a code is good once, for half an hour, with the right secret and redirect", async () => {
    const codeOf = async () => locationOf(await click()).searchParams.get("code") ?? "";
    const code = await codeOf();
    expect((await exchange(code, { client_secret: "wrong" })).status).toBe(401);
    expect((await exchange(code, { redirect_uri: "http://127.0.0.1:1/" })).body.error).toBe("invalid_grant");
    expect((await exchange(code)).status).toBe(200);
    expect((await exchange(code)).body.error).toBe("invalid_grant");
    const late = await codeOf();
    await sandbox.advance(1800);
    expect((await exchange(late)).status).toBe(400);
    const json = await fetch(`${sandbox.url}/v2/oauth/access_token`, { method: "POST", body: "{}" });
    expect(json.status).toBe(400);
    // "All responses carry x-ratelimit-limit, -remaining, -reset."
    for (const name of ["limit", "remaining", "reset"])
      expect(json.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  });
});

describe("an installed integration", () => {
  test("acts for its team, and only with the team's id", async () => {
    const { token } = await connect();
    expect((await sandbox.call("/v9/projects/web", { token })).status).toBe(200);
    expect((await sandbox.call("/v9/projects", { token, isUnscoped: true })).status).toBe(403);
    // The user scope is not among the grants: the vendor's answer, word by word.
    const user = await sandbox.call("/v2/user", { token, isUnscoped: true });
    const message = "You don't have permission to access this resource.";
    expect([user.status, user.body]).toEqual([403, { error: { code: "forbidden", message } }]);
  });

  test("has the permissions of its registration, and no others", async () => {
    const form = new URLSearchParams({ redirect_uri: callback });
    for (const scope of ["read-write:deployment", "read:project"]) form.append("scope", scope);
    await fetch(`${sandbox.url}/dashboard/integrations/console`, { method: "POST", body: form });
    const { token } = await connect({ owner: sandbox.ids.other_team_id });
    const query = `?teamId=${sandbox.ids.other_team_id}`;
    const statusOf = async (path: string, method = "GET", body = {}) =>
      (await sandbox.call(path + query, { token, isUnscoped: true, method, ...(method === "GET" ? {} : { body }) }))
        .status;
    expect(await statusOf("/v9/projects")).toBe(200);
    expect(await statusOf("/v10/projects", "POST", { name: "new" })).toBe(403);
    expect(await statusOf("/v5/domains")).toBe(403);
    expect(await statusOf(`/v2/teams/${sandbox.ids.other_team_id}`)).toBe(403);
    const all = new URLSearchParams({ redirect_uri: callback });
    for (const scope of registration().scopes) all.append("scope", scope);
    await fetch(`${sandbox.url}/dashboard/integrations/console`, { method: "POST", body: all });
  });

  // "One configuration per scope; a second authorization makes none; removing it ends every token of it."
  test("is one for each team: a second sign-in gets another token of it, and uninstalling ends both", async () => {
    const [first, second] = [await connect(), await connect()];
    expect(second.installation).toBe(first.installation);
    expect(second.token).not.toBe(first.token);
    for (const { token } of [first, second]) expect((await sandbox.call("/v9/projects", { token })).status).toBe(200);
    const hook = { url: "https://events.example/", events: ["deployment.created"] };
    await sandbox.limit({ installation_webhooks: 1 });
    const hooked = await sandbox.call("/v1/webhooks", { method: "POST", body: hook, token: first.token });
    expect(hooked.status).toBe(200);
    const path = `/v1/integrations/configuration/${first.installation}`;
    expect((await sandbox.call(path, { token: second.token, method: "DELETE" })).status).toBe(204);
    for (const { token } of [first, second]) {
      expect((await sandbox.call("/v9/projects", { token })).body.error.invalidToken).toBe(true);
    }
    // "The configuration and all of its resources will be removed. This includes Webhooks."
    expect((await sandbox.call("/v1/webhooks")).body).toEqual([]);
  });

  test("on chosen projects sees no others", async () => {
    const { token } = await connect({ access: "selected", project: [sandbox.ids.project_id] });
    const { projects } = (await sandbox.call("/v9/projects", { token })).body;
    expect(projects.map(({ name }: { name: string }) => name)).toEqual(["web"]);
    expect((await sandbox.call("/v9/projects/shop", { token })).status).toBe(404);
    const { deployments } = (await sandbox.call("/v6/deployments?limit=100", { token })).body;
    expect(deployments.every(({ name }: { name: string }) => name === "web")).toBe(true);
  });

  test("keeps its grant over a reset, and loses it when uninstalled", async () => {
    const { token, installation } = await connect();
    await sandbox.reset();
    const path = `/v1/integrations/configuration/${installation}`;
    expect((await sandbox.call(path, { token })).body).toMatchObject({ id: installation, projectSelection: "all" });
    expect((await sandbox.call("/v1/integrations/configurations?view=account")).text).toContain(installation);
    expect((await sandbox.call(path, { token, method: "DELETE" })).status).toBe(204);
    expect((await sandbox.call("/v9/projects", { token })).body.error.invalidToken).toBe(true);
  });

  test("can be disabled, enabled and uninstalled on a page", async () => {
    const { token, installation } = await connect();
    const press = (action: string) =>
      fetch(`${sandbox.url}/dashboard/integrations/${installation}`, {
        method: "POST",
        body: new URLSearchParams({ action }),
      });
    expect(await (await press("disable")).text()).toContain("disabled");
    const { status, body } = await sandbox.call("/v9/projects", { token });
    expect([status, body.error.code]).toEqual([403, "integration_configuration_disabled"]);
    await press("enable");
    expect((await sandbox.call("/v9/projects", { token })).status).toBe(200);
    await press("uninstall");
    expect((await sandbox.call("/v9/projects", { token })).status).toBe(403);
  });

  test("has a token that ends when the limits say so", async () => {
    await sandbox.limit({ token_life_seconds: 100 });
    const { token } = await connect();
    await sandbox.advance(99);
    expect((await sandbox.call("/v9/projects", { token })).status).toBe(200);
    await sandbox.advance(1);
    expect((await sandbox.call("/v9/projects", { token })).status).toBe(403);
  });

  // "The grant ends when the user uninstalls (webhook `integration-configuration.removed`)"
  test("is registered to hear of its end", () => {
    expect(registration().webhookEvents).toContain("integration-configuration.removed");
  });

  test("hears through its own webhook, signed with its client secret, also of its end", async () => {
    const receiver = await startReceiver();
    const form = new URLSearchParams({ redirect_uri: callback, webhook_url: receiver.url });
    form.append("event", "deployment.created");
    form.append("event", "integration-configuration.removed");
    await fetch(`${sandbox.url}/dashboard/integrations/console`, { method: "POST", body: form });
    const { token, installation } = await connect();
    const body = { name: "web", deploymentId: sandbox.ids.deployment_id };
    await sandbox.call("/v13/deployments", { method: "POST", body, token });
    await sandbox.call(`/v1/integrations/configuration/${installation}`, { method: "DELETE" });
    const [first, second] = await receiver.count(2);
    const secret = sandbox.credentials.oauth.client_secret;
    expect(first?.signature).toBe(
      createHmac("sha1", secret)
        .update(first?.raw ?? "")
        .digest("hex"),
    );
    expect(second?.event).toMatchObject({
      type: "integration-configuration.removed",
      payload: { configuration: { id: installation } },
    });
    await receiver.stop();
  });
});

describe("the vendor's own client", () => {
  const clientOf = (bearerToken: string) =>
    new Vercel({ bearerToken, serverURL: sandbox.url, retryConfig: { strategy: "none" } });
  const namesSeenBy = async (token: string) => {
    const { credentials } = sandbox;
    const page = (await clientOf(token).projects.getProjects({ teamId: credentials.team_id })) as unknown;
    return (page as { projects: { name: string }[] }).projects.map(({ name }) => name);
  };
  const forbidden = { statusCode: 403 };

  // "An integration token without the user scope is answered 403 there."
  test("is refused the user by an installation's token, and lists its projects", async () => {
    const { token } = await connect();
    await expect(clientOf(token).user.getAuthUser()).rejects.toMatchObject(forbidden);
    expect(await namesSeenBy(token)).not.toEqual([]);
  });

  // "Project-scoped tokens (user and team requests denied)", "installations with specific projects likewise".
  test("sees the chosen projects alone", async () => {
    const { project_token } = sandbox.credentials;
    const { project_id: idOrName } = sandbox.ids;
    await expect(clientOf(project_token).user.getAuthUser()).rejects.toMatchObject(forbidden);
    await expect(clientOf(project_token).teams.getTeams({})).rejects.toMatchObject(forbidden);
    const { team_id: teamId } = sandbox.credentials;
    expect(await clientOf(project_token).projects.getProjectDomains({ idOrName, teamId })).toBeDefined();
    const several = clientOf(sandbox.credentials.projects_token).deployments;
    await expect(several.getDeployments({ teamId })).rejects.toMatchObject(forbidden);
    const { deployments } = await several.getDeployments({ teamId, projectIds: [idOrName, "docs"], limit: 100 });
    expect([...new Set(deployments.map(({ name }) => name))].sort()).toEqual(["docs", "web"]);
    const { token } = await connect({ access: "selected", project: [idOrName] });
    expect(await namesSeenBy(token)).toEqual(["web"]);
  });

  // "Uninstalling it ends every token of that team."
  test("loses every token of a team with the installation", async () => {
    const [first, second] = [await connect(), await connect()];
    const { team_id: teamId } = sandbox.credentials;
    await clientOf(first.token).integrations.deleteConfiguration({ id: first.installation, teamId });
    for (const { token } of [first, second]) await expect(namesSeenBy(token)).rejects.toMatchObject(forbidden);
  });

  // "Account webhooks need a Pro or Enterprise plan and may be refused to integration tokens."
  test("is refused a webhook of a personal account, and one by an installation", async () => {
    const requestBody = { url: "https://events.example/", events: ["deployment.created" as const] };
    const wish = clientOf(sandbox.credentials.token).webhooks.createWebhook({ requestBody });
    await expect(wish).rejects.toMatchObject(forbidden);
    const { token } = await connect();
    const { team_id: teamId } = sandbox.credentials;
    const byInstallation = clientOf(token).webhooks.createWebhook({ teamId, requestBody });
    await expect(byInstallation).rejects.toMatchObject(forbidden);
    await sandbox.limit({ installation_webhooks: 1 });
    expect(await clientOf(token).webhooks.createWebhook({ teamId, requestBody })).toMatchObject({
      url: requestBody.url,
    });
  });
});
