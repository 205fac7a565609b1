import type { Fields } from "../http/read-body.ts";
import { frameworks, nodeVersions } from "../projects/project-fields.ts";

const text = { type: "string" } as const;
const command = { type: "string", nullable: true, lengthMax: 256 } as const;

/** The body of a create. It is closed: an unknown key is refused. */
export const deploymentFields: Fields = {
  name: { type: "string", required: true },
  project: text,
  target: text,
  deploymentId: text,
  withLatestCommit: { type: "boolean" },
  customEnvironmentSlugOrId: text,
  monorepoManager: { type: "string", nullable: true },
  gitAccessToken: text,
  // Not in the vendor's schema, and in every body of its command line.
  source: text,
  version: { type: "integer" },
  env: { type: "object" },
  build: { type: "object" },
  public: { type: "boolean" },
  regions: { type: "array" },
  functions: { type: "object", nullable: true },
  routes: { type: "array", nullable: true },
  cleanUrls: { type: "boolean" },
  trailingSlash: { type: "boolean" },
  rewrites: { type: "array" },
  redirects: { type: "array" },
  headers: { type: "array" },
  crons: { type: "array" },
  images: { type: "object" },
  builds: { type: "array" },
  alias: { type: "any" },
  autoAssignCustomDomains: { type: "boolean" },
  bulkRedirectsPath: { type: "string", nullable: true },
  delegatedProtection: { type: "any" },
  flags: { type: "any" },
  manual: { type: "boolean" },
  prebuilt: { type: "boolean" },
  files: { type: "array", items: { type: "object" } },
  gitSource: { type: "object" },
  gitMetadata: {
    type: "object",
    fields: {
      remoteUrl: text,
      commitAuthorName: text,
      commitAuthorEmail: text,
      commitMessage: text,
      commitRef: text,
      commitSha: text,
      dirty: { type: "boolean" },
      ci: { type: "boolean" },
      ciType: text,
      ciGitProviderUsername: text,
      ciGitRepoVisibility: text,
    },
  },
  meta: { type: "object" },
  projectSettings: {
    type: "object",
    fields: {
      framework: { type: "string", nullable: true, oneOf: frameworks },
      nodeVersion: { type: "string", oneOf: nodeVersions },
      buildCommand: command,
      devCommand: command,
      installCommand: command,
      outputDirectory: command,
      rootDirectory: command,
      commandForIgnoringBuildStep: command,
      serverlessFunctionRegion: { type: "string", nullable: true, lengthMax: 4 },
      skipGitConnectDuringLink: { type: "boolean" },
      sourceFilesOutsideRootDirectory: { type: "boolean" },
    },
  },
};

export const inlineFileFields: Fields = {
  file: { type: "string", required: true },
  data: { type: "string", required: true },
  encoding: { type: "string", oneOf: ["base64", "utf-8"] },
  // The command line sends small files with these too.
  mode: { type: "integer" },
  sha: text,
  size: { type: "integer" },
};

export const uploadedFileFields: Fields = {
  file: { type: "string", required: true },
  sha: text,
  size: { type: "integer" },
  mode: { type: "integer" },
};

const id = { type: "any", required: true } as const;
const requiredText = { type: "string", required: true } as const;
const ref = { type: requiredText, ref: requiredText, sha: text };

/** The shapes of `gitSource`, by its type; the first whose naming key is present counts. */
export const gitSourceShapes: Record<string, readonly { key: string; fields: Fields }[]> = {
  github: [
    { key: "repoId", fields: { ...ref, repoId: id } },
    { key: "org", fields: { ...ref, org: requiredText, repo: requiredText } },
  ],
  "github-limited": [
    { key: "repoId", fields: { ...ref, repoId: id } },
    { key: "org", fields: { ...ref, org: requiredText, repo: requiredText } },
  ],
  gitlab: [{ key: "projectId", fields: { ...ref, projectId: id } }],
  bitbucket: [
    { key: "repoUuid", fields: { ...ref, repoUuid: requiredText, workspaceUuid: text } },
    { key: "owner", fields: { ...ref, owner: requiredText, slug: requiredText } },
  ],
};
