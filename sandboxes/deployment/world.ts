import type { Clock } from "../server/clock.ts";
import { type Collection, createCollection } from "./collection.ts";
import { type Chance, machineChance, newId } from "./ids.ts";
import type { Limits } from "./limits.ts";
import type {
  Certificate,
  Deployment,
  DnsRecord,
  Domain,
  EnvVariable,
  Membership,
  Plan,
  Project,
  ProjectDomain,
  Team,
  User,
  Webhook,
} from "./records.ts";
import type { Happening } from "./webhooks/happening.ts";

/** Everything that a reset throws away and the seed lays out again. */
export interface World {
  clock: Clock;
  limits: Limits;
  chance: Chance;
  users: Collection<User>;
  teams: Collection<Team>;
  memberships: Collection<Membership>;
  projects: Collection<Project>;
  deployments: Collection<Deployment>;
  /** The deployments of a project, for its page and its counters; the key is the project's id. */
  deploymentsOf: Map<string, Collection<Deployment>>;
  deploymentIdOfHost: Map<string, string>;
  domains: Collection<Domain>;
  projectDomains: Collection<ProjectDomain>;
  envVariables: Collection<EnvVariable>;
  webhooks: Collection<Webhook>;
  dnsRecords: Collection<DnsRecord>;
  certificates: Collection<Certificate>;
  /** Uploaded files, by owner and SHA-1 together. */
  files: Map<string, Buffer>;
  /** What happened, oldest first, for the list of activities. */
  happenings: { id: string; happening: Happening }[];
  /** Tells everyone who listens (webhooks, open log streams) that something happened. */
  announce(happening: Happening): void;
  listeners: Set<(happening: Happening) => void>;
  /** Streams that are open; they end with the world. */
  closers: Set<() => void>;
  end(): void;
}

export function createWorld(clock: Clock, limits: Limits): World {
  const listeners = new Set<(happening: Happening) => void>();
  const closers = new Set<() => void>();
  return {
    clock,
    limits,
    chance: machineChance,
    users: createCollection(),
    teams: createCollection(),
    memberships: createCollection(),
    projects: createCollection(),
    deployments: createCollection(),
    deploymentsOf: new Map(),
    deploymentIdOfHost: new Map(),
    domains: createCollection(),
    projectDomains: createCollection(),
    envVariables: createCollection(),
    webhooks: createCollection(),
    dnsRecords: createCollection(),
    certificates: createCollection(),
    files: new Map(),
    happenings: [],
    listeners,
    closers,
    end() {
      listeners.clear();
      for (const close of [...closers]) close();
    },
    announce(happening) {
      // States on the way are no activity of the account.
      if (!happening.type.startsWith("(")) this.happenings.push({ id: newId(machineChance, "uev_"), happening });
      if (this.happenings.length > happeningsMax) this.happenings.shift();
      for (const listener of [...listeners]) listener(happening);
    },
  };
}

const happeningsMax = 1000;

/** A person or a team: an owner of projects, named in addresses. */
export interface Owner {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  team: Team | null;
}

export function findOwner(world: World, id: string): Owner | null {
  const team = world.teams.find(id);
  if (team) return { id, slug: team.slug, name: team.name, plan: team.plan, team };
  const user = world.users.find(id);
  return user && { id, slug: user.username, name: user.name, plan: "hobby", team: null };
}

export function requireOwner(world: World, id: string): Owner {
  const owner = findOwner(world, id);
  if (!owner) throw new Error(`No owner ${id}.`);
  return owner;
}

export function keepDeployment(world: World, deployment: Deployment): Deployment {
  world.deployments.add(deployment);
  world.deploymentIdOfHost.set(deployment.url, deployment.id);
  let ofProject = world.deploymentsOf.get(deployment.projectId);
  if (!ofProject) {
    ofProject = createCollection();
    world.deploymentsOf.set(deployment.projectId, ofProject);
  }
  return ofProject.add(deployment);
}

export function findProjectByName(world: World, ownerId: string, name: string): Project | null {
  for (const project of world.projects.newestFirst()) {
    if (project.name === name && project.ownerId === ownerId) return project;
  }
  return null;
}

export function findMembership(world: World, teamId: string, userId: string): Membership | null {
  return world.memberships.find(`${teamId} ${userId}`);
}
