import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import { again, asked, call, deployment, didNot, found, inRow, made, refused, repeated } from "../write-case.ts";

const aDeployment = async (platform: Platform): Promise<string> =>
  (await made(platform, "create_deployment", { project: "web" })).deployment_id;
const make = async (platform: Platform, path: string, body: object) =>
  (await made(platform, "deployment_api_call", { method: "POST", path, body })).body;
const aProject = async (platform: Platform, name: string): Promise<string> =>
  (await make(platform, "/v10/projects", { name })).id;
const page = { file: "index.html", data: "Hello", encoding: "utf-8" };
const webhook = { url: "https://hooks.example.com", events: ["deployment.created"] };
const aWebhook = async (platform: Platform): Promise<string> => (await make(platform, "/v1/webhooks", webhook)).id;
const dnsRecord = { name: "lost", type: "A", value: "192.0.2.1" };
const aDnsRecord = async (platform: Platform): Promise<string> =>
  (await make(platform, `/v2/domains/${platform.sandboxes.deployment.ids.domain}/records`, dnsRecord)).uid;
const aCertificate = async (platform: Platform): Promise<string> =>
  (await make(platform, "/v8/certs", { cns: [platform.sandboxes.deployment.ids.domain] })).id;
const variable = (key: string, type = "plain") => ({ key, value: "1", type, target: ["preview"] });
const env = "/v10/projects/web/env";
const aVariable = async (platform: Platform, key: string): Promise<string> =>
  `/v9/projects/web/env/${(await make(platform, env, variable(key, "encrypted"))).created.id}`;

/** A domain of the project, which is made here. */
async function aDomain(platform: Platform, name: string): Promise<string> {
  await make(platform, "/v10/projects/web/domains", { name });
  return `/v9/projects/web/domains/${name}`;
}

/** Its TXT record is there by now. */
async function anUnverifiedDomain(platform: Platform): Promise<string> {
  const { name, verified } = await make(platform, "/v10/projects/web/domains", { name: "elsewhere.example" });
  expect(verified).toBe(false);
  await platform.sandboxes.deployment.control("clock", { advance_seconds: 3600 });
  return name;
}

const notFound = refused("not_found_there", "not_found");
const conflict = refused("conflict_there", "conflict");

