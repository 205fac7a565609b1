import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { Call, Client, ClientWorld } from "./client.ts";
import { inOrder, type Step } from "./client.ts";

/** The newest release of the vendor's SDK. It reads enums, lists and objects strictly, and is lenient with the rest. */
export const vercelSdk: Client = {
  name: "vercel-sdk",
  title: "@vercel/sdk 1.28.35",
  packages: { "@vercel/sdk": "1.28.35" },
  from: "npm",
  sandbox: "deployment",
  leftOut: {},
  async *calls(world: ClientWorld): AsyncIterable<Call> {
    yield* inOrder(await callsOf(world));
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the package is not installed here, so its types are not known.
type Answer = any;

async function callsOf({ folder, served, credentials, ids }: ClientWorld): Promise<Step[]> {
  const entry = pathToFileURL(`${folder}/node_modules/@vercel/sdk/esm/index.js`).href;
  const { Vercel }: Answer = await import(entry);
  const v: Answer = new Vercel({ bearerToken: credentials.token, serverURL: served.url });
  const { team_id: teamId } = credentials;
  const { project_id: projectId, deployment_id: id } = ids;
  const content = "<h1>Hello</h1>";
  const xVercelDigest = createHash("sha1").update(content).digest("hex");
  const advance = () =>
    fetch(`${served.url}/_sandbox/clock`, { method: "POST", body: JSON.stringify({ advance_seconds: 120 }) });
  const kept: Record<string, Answer> = {};
  const keep = async (name: string, sent: Promise<Answer>) => {
    kept[name] = await sent;
  };
  const hook = { url: "https://events.example/", events: ["deployment.created"] };
  return [
    ["user.getAuthUser", () => v.user.getAuthUser()],
    ["user.listUserEvents", () => v.user.listUserEvents({ teamId, limit: 5 })],
    ["teams.getTeams", () => v.teams.getTeams({})],
    ["teams.getTeam", () => v.teams.getTeam({ teamId })],
    ["teams.getTeamMembers", () => v.teams.getTeamMembers({ teamId })],
    ["deployments.getDeployments", () => v.deployments.getDeployments({ teamId, limit: 20 })],
    ["deployments.getDeployments of projects", () => v.deployments.getDeployments({ teamId, projectIds: [projectId] })],
    ["deployments.getDeployments by state", () => v.deployments.getDeployments({ teamId, state: "READY,ERROR" })],
    ["deployments.getDeployment", () => v.deployments.getDeployment({ idOrUrl: id, teamId })],
    ["deployments.getDeploymentEvents", () => v.deployments.getDeploymentEvents({ idOrUrl: id, teamId })],
    ["deployments.listDeploymentFiles", () => v.deployments.listDeploymentFiles({ id, teamId })],
    [
      "deployments.uploadFile",
      () =>
        v.deployments.uploadFile({
          teamId,
          xVercelDigest,
          contentLength: content.length,
          requestBody: new Blob([content]),
        }),
    ],
    [
      "deployments.createDeployment of files",
      () =>
        keep(
          "files",
          v.deployments.createDeployment({
            teamId,
            skipAutoDetectionConfirmation: "1",
            requestBody: { name: "landing", files: [{ file: "index.html", sha: xVercelDigest, size: content.length }] },
          }),
        ),
    ],
    [
      "deployments.createDeployment again",
      () =>
        keep(
          "again",
          v.deployments.createDeployment({
            teamId,
            forceNew: "1",
            requestBody: { name: "web", deploymentId: id, target: "production" },
          }),
        ),
    ],
    ["deployments.cancelDeployment", () => v.deployments.cancelDeployment({ id: kept.again.id, teamId })],
    ["deployments.deleteDeployment", () => v.deployments.deleteDeployment({ id: kept.again.id, teamId })],
    [
      "aliases.assignAlias",
      () => keep("alias", v.aliases.assignAlias({ id, teamId, requestBody: { alias: "sdk.vercel.app" } })),
    ],
    ["aliases.listAliases", () => v.aliases.listAliases({ teamId })],
    ["aliases.getAlias", () => v.aliases.getAlias({ idOrAlias: "sdk.vercel.app", teamId })],
    ["aliases.listDeploymentAliases", () => v.aliases.listDeploymentAliases({ id, teamId })],
    ["aliases.deleteAlias", () => v.aliases.deleteAlias({ aliasId: kept.alias.uid, teamId })],
    ["projects.getProjects", () => v.projects.getProjects({ teamId })],
    ["projects.getProjects by name", () => v.projects.getProjects({ teamId, search: "web" })],
    [
      "projects.createProject",
      () => v.projects.createProject({ teamId, requestBody: { name: "from-sdk", framework: "nextjs" } }),
    ],
    [
      "projects.updateProject",
      () => v.projects.updateProject({ idOrName: "from-sdk", teamId, requestBody: { buildCommand: "make" } }),
    ],
    ["projects.getProjectDomains", () => v.projects.getProjectDomains({ idOrName: "web", teamId })],
    [
      "projects.addProjectDomain",
      () => v.projects.addProjectDomain({ idOrName: "from-sdk", teamId, requestBody: { name: "www.sdk.example" } }),
    ],
    [
      "projects.getProjectDomain",
      () => v.projects.getProjectDomain({ idOrName: "from-sdk", domain: "www.sdk.example", teamId }),
    ],
    [
      "projects.updateProjectDomain",
      () =>
        v.projects.updateProjectDomain({
          idOrName: "from-sdk",
          domain: "www.sdk.example",
          teamId,
          requestBody: { gitBranch: null },
        }),
    ],
    [
      "projects.verifyProjectDomain",
      async () => {
        await advance();
        await v.projects.verifyProjectDomain({ idOrName: "from-sdk", domain: "www.sdk.example", teamId });
      },
    ],
    [
      "projects.removeProjectDomain",
      () => v.projects.removeProjectDomain({ idOrName: "from-sdk", domain: "www.sdk.example", teamId }),
    ],
    ["projects.filterProjectEnvs", () => v.projects.filterProjectEnvs({ idOrName: "web", teamId })],
    [
      "projects.createProjectEnv",
      () =>
        keep(
          "env",
          v.projects.createProjectEnv({
            idOrName: "from-sdk",
            teamId,
            requestBody: { key: "GREETING", value: "hi", type: "plain", target: ["preview"] },
          }),
        ),
    ],
    [
      "projects.getProjectEnv",
      () => v.projects.getProjectEnv({ idOrName: "from-sdk", id: kept.env.created.id, teamId }),
    ],
    [
      "projects.editProjectEnv",
      () =>
        v.projects.editProjectEnv({
          idOrName: "from-sdk",
          id: kept.env.created.id,
          teamId,
          requestBody: { value: "ho" },
        }),
    ],
    [
      "projects.removeProjectEnv",
      () => v.projects.removeProjectEnv({ idOrName: "from-sdk", id: kept.env.created.id, teamId }),
    ],
    [
      "projects.requestPromote",
      async () => {
        const { deployments } = await v.deployments.getDeployments({
          teamId,
          projectId,
          target: "production",
          state: "READY",
        });
        await v.projects.requestPromote({ projectId, deploymentId: deployments.at(-1).uid, teamId });
      },
    ],
    ["projects.listPromoteAliases", () => v.projects.listPromoteAliases({ projectId, teamId })],
    ["projectMembers.getProjectMembers", () => v.projectMembers.getProjectMembers({ idOrName: "web", teamId })],
    ["projects.deleteProject", () => v.projects.deleteProject({ idOrName: "from-sdk", teamId })],
    ["domains.getDomains", () => v.domains.getDomains({ teamId })],
    ["domains.getDomain", () => v.domains.getDomain({ domain: "acme.example", teamId })],
    ["domains.getDomainConfig", () => v.domains.getDomainConfig({ domain: "acme.example", teamId })],
    [
      "domains.createOrTransferDomain",
      () => v.domains.createOrTransferDomain({ teamId, requestBody: { name: "sdk.example", method: "add" } }),
    ],
    [
      "dns.createRecord",
      () =>
        keep(
          "record",
          v.dns.createRecord({
            domain: "sdk.example",
            teamId,
            requestBody: { type: "A", name: "www", value: "192.0.2.1", ttl: 60 },
          }),
        ),
    ],
    ["dns.getRecords", () => v.dns.getRecords({ domain: "sdk.example", teamId })],
    [
      "dns.updateRecord",
      () => v.dns.updateRecord({ recordId: kept.record.uid, teamId, requestBody: { value: "192.0.2.2" } }),
    ],
    ["dns.removeRecord", () => v.dns.removeRecord({ domain: "sdk.example", recordId: kept.record.uid, teamId })],
    ["certs.issueCert", () => keep("cert", v.certs.issueCert({ teamId, requestBody: { cns: ["sdk.example"] } }))],
    ["certs.getCertById", () => v.certs.getCertById({ id: kept.cert.id, teamId })],
    ["certs.removeCert", () => v.certs.removeCert({ id: kept.cert.id, teamId })],
    ["domains.deleteDomain", () => v.domains.deleteDomain({ domain: "sdk.example", teamId })],
    ["authentication.listAuthTokens", () => v.authentication.listAuthTokens()],
    [
      "authentication.createAuthToken",
      () => keep("token", v.authentication.createAuthToken({ requestBody: { name: "from-sdk" } })),
    ],
    ["authentication.getAuthToken", () => v.authentication.getAuthToken({ tokenId: kept.token.token.id })],
    ["authentication.deleteAuthToken", () => v.authentication.deleteAuthToken({ tokenId: kept.token.token.id })],
    ["webhooks.createWebhook", () => keep("hook", v.webhooks.createWebhook({ teamId, requestBody: hook }))],
    ["webhooks.getWebhooks", () => v.webhooks.getWebhooks({ teamId })],
    ["webhooks.getWebhook", () => v.webhooks.getWebhook({ id: kept.hook.id, teamId })],
    ["webhooks.deleteWebhook", () => v.webhooks.deleteWebhook({ id: kept.hook.id, teamId })],
    ["integrations.getConfigurations", () => v.integrations.getConfigurations({ teamId, view: "account" })],
    [
      "environment.getProjectsByIdOrNameCustomEnvironments",
      () => v.environment.getProjectsByIdOrNameCustomEnvironments({ idOrName: "web", teamId }),
    ],
  ];
}
