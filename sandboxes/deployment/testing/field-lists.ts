import type { Shape } from "./check-fields.ts";

/** The fields that each answer must have, written down from the vendor's documentation: method and path, version apart. */

const pagination = { count: "integer", next: "integer|null", prev: "integer|null" };
const readyState = "'QUEUED'|'INITIALIZING'|'BUILDING'|'READY'|'ERROR'|'CANCELED'";
const target = "'production'|'staging'|null";

const deployment = {
  id: "string",
  url: "string",
  name: "string",
  version: "integer",
  type: "'LAMBDAS'",
  readyState,
  status: readyState,
  target,
  createdAt: "integer",
  bootedAt: "integer",
  buildingAt: "integer",
  "ready?": "integer",
  "canceledAt?": "integer",
  "errorCode?": "string",
  "errorMessage?": "string",
  "errorStep?": "string",
  createdIn: "string",
  creator: { uid: "string" },
  ownerId: "string",
  projectId: "string",
  projectSettings: "object",
  plan: "'hobby'|'pro'|'enterprise'",
  public: "boolean",
  meta: "object",
  env: ["string"],
  build: { env: ["string"] },
  regions: ["string"],
  routes: ["object"],
  alias: ["string"],
  aliasAssigned: "boolean",
  buildSkipped: "boolean",
  isInConcurrentBuildsQueue: "boolean",
  isInSystemBuildsQueue: "boolean",
  inspectorUrl: "string|null",
} as const;

const deploymentItem = {
  uid: "string",
  name: "string",
  projectId: "string",
  url: "string",
  created: "integer",
  createdAt: "integer",
  "buildingAt?": "integer",
  "ready?": "integer",
  state: `${readyState}|'DELETED'`,
  readyState: `${readyState}|'DELETED'`,
  type: "'LAMBDAS'",
  target,
  source: "string",
  creator: { uid: "string", email: "string", username: "string" },
  meta: "object",
  aliasAssigned: "integer|boolean|null",
  aliasError: "object|null",
  isRollbackCandidate: "boolean|null",
  inspectorUrl: "string|null",
} as const;

const event = {
  type: "'command'|'stdout'|'stderr'|'exit'|'delimiter'|'deployment-state'|'fatal'",
  created: "integer",
  date: "integer",
  id: "string",
  serial: "string",
  deploymentId: "string",
  "text?": "string",
  info: { type: "string", name: "string" },
} as const;

const project = {
  id: "string",
  name: "string",
  accountId: "string",
  framework: "string|null",
  nodeVersion: "string",
  directoryListing: "boolean",
  createdAt: "integer",
  updatedAt: "integer",
  live: "boolean",
  alias: [{ domain: "string", environment: "string", target: "string", deployment: "object|null" }],
  serverlessFunctionRegion: "string",
  resourceConfig: { functionDefaultRegions: ["string"] },
  defaultResourceConfig: { functionDefaultRegions: ["string"] },
  deploymentExpiration: "object",
  "link?": { type: "string", deployHooks: ["object"], gitCredentialId: "string", productionBranch: "string" },
  latestDeployments: [{ id: "string", readyState, url: "string", createdAt: "integer" }],
  targets: "object",
} as const;

const domain = {
  id: "string",
  name: "string",
  verified: "boolean",
  serviceType: "'zeit.world'|'external'|'na'",
  nameservers: ["string"],
  intendedNameservers: ["string"],
  creator: { id: "string", username: "string", email: "string" },
  teamId: "string|null",
  userId: "string",
  createdAt: "integer",
  boughtAt: "integer|null",
  expiresAt: "integer|null",
  echMode: "'auto'|'enabled'|'disabled'",
} as const;

const projectDomain = {
  name: "string",
  apexName: "string",
  projectId: "string",
  verified: "boolean",
  redirect: "string|null",
  redirectStatusCode: "integer|null",
  gitBranch: "string|null",
  createdAt: "integer",
  updatedAt: "integer",
  "verification?": [{ type: "string", domain: "string", value: "string", reason: "string" }],
} as const;

const variable = {
  id: "string",
  key: "string",
  value: "string",
  type: "'plain'|'encrypted'|'sensitive'",
  target: ["string"],
  "gitBranch?": "string",
  createdAt: "integer",
  updatedAt: "integer",
  createdBy: "string",
  updatedBy: "string|null",
  configurationId: "string|null",
  decrypted: "boolean",
  securityIssues: ["object"],
} as const;