export const deploymentRows = [
  inRow(
    "`create_deployment`",
    { before: didNot, repeat: again({ deployment_id: expect.any(String) }) },
    {
      step: "create_deployment",
      input: () => ({ project: "web" }),
      ends: found,
      output: { deployment_id: expect.any(String) },
    },
  ),
  inRow(
    "`cancel_deployment`, cancel by path",
    { before: repeated, repeat: refused("invalid_there", "bad_request") },
    {
      step: "cancel_deployment",
      input: async (platform) => ({ deployment_id: await aDeployment(platform) }),
      ends: found,
      output: { state: "CANCELED" },
      more: { repeat: again({ state: "CANCELED" }) },
    },
    deployment(async (_, platform) => call("PATCH", `/v12/deployments/${await aDeployment(platform)}/cancel`), found, {
      status: 200,
      body: { readyState: "CANCELED" },
    }),
  ),
  inRow(
    "`POST /v13/deployments` by path",
    { before: asked, repeat: again({ status: 200 }) },
    deployment(() => call("POST", "/v13/deployments", { name: "web", project: "web", files: [page] }), asked),
  ),
  inRow(
    "Create a project, domain, variable, webhook, alias, token or DNS record, order a certificate, upload a file",
    {
      before: asked,
      repeat: again(),
      also: [
        "POST /v2/files",
        "POST /v2/deployments/dpl_1/aliases",
        "POST /v1/projects/web/alias",
        "POST /v1/projects/web/members",
        "POST /v9/projects/web/link",
        "PUT /v8/certs",
      ],
    },
    deployment(() => call("POST", "/v10/projects", { name: "lost-one" }), asked, undefined, { repeat: conflict }),
    deployment(() => call("POST", "/v10/projects/web/domains", { name: "lost.acme.example" }), asked, undefined, {
      repeat: conflict,
    }),
    deployment(() => call("POST", env, variable("LOST")), asked, undefined, { repeat: refused("conflict_there") }),
    deployment(() => call("POST", "/v1/webhooks", webhook), asked),
    deployment(() => call("POST", "/v7/domains", { name: "bought.example" }), asked, undefined, { repeat: conflict }),
    deployment(({ domain: own }) => call("POST", `/v2/domains/${own}/records`, dnsRecord), asked),
    deployment(({ domain: own }) => call("POST", "/v8/certs", { cns: [own] }), asked),
    deployment(({ domain: own }) => call("PATCH", "/v3/certs", { op: "finalizeOrder", domains: [own] }), asked),
    deployment(() => call("POST", "/v3/user/tokens", { name: "Lost" }), asked),
  ),
  inRow(
    "Promote or roll back a deployment, pause a project, move a domain",
    {
      before: asked,
      repeat: again(),
      also: [
        "POST /v9/projects/web/rollback/dpl_1",
        "POST /v1/projects/web/unpause",
        "POST /v1/projects/web/domains/a.example/move",
      ],
    },
    deployment(({ deployment_id }) => call("POST", `/v10/projects/web/promote/${deployment_id}`), asked),
    deployment(() => call("POST", "/v1/projects/web/pause"), asked),
  ),
  inRow(
    "Change a project",
    { before: repeated, repeat: again({ status: 200, body: { framework: "nextjs" } }) },
    deployment(
      async (_, platform) =>
        call("PATCH", `/v9/projects/${await aProject(platform, "changed")}`, { framework: "nextjs" }),
      found,
      { status: 200, body: { name: "changed", framework: "nextjs" } },
    ),
  ),
  inRow(
    "Change the domain of a project",
    { before: repeated, repeat: again({ status: 200, body: { gitBranch: "develop" } }) },
    deployment(
      async (_, platform) => call("PATCH", await aDomain(platform, "branch.acme.example"), { gitBranch: "develop" }),
      found,
      { status: 200, body: { name: "branch.acme.example", gitBranch: "develop" } },
    ),
  ),
  inRow(
    "Verify a domain",
    { before: repeated, repeat: again({ status: 200, body: { verified: true } }) },
    deployment(
      async (_, platform) => call("POST", `/v9/projects/web/domains/${await anUnverifiedDomain(platform)}/verify`),
      found,
      { status: 200, body: { name: "elsewhere.example", verified: true } },
    ),
  ),
  inRow(
    "Variable with `upsert=true`, change a variable: its value can be read",
    { before: repeated, repeat: again({ status: 201 }) },
    deployment(() => call("POST", env, variable("KEPT"), { upsert: true }), found, {
      status: 201,
      body: { created: { key: "KEPT", id: expect.any(String) }, failed: [] },
    }),
    deployment(() => call("POST", env, [{ ...variable("KEPT"), value: "2" }], { upsert: true }), found, {
      status: 201,
      body: { created: [{ key: "KEPT" }], failed: [] },
    }),
    deployment(
      async (_, platform) => call("PATCH", await aVariable(platform, "COMMENTED"), { comment: "New" }),
      found,
      { status: 200, body: { comment: "New" } },
      { repeat: again({ status: 200, body: { comment: "New" } }) },
    ),
  ),
  inRow(
    "Variable with `upsert=true`, change a variable: its value is encrypted",
    { before: repeated, repeat: again({ status: 201 }) },
    deployment(() => call("POST", env, variable("SEALED", "encrypted"), { upsert: true }), found, {
      status: 201,
      body: { created: { key: "SEALED", type: "encrypted" }, failed: [] },
    }),
    // Another run has just written it: the change may be that one's.
    deployment(() => call("POST", env, variable("SEALED", "encrypted"), { upsert: true }), repeated),
    // Made a moment ago by the same account: that is no change.
    deployment(
      async (_, platform) => call("PATCH", await aVariable(platform, "CHANGED"), { value: "2" }),
      found,
      { status: 200, body: { type: "encrypted" } },
      { repeat: again({ status: 200 }) },
    ),
    // Another run has just changed its comment: the time of the last change may be that one's.
    deployment(
      async (_, platform) => {
        const path = await aVariable(platform, "SHARED");
        await made(platform, "deployment_api_call", { method: "PATCH", path, body: { comment: "New" } });
        return call("PATCH", path, { value: "2" });
      },
      repeated,
      undefined,
      { repeat: again({ status: 200 }) },
    ),
  ),
  inRow(
    "Change a DNS record",
    { before: repeated, repeat: again({ status: 200, body: { ttl: 120 } }) },
    deployment(
      async (_, platform) => call("PATCH", `/v1/domains/records/${await aDnsRecord(platform)}`, { ttl: 120 }),
      found,
      { status: 200, body: { ttl: 120 } },
    ),
  ),
  inRow(
    "Delete a deployment, project, variable, webhook, DNS record or certificate by its id",
    { before: repeated, repeat: notFound },
    deployment(async (_, platform) => call("DELETE", `/v13/deployments/${await aDeployment(platform)}`), found, {
      status: 200,
      body: { uid: expect.stringMatching(/^dpl_/), state: "DELETED" },
    }),
    deployment(async (_, platform) => call("DELETE", `/v9/projects/${await aProject(platform, "deleted")}`), found, {
      status: 204,
    }),
    deployment(async (_, platform) => call("DELETE", `/v1/webhooks/${await aWebhook(platform)}`), found, {
      status: 204,
    }),
    deployment(
      async (_, platform) => call("DELETE", `/v1/webhooks/${await aWebhook(platform)}`),
      [2, "gone"],
      undefined,
      {
        unreadable: ({ path }) => String(path),
      },
    ),
    deployment(({ env_id }) => call("DELETE", `/v9/projects/web/env/${env_id}`), found, {
      status: 200,
      body: { id: expect.any(String) },
    }),
    deployment(
      async ({ domain: own }, platform) => call("DELETE", `/v2/domains/${own}/records/${await aDnsRecord(platform)}`),
      found,
      { status: 200, body: {} },
    ),
    deployment(async (_, platform) => call("DELETE", `/v8/certs/${await aCertificate(platform)}`), found, {
      status: 200,
      body: {},
    }),
  ),
  inRow(
    "Delete a project, a domain or an alias by its name",
    { before: asked, repeat: notFound, also: ["DELETE /v2/aliases/web.vercel.app"] },
    deployment(
      async (_, platform) => {
        await aProject(platform, "by-name");
        return call("DELETE", "/v9/projects/by-name");
      },
      found,
      { status: 204 },
    ),
    deployment(async (_, platform) => call("DELETE", await aDomain(platform, "gone.acme.example")), found, {
      status: 200,
      body: {},
    }),
    deployment(
      async (_, platform) => {
        await make(platform, "/v7/domains", { name: "own.example" });
        return call("DELETE", "/v6/domains/own.example");
      },
      found,
      { status: 200 },
    ),
  ),
  inRow(
    "All other writes by `PUT`, `PATCH` or `DELETE`",
    {
      before: asked,
      repeat: again(),
      also: [
        "DELETE /v1/projects/web/alias",
        "DELETE /v9/projects/web/link",
        "DELETE /v1/projects/web/members/u_1",
        "DELETE /v9/projects/web/env",
        "DELETE /v3/user/tokens/1",
        "DELETE /v1/integrations/configuration/icfg_1",
        "PUT /v1/anything",
      ],
    },
    deployment(({ domain: own }) => call("PATCH", `/v3/domains/${own}`, { op: "update", renew: true }), asked),
  ),
];
