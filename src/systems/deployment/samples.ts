import { deploymentSteps } from "./steps.ts";
import { deployment as system } from "./system.ts";

/**
 * Values for the examples of the reference and of help texts. They fit each other, so that an example could have
 * happened.
 */

const address = "https://api.vercel.com";

const deployment = {
  deployment_id: "dpl_7Qm2",
  url: "https://web-4k1x9-acme.vercel.app",
  state: "READY",
  environment: "production",
  branch: "main",
  creator: "ada",
  created_at: "2026-11-14T16:02:11.000Z",
};
const created = {
  deployment_id: "dpl_8Rn4",
  url: "https://web-9p2s7-acme.vercel.app",
  state: "QUEUED",
  environment: "production",
  created_at: "2026-11-15T09:30:01.000Z",
};

export const deploymentSamples = {
  system,
  stepIds: deploymentSteps.map(({ id }) => id),
  address,
  account: "Vercel, team Acme",
  ways: ["oauth", "token"],
  /** A step that reads, and a run of it. */
  reading: {
    step: "list_deployments",
    title: "List Deployments",
    summary: "Lists deployments, newest first.",
    description: "Filters by project, environment, state, branch and time.",
    keywords: ["deployments", "releases", "vercel"],
    input: { limit: 5 },
    output: { deployments: [deployment] },
    emptyOutput: { deployments: [] },
    preview: '{"deployments":[{"uid":"dpl_7Qm2",',
    isNotEmpty: "{{ $count(steps.latest.output.deployments) > 0 }}",
    path: "/v6/deployments",
    url: `${address}/v6/deployments?limit=5`,
    urlOfOne: `${address}/v6/deployments?limit=1`,
    limit: "deployments list",
    counted: { "deployments-list": 1 },
    limitSubject: `deployment|${address}|deployments-list`,
  },
  /** A step that writes. */
  writing: {
    step: "create_deployment",
    input: { project: "web", branch: "{{params.branch}}" },
    /** A field of the input that has options, and one of them. */
    field: "project",
    option: { value: "prj_A1", label: "web" },
    output: created,
    url: `${address}/v13/deployments`,
    limit: "deployments create",
  },
  event: {
    name: "deployment.failed",
    systemName: "deployment.error",
    registered: "deployment.created",
    payload: { deployment: { id: "dpl_7Qm2" } },
    payloadShort: { deployment: { id: "dpl_…" } },
    /** Parameters that a rule takes from it. */
    params: { id: "{{event.payload.deployment.id}}" },
    webhookId: "account_hook_…",
  },
  /** What a person asks an agent, and its reply. */
  question: "Did the last deployment of web succeed?",
  reply: "Yes. dpl_7Qm2 on main has been ready since yesterday, 16:02 UTC.",
  /** What a person would type to find steps. */
  searches: ["deployments", "vercel", "trafic report"],
} as const;