const team = {
  id: "string",
  slug: "string",
  name: "string",
  avatar: "string|null",
  createdAt: "integer",
  membership: { confirmed: "boolean", role: "string", createdAt: "integer", created: "integer" },
} as const;

const fullTeam = {
  ...team,
  creatorId: "string",
  description: "string|null",
  stagingPrefix: "string",
  updatedAt: "integer",
  billing: { plan: "string" },
} as const;

const webhook = {
  id: "string",
  url: "string",
  events: ["string"],
  ownerId: "string",
  createdAt: "integer",
  updatedAt: "integer",
} as const;

const configuration = {
  id: "string",
  type: "'integration-configuration'",
  integrationId: "string",
  slug: "string",
  ownerId: "string",
  userId: "string",
  teamId: "string|null",
  scopes: ["string"],
  createdAt: "integer",
  updatedAt: "integer",
} as const;

export const fieldLists: readonly [method: string, path: RegExp, shape: Shape][] = [
  ["GET", /^\/deployments$/, { deployments: [deploymentItem], pagination }],
  ["POST", /^\/deployments$/, deployment],
  ["GET", /^\/deployments\/[^/]+$/, deployment],
  ["PATCH", /^\/deployments\/[^/]+\/cancel$/, deployment],
  ["DELETE", /^\/deployments\/[^/]+$/, { uid: "string", state: "'DELETED'" }],
  ["GET", /^\/deployments\/[^/]+\/events$/, [event]],
  ["POST", /^\/files$/, {}],
  ["GET", /^\/projects$/, { projects: [project], pagination: { count: "integer", next: "integer|string|null" } }],
  ["POST", /^\/projects$/, project],
  ["PATCH", /^\/projects\/[^/]+$/, project],
  ["GET", /^\/projects\/[^/]+$/, project],
  ["GET", /^\/projects\/[^/]+\/domains$/, { domains: [projectDomain], pagination }],
  ["POST", /^\/projects\/[^/]+\/domains$/, projectDomain],
  ["GET", /^\/projects\/[^/]+\/domains\/[^/]+$/, projectDomain],
  ["PATCH", /^\/projects\/[^/]+\/domains\/[^/]+$/, projectDomain],
  ["DELETE", /^\/projects\/[^/]+\/domains\/[^/]+$/, {}],
  ["POST", /^\/projects\/[^/]+\/domains\/[^/]+\/verify$/, projectDomain],
  ["GET", /^\/projects\/[^/]+\/env$/, { envs: [variable] }],
  ["POST", /^\/projects\/[^/]+\/env$/, { created: "object", failed: ["object"] }],
  ["GET", /^\/projects\/[^/]+\/env\/[^/]+$/, variable],
  ["PATCH", /^\/projects\/[^/]+\/env\/[^/]+$/, variable],
  ["DELETE", /^\/projects\/[^/]+\/env\/[^/]+$/, variable],
  ["GET", /^\/domains$/, { domains: [domain], pagination }],
  ["GET", /^\/domains\/[^/]+$/, { domain: { ...domain, suffix: "boolean" } }],
  ["GET", /^\/teams$/, { teams: [team], pagination }],
  ["GET", /^\/teams\/[^/]+$/, fullTeam],
  [
    "GET",
    /^\/teams\/[^/]+\/members$/,
    {
      members: [
        {
          uid: "string",
          email: "string",
          username: "string",
          role: "string",
          confirmed: "boolean",
          createdAt: "integer",
        },
      ],
      pagination: { ...pagination, hasNext: "boolean" },
    },
  ],
  [
    "GET",
    /^\/user$/,
    {
      user: {
        id: "string",
        email: "string",
        name: "string|null",
        username: "string",
        avatar: "string|null",
        defaultTeamId: "string|null",
      },
    },
  ],
  ["POST", /^\/webhooks$/, { ...webhook, secret: "string" }],
  ["GET", /^\/webhooks$/, [webhook]],
  ["GET", /^\/webhooks\/[^/]+$/, webhook],
  ["GET", /^\/integrations\/configurations$/, [configuration]],
  ["GET", /^\/integrations\/configuration\/[^/]+$/, configuration],
];

export const errorFields: Shape = { error: { code: "string", message: "string" } };
