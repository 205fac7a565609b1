import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import { call, deployment, inRow, made } from "../write-case.ts";

const aDeployment = async (platform: Platform): Promise<string> =>
  (await made(platform, "create_deployment", { project: "web" })).deployment_id;
const aProject = async (platform: Platform, name: string): Promise<string> =>
  (await made(platform, "deployment_api_call", { method: "POST", path: "/v10/projects", body: { name } })).body.id;
const webhook = { url: "https://hooks.example.com", events: ["deployment.created"] };
const aWebhook = async (platform: Platform): Promise<string> =>
  (await made(platform, "deployment_api_call", { method: "POST", path: "/v1/webhooks", body: webhook })).body.id;
const aRecord = { name: "lost", type: "A", value: "192.0.2.1" };
const aDnsRecord = async (platform: Platform): Promise<string> => {
  const path = `/v2/domains/${platform.sandboxes.deployment.ids.domain}/records`;
  return (await made(platform, "deployment_api_call", { method: "POST", path, body: aRecord })).body.uid;
};
const aCertificate = async (platform: Platform): Promise<string> => {
  const body = { cns: [platform.sandboxes.deployment.ids.domain] };
  return (await made(platform, "deployment_api_call", { method: "POST", path: "/v8/certs", body })).body.id;
};
const variable = (key: string, type = "plain") => ({ key, value: "1", type, target: ["preview"] });
const env = "/v10/projects/web/env";
const domain = "lost.acme.example";

/** Its TXT record is there by now. */
async function anUnverifiedDomain(platform: Platform): Promise<string> {
  const input = { method: "POST", path: "/v10/projects/web/domains", body: { name: "elsewhere.example" } };
  const { name, verified } = (await made(platform, "deployment_api_call", input)).body;
  expect(verified).toBe(false);
  await platform.sandboxes.deployment.control("clock", { advance_seconds: 3600 });
  return name;
}

