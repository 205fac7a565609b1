import type { Fields } from "../http/read-body.ts";

export const nodeVersions = ["24.x", "22.x", "20.x", "18.x", "16.x", "14.x", "12.x", "10.x"];

export const frameworks = (
  "nextjs nuxtjs remix react-router astro gatsby sveltekit sveltekit-1 svelte solidstart solidstart-1 tanstack-start vite " +
  "vue angular ember preact create-react-app docusaurus docusaurus-2 eleventy hexo hugo jekyll gridsome vitepress vuepress " +
  "parcel storybook sanity sanity-v3 redwoodjs hydrogen blitzjs umijs stencil dojo polymer scully ionic-angular " +
  "ionic-react sapper saber brunch middleman zola nitro hono express h3 koa nestjs elysia fastify xmcp fastapi flask " +
  "fasthtml django services node python ruby rust go"
).split(" ");

const flag = { type: "boolean" } as const;
const command = { type: "string", nullable: true, lengthMax: 256 } as const;
const nullableFlag = { type: "boolean", nullable: true } as const;

/** The settings that a create and a patch share. */
const settingFields: Fields = {
  framework: { type: "string", nullable: true, oneOf: frameworks },
  buildCommand: command,
  devCommand: command,
  installCommand: command,
  outputDirectory: command,
  rootDirectory: command,
  commandForIgnoringBuildStep: command,
  publicSource: nullableFlag,
  serverlessFunctionRegion: { type: "string", nullable: true, lengthMax: 4 },
  serverlessFunctionZeroConfigFailover: flag,
  skipGitConnectDuringLink: flag,
  enablePreviewFeedback: nullableFlag,
  enableProductionFeedback: nullableFlag,
  previewDeploymentsDisabled: nullableFlag,
  previewDeploymentSuffix: { type: "string", nullable: true, lengthMax: 253 },
  enableAffectedProjectsDeployments: flag,
  oidcTokenConfig: {
    type: "object",
    fields: { enabled: flag, issuerMode: { type: "string", oneOf: ["team", "global"] } },
  },
  ssoProtection: {
    type: "object",
    nullable: true,
    fields: { deploymentType: { type: "string", required: true } },
  },
  resourceConfig: { type: "object" },
};

export const createProjectFields: Fields = {
  ...settingFields,
  name: { type: "string", required: true },
  gitRepository: {
    type: "object",
    fields: {
      type: { type: "string", required: true, oneOf: ["github", "github-limited", "gitlab", "bitbucket"] },
      repo: { type: "string", required: true },
    },
  },
  environmentVariables: { type: "array" },
};

export const updateProjectFields: Fields = {
  ...settingFields,
  name: { type: "string" },
  nodeVersion: { type: "string", oneOf: nodeVersions },
  autoAssignCustomDomains: flag,
  autoAssignCustomDomainsUpdatedBy: { type: "string" },
  autoExposeSystemEnvs: flag,
  customerSupportCodeVisibility: flag,
  directoryListing: flag,
  gitForkProtection: flag,
  gitLFS: flag,
  protectedSourcemaps: flag,
  sourceFilesOutsideRootDirectory: flag,
  skewProtectionBoundaryAt: { type: "integer" },
  skewProtectionMaxAge: { type: "integer" },
  skewProtectionAllowedDomains: { type: "array", lengthMax: 12, items: { type: "string" } },
  passwordProtection: { type: "object", nullable: true },
  trustedIps: { type: "object", nullable: true },
  optionsAllowlist: { type: "object", nullable: true },
  staticIps: { type: "object" },
  connectConfigurations: { type: "array", nullable: true, items: { type: "object" } },
  dismissedToasts: { type: "array", items: { type: "object" } },
};
