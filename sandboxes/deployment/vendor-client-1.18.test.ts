import { createHash } from "node:crypto";
import { Vercel } from "vercel-sdk-1.18";
import { HTTPClient } from "vercel-sdk-1.18/lib/http.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkedFetch, type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

/** The vendor's own client, the last release that refuses every answer not exactly of its schema. */
describe("@vercel/sdk 1.18.5", () => {
  let sandbox: StartedSandbox;
  let vercel: Vercel;
  /** Without our own lists of fields: the client's schema is the judge. */
  let plain: Vercel;
  let teamId: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    teamId = sandbox.credentials.team_id;
    vercel = new Vercel({
      bearerToken: sandbox.credentials.token,
      serverURL: sandbox.url,
      httpClient: new HTTPClient({ fetcher: checkedFetch }),
    });
    plain = new Vercel({ bearerToken: sandbox.credentials.token, serverURL: sandbox.url });
  });
  afterAll(() => sandbox.stop());

  test("uploads a file, deploys it, follows it to READY and reads its log", async () => {
    const content = "<h1>Hello</h1>";
    const sha = createHash("sha1").update(content).digest("hex");
    await vercel.deployments.uploadFile({
      teamId,
      contentLength: content.length,
      xNowDigest: sha,
      xNowSize: content.length,
      requestBody: new TextEncoder().encode(content),
    } as Parameters<typeof vercel.deployments.uploadFile>[0]);
    const created = await vercel.deployments.createDeployment({
      teamId,
      forceNew: "1",
      requestBody: {
        name: "hello-files",
        target: "production",
        meta: { requestedBy: "agent" },
        files: [{ file: "index.html", sha, size: content.length }],
        projectSettings: { framework: null },
      },
    });
    expect(created.readyState).toBe("QUEUED");
    const states: string[] = [];
    for (const seconds of [2, 1, 5, 1]) {
      await sandbox.advance(seconds);
      const now = await vercel.deployments.getDeployment({ idOrUrl: created.id, teamId });
      states.push(`${now.readyState} ${now.aliasAssigned}`);
    }
    expect(states).toEqual(["INITIALIZING false", "BUILDING false", "READY false", "READY true"]);
    const events = await vercel.deployments.getDeploymentEvents({ idOrUrl: created.id, teamId });
    expect(JSON.stringify(events)).toContain("Deployment completed");
    const found = await vercel.deployments.getDeployments({ teamId, app: "hello-files", target: "production" });
    expect(found.deployments.map(({ uid }) => uid)).toEqual([created.id]);
  });

  test("follows the opaque mark of the project list to its end", async () => {
    const names: string[] = [];
    let from: string | undefined;
    for (;;) {
      const page = await vercel.projects.getProjects({ teamId, limit: "10", ...(from && { from }) });
      if (!("projects" in page)) throw new Error("A bare array.");
      names.push(...page.projects.map(({ name }) => name));
      if (page.pagination.next === null) break;
      from = String(page.pagination.next);
    }
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(20);
  });

  test("creates, lists, reads, edits and removes variables", async () => {
    const { created, failed } = await vercel.projects.createProjectEnv({
      idOrName: "landing",
      teamId,
      requestBody: { key: "SECRET", value: "s3cret", type: "encrypted", target: ["production"] },
    });
    expect(failed).toEqual([]);
    const id = Array.isArray(created) ? "" : (created.id ?? "");
    const listed = await vercel.projects.filterProjectEnvs({ idOrName: "landing", teamId });
    expect(JSON.stringify(listed)).not.toContain("s3cret");
    const read = await vercel.projects.getProjectEnv({ idOrName: "landing", id, teamId });
    expect(read).toMatchObject({ key: "SECRET", decrypted: true });
    const edited = await vercel.projects.editProjectEnv({
      idOrName: "landing",
      id,
      teamId,
      requestBody: { value: "b" },
    });
    expect(edited).toMatchObject({ key: "SECRET" });
    await vercel.projects.removeProjectEnv({ idOrName: "landing", id, teamId });
  });

  test("reads teams and the current user", async () => {
    const { teams } = await vercel.teams.getTeams({});
    expect(teams.map(({ slug }) => slug)).toEqual(["acme-labs", "acme"]);
    expect(await vercel.teams.getTeam({ teamId })).toMatchObject({ slug: "acme" });
    expect((await vercel.user.getAuthUser()).user.username).toBe("ann-archer");
  });

  test("is told of a refusal in the vendor's own words", async () => {
    const { statusCode, body } = await vercel.deployments
      .getDeployment({ idOrUrl: "dpl_nothing", teamId })
      .then(() => ({ statusCode: 200, body: "" }))
      .catch((error: { statusCode: number; body: string }) => error);
    expect(statusCode).toBe(404);
    expect(JSON.parse(body)).toEqual({ error: { code: "not_found", message: "Deployment not found." } });
  });

  // A list is no way to learn whether a project exists.
  test("an unknown project has no deployments, and is not found by itself", async () => {
    const { deployments } = await plain.deployments.getDeployments({ teamId, projectId: "no-such-project" });
    expect(deployments).toEqual([]);
    const asked = plain.projects.getProjectDomains({ idOrName: "no-such-project", teamId });
    await expect(asked).rejects.toMatchObject({ statusCode: 404 });
  });

  test("a failed build tells its error, and its log ends with the reason", async () => {
    const { failed_deployment_id: idOrUrl } = sandbox.ids;
    const failed = await plain.deployments.getDeployment({ idOrUrl, teamId });
    expect(failed).toMatchObject({ readyState: "ERROR", errorCode: expect.any(String) });
    const asked = { idOrUrl, teamId, direction: "backward", limit: 3, builds: 1 } as const;
    const events = (await plain.deployments.getDeploymentEvents(asked)) as unknown as { text?: string }[];
    expect(events.map(({ text }) => text)).toContain(`Error: ${failed.errorMessage}`);
  });

  test("is told when a limit is used up, and when it starts anew", async () => {
    await sandbox.limit({ deployments_list_per_minute: 1 });
    const hasty = new Vercel({
      bearerToken: sandbox.credentials.developer_token,
      serverURL: sandbox.url,
      retryConfig: { strategy: "none" },
    });
    await hasty.deployments.getDeployments({ teamId, limit: 1 });
    const refused = await hasty.deployments.getDeployments({ teamId, limit: 1 }).catch((error) => error);
    expect(refused).toMatchObject({ statusCode: 429 });
    const { headers } = refused.rawResponse as Response;
    expect([headers.get("x-ratelimit-remaining"), Number(headers.get("retry-after"))]).toEqual([
      "0",
      expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 60),
    ]);
    await sandbox.limit({ deployments_list_per_minute: 500 });
  });

  test("aliases: sets, lists, reads and removes one; promotes and rolls back", async () => {
    const { deployment_id: id, project_id: projectId } = sandbox.ids;
    const made = await plain.aliases.assignAlias({ id, teamId, requestBody: { alias: "judge.vercel.app" } });
    expect(made.alias).toBe("judge.vercel.app");
    const { aliases } = await plain.aliases.listAliases({ teamId, limit: 100 });
    expect(aliases.map(({ alias }) => alias)).toContain("judge.vercel.app");
    // This release expects a list here, newer ones a record.
    expect((await sandbox.call(`/v4/aliases/${made.uid}`)).body.deploymentId).toBe(id);
    expect((await plain.aliases.deleteAlias({ aliasId: made.uid, teamId })).status).toBe("SUCCESS");
    const [older] = (
      await plain.deployments.getDeployments({ teamId, projectId, target: "production", state: "READY", limit: 20 })
    ).deployments.slice(-1);
    await plain.projects.requestPromote({ projectId, deploymentId: older?.uid ?? "", teamId });
    const { targets } = (await sandbox.call(`/v9/projects/${projectId}`)).body;
    expect(targets.production.id).toBe(older?.uid);
    // As the vendor's command line rolls back, and then asks how it went.
    const back = (to: string) => sandbox.call(`/v9/projects/${projectId}/rollback/${to}`, { method: "POST" });
    expect((await back(id)).status).toBe(201);
    const after = (await sandbox.call(`/v9/projects/${projectId}`)).body;
    expect(after.targets.production.id).toBe(id);
    expect(after.lastAliasRequest).toMatchObject({
      type: "rollback",
      fromDeploymentId: older?.uid,
      toDeploymentId: id,
      jobStatus: "succeeded",
    });
    const { deployments } = await plain.deployments.getDeployments({ teamId, projectId, target: "preview", limit: 1 });
    expect((await back(deployments[0]?.uid ?? "")).status).toBe(400);
  });

  // "`visibility` of `env add`": the command line sends it with every variable.
  test("variables: takes the visibility that the command line sends, and refuses other unknown members", async () => {
    const variable = { key: "SHOWN", value: "on", type: "encrypted", target: ["preview"], visibility: "readable" };
    const create = (more = {}) =>
      sandbox.call("/v10/projects/web/env", { method: "POST", body: { ...variable, ...more } });
    expect((await create({ visible: true })).status).toBe(400);
    const { status, body } = await create();
    expect([status, body.created.key, body.failed]).toEqual([201, "SHOWN", []]);
    const path = `/v9/projects/web/env/${body.created.id}`;
    const changed = await sandbox.call(path, { method: "PATCH", body: { value: "off", visibility: "readable" } });
    expect([changed.status, changed.body.key]).toEqual([200, "SHOWN"]);
  });

  test("domains: adds one, its records, a certificate, and removes them", async () => {
    const name = "judge.example";
    await plain.domains.createOrTransferDomain({ teamId, requestBody: { name, method: "add" } });
    expect((await plain.domains.getDomainConfig({ domain: name, teamId })).misconfigured).toBe(false);
    const requestBody = { type: "A", name: "www", value: "192.0.2.1", ttl: 60 } as const;
    const made = (await plain.dns.createRecord({ domain: name, teamId, requestBody })) as { uid: string };
    expect(await plain.dns.getRecords({ domain: name, teamId })).toMatchObject({ records: [{ value: "192.0.2.1" }] });
    await plain.dns.updateRecord({ recordId: made.uid, teamId, requestBody: { value: "192.0.2.2" } });
    await plain.dns.removeRecord({ domain: name, recordId: made.uid, teamId });
    const { id } = await plain.certs.issueCert({ teamId, requestBody: { cns: [name] } });
    expect((await plain.certs.getCertById({ id, teamId })).cns).toEqual([name]);
    await plain.certs.removeCert({ id, teamId });
    await plain.domains.deleteDomain({ domain: name, teamId });
  });

  test("a person's tokens, and what a project asks for beside its settings", async () => {
    const made = await plain.authentication.createAuthToken({ requestBody: { name: "judge" } });
    expect((await plain.authentication.listAuthTokens()).tokens.map(({ name }) => name)).toContain("judge");
    await plain.authentication.deleteAuthToken({ tokenId: made.token.id });
    const { members } = (await plain.projectMembers.getProjectMembers({ idOrName: "web", teamId })) as {
      members: object[];
    };
    expect(members.length).toBeGreaterThan(1);
    const pulled = await sandbox.call("/v3/env/pull/web/production");
    expect(pulled.body.env).toMatchObject({ API_URL: "https://api.acme.example", VERCEL_ENV: "production" });
    const { envs } = (await sandbox.call("/v10/projects/shop/env")).body;
    const ids = envs.slice(0, 2).map(({ id }: { id: string }) => id);
    const removed = await sandbox.call("/v1/projects/shop/env", { method: "DELETE", body: { ids } });
    expect(removed.body).toMatchObject({ deleted: 2 });
    const path = "/v9/projects/web/domains/www.acme.example";
    const changed = await sandbox.call(path, { method: "PATCH", body: { gitBranch: "next" } });
    expect(changed.body.gitBranch).toBe("next");
    expect(
      (
        await sandbox.call("/v9/projects/landing/link", {
          method: "POST",
          body: { type: "github", repo: "acme/landing" },
        })
      ).body.link,
    ).toMatchObject({ org: "acme", repo: "landing" });
  });

  // "Bodies are open where the vendor's are: `source`, `version`, `env`, `build` of every CLI deployment."
  test("a deployment of the command line: its body is taken, its files are kept, and nothing is cloned", async () => {
    const file = { file: "a/index.html", data: "<h1>x</h1>", mode: 33_188 };
    const body = { name: "web", version: 2, source: "cli", env: {}, build: { env: {} }, meta: {}, files: [file] };
    const { id } = (await sandbox.call("/v13/deployments", { method: "POST", body })).body;
    const [tree] = (await sandbox.call(`/v6/deployments/${id}/files`)).body;
    const [folder] = tree.children;
    expect([folder.name, folder.children[0].name]).toEqual(["a", "index.html"]);
    const content = await sandbox.call(`/v8/deployments/${id}/files/${folder.children[0].uid}`);
    expect(Buffer.from(content.body.data, "base64").toString()).toBe("<h1>x</h1>");
    await sandbox.advance(600);
    expect((await sandbox.call(`/v3/deployments/${id}/events?limit=-1`)).text).not.toContain("Cloning");
    expect((await sandbox.call("/v3/events?limit=5")).body.events[0].type).toMatch(/^deployment\./);
  });
});
