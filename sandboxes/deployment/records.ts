/** What the platform keeps. Times are milliseconds since 1970; null means "not yet" or "none". */

export type Role = "OWNER" | "MEMBER" | "DEVELOPER" | "VIEWER" | "BILLING";
export type Plan = "hobby" | "pro" | "enterprise";

export interface User {
  id: string;
  createdAt: number;
  email: string;
  username: string;
  name: string;
  defaultTeamId: string | null;
}

export interface Team {
  id: string;
  createdAt: number;
  updatedAt: number;
  slug: string;
  name: string;
  description: string | null;
  creatorId: string;
  plan: Plan;
}

export interface Membership {
  id: string;
  createdAt: number;
  teamId: string;
  userId: string;
  role: Role;
  confirmed: boolean;
}

export interface Link {
  type: "github" | "github-limited" | "gitlab" | "bitbucket";
  org: string;
  repo: string;
  repoId: number;
  createdAt: number;
}

export interface Project {
  id: string;
  createdAt: number;
  updatedAt: number;
  ownerId: string;
  name: string;
  framework: string | null;
  nodeVersion: string;
  directoryListing: boolean;
  link: Link | null;
  /** The settings that were sent, as they were sent: commands, directories, protection and the like. */
  settings: Record<string, unknown>;
  /** The last promotion or rollback, as clients poll for it. */
  lastAliasRequest?: object;
}

/** A file of a deployment's source. */
export interface SourceFile {
  path: string;
  sha: string;
  data: Buffer;
}

export type Target = "production" | "staging" | null;
export type ReadyState = "QUEUED" | "INITIALIZING" | "BUILDING" | "READY" | "ERROR" | "CANCELED" | "BLOCKED";

export interface Deployment {
  id: string;
  createdAt: number;
  ownerId: string;
  projectId: string;
  creatorId: string;
  name: string;
  url: string;
  target: Target;
  source: string;
  meta: Record<string, string>;
  gitSource: Record<string, unknown> | null;
  projectSettings: Record<string, unknown>;
  envKeys: string[];
  /** Empty for what comes from a repository. */
  files: readonly SourceFile[];
  isPublic: boolean;
  readyState: ReadyState;
  isWaitingForSlot: boolean;
  bootedAt: number | null;
  buildingAt: number | null;
  readyAt: number | null;
  failedAt: number | null;
  canceledAt: number | null;
  deletedAt: number | null;
  aliasAssignedAt: number | null;
  alias: string[];
  aliasError: { code: string; message: string } | null;
  fate: Fate;
  /** How long the build takes, fixed when it begins, so that its log can be told at any moment. */
  buildMilliseconds: number;
}

/** How a build will go; its project's or branch's name decides. */
export interface Fate {
  end: "ready" | "error" | "blocked";
  isSlow: boolean;
  aliasFails: boolean;
}

export interface Domain {
  id: string;
  createdAt: number;
  name: string;
  ownerId: string;
  creatorId: string;
  verified: boolean;
  serviceType: "zeit.world" | "external";
  boughtAt: number | null;
  expiresAt: number | null;
}

export interface ProjectDomain {
  /** Project id and name together: a name is added to one project once. */
  id: string;
  createdAt: number;
  updatedAt: number;
  projectId: string;
  name: string;
  gitBranch: string | null;
  redirect: string | null;
  redirectStatusCode: number | null;
  verified: boolean;
  challenge: string;
}

export type EnvTarget = "production" | "preview" | "development";
export type EnvType = "plain" | "encrypted" | "sensitive" | "secret" | "system";

export interface EnvVariable {
  id: string;
  createdAt: number;
  updatedAt: number;
  projectId: string;
  key: string;
  value: string;
  type: EnvType;
  target: EnvTarget[];
  gitBranch: string | null;
  comment: string | null;
  createdBy: string;
  updatedBy: string | null;
  configurationId: string | null;
}

export interface DnsRecord {
  id: string;
  createdAt: number;
  updatedAt: number;
  domain: string;
  name: string;
  type: string;
  value: string;
  ttl: number;
  mxPriority: number | null;
  comment: string | null;
  creatorId: string;
}

export interface Certificate {
  id: string;
  createdAt: number;
  ownerId: string;
  cns: string[];
}

export interface Webhook {
  id: string;
  createdAt: number;
  updatedAt: number;
  ownerId: string;
  url: string;
  events: string[];
  projectIds: string[] | null;
  secret: string;
  /** The installation that made it, and with which it ends. */
  configurationId: string | null;
}

/** The integration, installed on a team or a personal account, on all projects or some. */
export interface Installation {
  id: string;
  createdAt: number;
  updatedAt: number;
  userId: string;
  ownerId: string;
  teamId: string | null;
  /** Null is every project. */
  projects: string[] | null;
  scopes: string[];
  source: "external" | "marketplace";
  disabledAt: number | null;
}
