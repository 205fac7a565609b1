import { Vercel as Vercel13 } from "vercel-sdk-1.3";
import { HTTPClient as HttpClient13 } from "vercel-sdk-1.3/lib/http.js";
import { Vercel as Vercel118 } from "vercel-sdk-1.18";
import { HTTPClient as HttpClient118 } from "vercel-sdk-1.18/lib/http.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkedFetch, type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

/** What both releases of the vendor's own client do alike. Their types differ where these tests do not look. */
const releases = {
  "1.3.1": (options: object) =>
    new Vercel13({ ...options, httpClient: new HttpClient13({ fetcher: checkedFetch }) }) as unknown as Vercel118,
  "1.18.5": (options: object) =>
    new Vercel118({ ...options, httpClient: new HttpClient118({ fetcher: checkedFetch }) }),
};

describe.each(Object.entries(releases))("@vercel/sdk %s", (_, clientWith) => {
  let sandbox: StartedSandbox;
  let vercel: Vercel118;
  let teamId: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    teamId = sandbox.credentials.team_id;
    vercel = clientWith({ bearerToken: sandbox.credentials.token, serverURL: sandbox.url });
  });
  afterAll(() => sandbox.stop());

  test("lists deployments page by page, none twice and none lost", async () => {
    const seen: string[] = [];
    let until: number | undefined;
    for (;;) {
      const page = await vercel.deployments.getDeployments({ teamId, limit: 100, ...(until && { until }) });
      seen.push(...page.deployments.map(({ uid }) => uid));
      if (page.pagination.next === null) break;
      until = page.pagination.next;
    }
    expect(seen.length).toBeGreaterThan(200);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("deploys a branch of a linked project, cancels it, redeploys an earlier one, deletes it", async () => {
    const project = await vercel.projects.getProjects({ teamId, search: "web" });
    const linked = "projects" in project ? project.projects[0] : undefined;
    const repoId = (linked?.link as { repoId?: number } | undefined)?.repoId ?? 0;
    const created = await vercel.deployments.createDeployment({
      teamId,
      requestBody: { name: "web", project: sandbox.ids.project_id, gitSource: { type: "github", repoId, ref: "main" } },
    });
    const canceled = await vercel.deployments.cancelDeployment({ id: created.id, teamId });
    expect(canceled.readyState).toBe("CANCELED");
    const again = await vercel.deployments.createDeployment({
      teamId,
      forceNew: "1",
      requestBody: { name: "web", deploymentId: sandbox.ids.deployment_id, target: "production" },
    });
    expect(again.source).toBe("redeploy");
    expect(again.meta.githubCommitRef).toBeDefined();
    const gone = await vercel.deployments.deleteDeployment({ id: again.id, teamId });
    expect(gone).toEqual({ uid: again.id, state: "DELETED" });
  });

  test("creates, lists, changes and deletes a project", async () => {
    const created = await vercel.projects.createProject({
      teamId,
      requestBody: {
        name: "sdk-project",
        framework: "nextjs",
        gitRepository: { type: "github", repo: "acme/sdk-project" },
        environmentVariables: [{ key: "GREETING", target: "production", type: "plain", value: "hi" }],
      },
    });
    expect(created.link).toMatchObject({ org: "acme", repo: "sdk-project", productionBranch: "main" });
    const page = await vercel.projects.getProjects({ teamId, search: "sdk-pro" });
    expect("projects" in page && page.projects.map(({ name }) => name)).toEqual(["sdk-project"]);
    const updated = await vercel.projects.updateProject({
      idOrName: "sdk-project",
      teamId,
      requestBody: { buildCommand: "make", nodeVersion: "20.x" },
    });
    expect(updated).toMatchObject({ buildCommand: "make", nodeVersion: "20.x" });
    await vercel.projects.deleteProject({ idOrName: created.id, teamId });
    const after = await vercel.projects.getProjects({ teamId, search: "sdk-pro" });
    expect("projects" in after && after.projects).toEqual([]);
  });

  test("reads domains, and adds one to a project, verifies and removes it", async () => {
    const { domains } = await vercel.domains.getDomains({ teamId, limit: 100 });
    expect(domains.map(({ name }) => name)).toContain("acme.example");
    const { domain } = await vercel.domains.getDomain({ domain: "acme.example", teamId });
    expect(domain.verified).toBe(true);
    const added = await vercel.projects.addProjectDomain({
      idOrName: "landing",
      teamId,
      requestBody: { name: "www.elsewhere.example" },
    });
    expect(added.verified).toBe(false);
    await sandbox.advance(61);
    const checked = await vercel.projects.verifyProjectDomain({
      idOrName: "landing",
      domain: "www.elsewhere.example",
      teamId,
    });
    expect(checked.verified).toBe(true);
    const list = await vercel.projects.getProjectDomains({ idOrName: "landing", teamId });
    expect(list.domains.map(({ name }) => name)).toEqual(["www.elsewhere.example"]);
    await vercel.projects.removeProjectDomain({ idOrName: "landing", domain: "www.elsewhere.example", teamId });
  });

  test("registers, lists, reads and deletes a webhook", async () => {
    const created = await vercel.webhooks.createWebhook({
      teamId,
      requestBody: { url: "http://127.0.0.1:9/hook", events: ["deployment.created"] },
    });
    expect(created.secret).toHaveLength(40);
    const list = await vercel.webhooks.getWebhooks({ teamId });
    expect(list).toHaveLength(1);
    expect(await vercel.webhooks.getWebhook({ id: created.id, teamId })).not.toHaveProperty("secret");
    await vercel.webhooks.deleteWebhook({ id: created.id, teamId });
  });
});
