import type { Clock } from "../server/clock.ts";
import { type Chance, newId, seededChance } from "./ids.ts";
import type { Limits } from "./limits.ts";
import type { Role, User } from "./records.ts";
import { seedDeployments } from "./seed-deployments.ts";
import { seedDomains, seedProjects, seedVariables } from "./seed-projects.ts";
import { createWorld, type World } from "./world.ts";

const day = 86_400_000;
const seed = 20_240_607;

/** Ids that tests and clients are told about. */
export interface SeededIds {
  userId: string;
  teamId: string;
  teamSlug: string;
  viewerId: string;
  developerId: string;
  outsiderId: string;
  otherTeamId: string;
  projectId: string;
  /** Of the project `docs`. */
  secondProjectId: string;
  unlinkedProjectId: string;
  personalProjectId: string;
  deploymentId: string;
  failedDeploymentId: string;
  domain: string;
  variableId: string;
}

/**
 * The records that a reset comes back to: the same on every machine. Times hang on `today`, the midnight before the
 * sandbox started, so that "the last week" is never empty.
 */
export function seedWorld(clock: Clock, limits: Limits, today: number): { world: World; ids: SeededIds } {
  const world = createWorld(clock, limits);
  const chance = seededChance(seed);
  const people = seedPeople(world, chance, today);
  const teamId = addTeam(world, chance, {
    slug: "acme",
    name: "Acme",
    creator: people.owner,
    createdAt: today - 700 * day,
  });
  const otherTeamId = addTeam(world, chance, {
    slug: "acme-labs",
    name: "Acme Labs",
    creator: people.owner,
    createdAt: today - 300 * day,
  });
  const strangersTeamId = addTeam(world, chance, {
    slug: "globex",
    name: "Globex",
    creator: people.outsider,
    createdAt: today - 500 * day,
  });
  addMembers(world, teamId, people, today);
  join(world, otherTeamId, people.owner, { role: "OWNER", at: today - 300 * day });
  join(world, strangersTeamId, people.outsider, { role: "OWNER", at: today - 500 * day });
  people.owner.defaultTeamId = teamId;
  const owners = { teamId, otherTeamId, strangersTeamId, userId: people.owner.id, outsiderId: people.outsider.id };
  const projects = seedProjects(world, chance, owners, today);
  seedDomains(world, chance, owners, today);
  const variableId = seedVariables(world, chance, owners, today);
  const deployments = seedDeployments(world, chance, [people.owner.id, people.developer.id], today);
  return {
    world,
    ids: {
      userId: people.owner.id,
      teamId,
      teamSlug: "acme",
      viewerId: people.viewer.id,
      developerId: people.developer.id,
      outsiderId: people.outsider.id,
      otherTeamId,
      ...projects,
      ...deployments,
      domain: "acme.example",
      variableId,
    },
  };
}

interface People {
  owner: User;
  developer: User;
  viewer: User;
  outsider: User;
  others: User[];
}

const names = (
  "Ann Archer,Ben Okafor,Cleo Marsh,Dan Ferreira,Eve Lindqvist,Farid Haddad,Gia Romano,Hugo Klein,Ida Novak,Jon Suzuki," +
  "Kim Larsen,Lea Dubois,Max Weber,Nia Mensah,Omar Aziz,Pia Koch,Quinn Byrne,Rosa Vidal,Sam Patel,Tess Moreau," +
  "Uma Rao,Vic Hansen,Wen Zhou,Xena Papas,Yuri Petrov,Zoe Carter,Ada Flores,Bo Nilsson"
).split(",");

function seedPeople(world: World, chance: Chance, today: number): People {
  const [owner, developer, viewer, outsider, ...others] = names.map((name, index) => {
    const username = name.toLowerCase().replace(" ", "-");
    return world.users.add({
      id: newId(chance, ""),
      createdAt: today - 800 * day + index * 3_600_000,
      email: `${username}@example.com`,
      username,
      name,
      defaultTeamId: null,
    });
  });
  if (!owner || !developer || !viewer || !outsider) throw new Error("The seed has too few names.");
  return { owner, developer, viewer, outsider, others };
}

function addTeam(
  world: World,
  chance: Chance,
  { slug, name, creator, createdAt }: { slug: string; name: string; creator: User; createdAt: number },
): string {
  const id = newId(chance, "team_");
  const description = slug === "acme" ? "Shops and their documentation" : null;
  world.teams.add({ id, createdAt, updatedAt: createdAt, slug, name, description, creatorId: creator.id, plan: "pro" });
  return id;
}

function addMembers(world: World, teamId: string, people: People, today: number): void {
  const roleOf = (index: number): Role => (index % 8 === 7 ? "BILLING" : index % 3 === 0 ? "DEVELOPER" : "MEMBER");
  join(world, teamId, people.owner, { role: "OWNER", at: today - 700 * day });
  join(world, teamId, people.developer, { role: "DEVELOPER", at: today - 690 * day });
  join(world, teamId, people.viewer, { role: "VIEWER", at: today - 680 * day });
  for (const [index, user] of people.others.entries()) {
    join(world, teamId, user, {
      role: roleOf(index),
      at: today - (670 - index * 20) * day,
      confirmed: index < people.others.length - 1,
    });
  }
}

function join(
  world: World,
  teamId: string,
  user: User,
  { role, at, confirmed = true }: { role: Role; at: number; confirmed?: boolean },
): void {
  const createdAt = world.memberships.freeMoment(at);
  world.memberships.add({ id: `${teamId} ${user.id}`, createdAt, teamId, userId: user.id, role, confirmed });
}