export const deploymentWrites = [
  inRow("`create_deployment`", {
    step: "create_deployment",
    input: () => ({ project: "web" }),
    ends: [1, "found"],
    output: { deployment_id: expect.any(String) },
  }),
  inRow(
    "`cancel_deployment`, cancel by path",
    {
      step: "cancel_deployment",
      input: async (platform) => ({ deployment_id: await aDeployment(platform) }),
      ends: [1, "found"],
      output: { state: "CANCELED" },
    },
    deployment(
      async (_, platform) => call("PATCH", `/v12/deployments/${await aDeployment(platform)}/cancel`),
      [1, "found"],
      { status: 200, body: { readyState: "CANCELED" } },
    ),
  ),
  inRow(
    "`POST /v13/deployments` by path",
    deployment(() => call("POST", "/v13/deployments", { name: "web", project: "web", files: [] }), [1, "asked"]),
  ),
  inRow(
    "Create a project, domain, variable, webhook or DNS record, order a certificate",
    deployment(() => call("POST", "/v10/projects", { name: "lost-one" }), [1, "asked"]),
    deployment(() => call("POST", "/v10/projects/web/domains", { name: domain }), [1, "asked"]),
    deployment(() => call("POST", env, variable("LOST")), [1, "asked"]),
    deployment(() => call("POST", "/v1/webhooks", webhook), [1, "asked"]),
    deployment(({ domain: own }) => call("POST", `/v2/domains/${own}/records`, aRecord), [1, "asked"]),
    deployment(({ domain: own }) => call("POST", "/v8/certs", { cns: [own] }), [1, "asked"]),
    deployment(({ domain: own }) => call("PATCH", "/v3/certs", { op: "finalizeOrder", domains: [own] }), [1, "asked"]),
  ),
  inRow(
    "Promote or roll back a deployment, pause a project",
    deployment(
      async (_, platform) => call("POST", `/v10/projects/web/promote/${await aDeployment(platform)}`),
      [1, "asked"],
    ),
  ),
  inRow(
    "Change a project",
    deployment(
      async (_, platform) =>
        call("PATCH", `/v9/projects/${await aProject(platform, "changed")}`, { framework: "nextjs" }),
      [1, "found"],
      { status: 200, body: { name: "changed", framework: "nextjs" } },
    ),
  ),
  inRow(
    "Change the domain of a project",
    deployment(() => call("PATCH", `/v9/projects/web/domains/${domain}`, { gitBranch: "develop" }), [1, "found"], {
      status: 200,
      body: { name: domain, gitBranch: "develop" },
    }),
  ),
  inRow(
    "Verify a domain",
    deployment(
      async (_, platform) => call("POST", `/v9/projects/web/domains/${await anUnverifiedDomain(platform)}/verify`),
      [1, "found"],
      { status: 200, body: { name: "elsewhere.example", verified: true } },
    ),
  ),
  inRow(
    "Variable with `upsert=true`, change a variable: its value can be read",
    deployment(() => call("POST", env, variable("KEPT"), { upsert: true }), [1, "found"], {
      status: 201,
      body: { created: { key: "KEPT", id: expect.any(String) }, failed: [] },
    }),
    deployment(() => call("POST", env, [{ ...variable("KEPT"), value: "2" }], { upsert: true }), [1, "found"], {
      status: 201,
      body: { created: [{ key: "KEPT" }], failed: [] },
    }),
    deployment(({ env_id }) => call("PATCH", `/v9/projects/web/env/${env_id}`, { comment: "New" }), [1, "found"], {
      status: 200,
      body: { comment: "New" },
    }),
  ),
  inRow(
    "Variable with `upsert=true`, change a variable: its value is encrypted",
    deployment(() => call("POST", env, variable("SEALED", "encrypted"), { upsert: true }), [1, "found"], {
      status: 201,
      body: { created: { key: "SEALED", type: "encrypted" }, failed: [] },
    }),
    // Another run has just written it: the change may be that one's.
    deployment(() => call("POST", env, variable("SEALED", "encrypted"), { upsert: true }), [2, "repeated"]),
    deployment(({ env_id }) => call("PATCH", `/v9/projects/web/env/${env_id}`, { value: "2" }), [1, "found"], {
      status: 200,
      body: { type: "encrypted" },
    }),
  ),
  inRow(
    "Change a DNS record",
    deployment(
      async (_, platform) => call("PATCH", `/v1/domains/records/${await aDnsRecord(platform)}`, { ttl: 120 }),
      [1, "found"],
      { status: 200, body: { ttl: 120 } },
    ),
  ),
  inRow(
    "Delete a deployment, project, variable, webhook, DNS record or certificate by its id",
    deployment(async (_, platform) => call("DELETE", `/v13/deployments/${await aDeployment(platform)}`), [1, "found"], {
      status: 200,
      body: { uid: expect.stringMatching(/^dpl_/), state: "DELETED" },
    }),
    deployment(
      async (_, platform) => call("DELETE", `/v9/projects/${await aProject(platform, "deleted")}`),
      [1, "found"],
      { status: 204 },
    ),
    deployment(async (_, platform) => call("DELETE", `/v1/webhooks/${await aWebhook(platform)}`), [1, "found"], {
      status: 204,
    }),
    deployment(({ env_id }) => call("DELETE", `/v9/projects/web/env/${env_id}`), [1, "found"], {
      status: 200,
      body: { id: expect.any(String) },
    }),
    deployment(
      async ({ domain: own }, platform) => call("DELETE", `/v2/domains/${own}/records/${await aDnsRecord(platform)}`),
      [1, "found"],
      { status: 200, body: {} },
    ),
    deployment(async (_, platform) => call("DELETE", `/v8/certs/${await aCertificate(platform)}`), [1, "found"], {
      status: 200,
      body: {},
    }),
  ),
  inRow(
    "Delete a project, a domain or an alias by its name",
    deployment(
      async (_, platform) => {
        await aProject(platform, "by-name");
        return call("DELETE", "/v9/projects/by-name");
      },
      [1, "found"],
      { status: 204 },
    ),
    deployment(() => call("DELETE", `/v9/projects/web/domains/${domain}`), [1, "found"], { status: 200, body: {} }),
    deployment(
      async (_, platform) => {
        await made(platform, "deployment_api_call", {
          method: "POST",
          path: "/v7/domains",
          body: { name: "own.example" },
        });
        return call("DELETE", "/v6/domains/own.example");
      },
      [1, "found"],
      { status: 200 },
    ),
  ),
  inRow(
    "All other writes by `PUT`, `PATCH` or `DELETE`",
    deployment(({ domain: own }) => call("PATCH", `/v3/domains/${own}`, { op: "update", renew: true }), [1, "asked"]),
  ),
].flat();
