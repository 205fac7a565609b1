import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import { call, deployment, inRow, made } from "../write-case.ts";

const aDeployment = async (platform: Platform): Promise<string> =>
  (await made(platform, "create_deployment", { project: "web" })).deployment_id;
const aProject = async (platform: Platform, name: string): Promise<string> =>
  (await made(platform, "deployment_api_call", { method: "POST", path: "/v10/projects", body: { name } })).body.id;
const variable = (key: string) => ({ key, value: "1", type: "plain", target: ["preview"] });
const env = "/v10/projects/web/env";
const domain = "lost.acme.example";

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
    "Create a project, a domain, a variable or a webhook",
    deployment(() => call("POST", "/v10/projects", { name: "lost-one" }), [1, "asked"]),
    deployment(() => call("POST", "/v10/projects/web/domains", { name: domain }), [1, "asked"]),
    deployment(() => call("POST", env, variable("LOST")), [1, "asked"]),
    deployment(
      () => call("POST", "/v1/webhooks", { url: "https://hooks.example.com", events: ["deployment.created"] }),
      [1, "asked"],
    ),
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
    "Variable with `upsert=true`, change a variable, verify a domain",
    deployment(() => call("POST", env, variable("KEPT"), { upsert: true }), [2, "repeated"]),
    deployment(({ env_id }) => call("PATCH", `/v9/projects/web/env/${env_id}`, { value: "2" }), [2, "repeated"]),
    deployment(() => call("POST", `/v9/projects/web/domains/${domain}/verify`), [2, "repeated"]),
  ),
  inRow(
    "Delete a deployment, project, domain or variable",
    deployment(async (_, platform) => call("DELETE", `/v13/deployments/${await aDeployment(platform)}`), [1, "found"], {
      status: 200,
      body: { uid: expect.stringMatching(/^dpl_/), state: "DELETED" },
    }),
    deployment(
      async (_, platform) => call("DELETE", `/v9/projects/${await aProject(platform, "deleted")}`),
      [1, "found"],
      { status: 204 },
    ),
    deployment(() => call("DELETE", `/v9/projects/web/domains/${domain}`), [1, "found"], { status: 200, body: {} }),
    deployment(({ env_id }) => call("DELETE", `/v9/projects/web/env/${env_id}`), [1, "found"], {
      status: 200,
      body: { id: expect.any(String) },
    }),
  ),
].flat();
