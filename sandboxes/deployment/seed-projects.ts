import { type Chance, newHex, newId } from "./ids.ts";
import { projectDomainId } from "./projects/project-domains.ts";
import { repositoryId } from "./projects/repository-id.ts";
import type { EnvTarget, EnvType, Project } from "./records.ts";
import { findProjectByName, type World } from "./world.ts";

const day = 86_400_000;

interface Owners {
  teamId: string;
  otherTeamId: string;
  strangersTeamId: string;
  userId: string;
  outsiderId: string;
}

/** Name and framework; all but the last two are linked to a repository of the same name. */
const teamProjects: readonly [string, string | null][] = [
  ["web", "nextjs"],
  ["docs", "docusaurus-2"],
  ["shop", "nextjs"],
  ["api", null],
  ["blog", "astro"],
  ["admin", "vite"],
  ["status", "sveltekit"],
  ["mobile-gateway", null],
  ["checkout", "remix"],
  ["search", "nuxtjs"],
  ["emails", null],
  ["design-system", "storybook"],
  ["careers", "gatsby"],
  ["playground-fails", "vite"],
  ["landing", null],
  ["prototype", null],
];

export function seedProjects(world: World, chance: Chance, owners: Owners, today: number) {
  const add = (
    ownerId: string,
    org: string | null,
    name: string,
    framework: string | null,
    daysAgo: number,
  ): Project => {
    const createdAt = world.projects.freeMoment(today - daysAgo * day);
    const link = org && { type: "github" as const, org, repo: name, repoId: repositoryId(`${org}/${name}`), createdAt };
    return world.projects.add({
      id: newId(chance, "prj_", 28),
      createdAt,
      updatedAt: createdAt,
      ownerId,
      name,
      framework,
      nodeVersion: "22.x",
      directoryListing: false,
      link: link || null,
      settings: {},
    });
  };
  const all = teamProjects.map(([name, framework], index) =>
    add(owners.teamId, index < teamProjects.length - 2 ? "acme" : null, name, framework, 600 - index * 30),
  );
  // Enough of them that a list does not end on its first page.
  for (let index = 1; index <= 9; index++) add(owners.teamId, "acme", `campaign-${index}`, "nextjs", 120 - index * 10);
  add(owners.otherTeamId, "acme-labs", "experiments", "vite", 200);
  add(owners.strangersTeamId, "globex", "portal", "nextjs", 400);
  const personal = add(owners.userId, null, "notes", null, 350);
  const [first, second] = all;
  const unlinked = all.at(-1);
  if (!first || !second || !unlinked) throw new Error("The seed has no projects.");
  return {
    projectId: first.id,
    secondProjectId: second.id,
    unlinkedProjectId: unlinked.id,
    personalProjectId: personal.id,
  };
}

export function seedDomains(world: World, chance: Chance, owners: Owners, today: number): void {
  const register = (ownerId: string, creatorId: string, name: string, daysAgo: number, verified = true) => {
    const createdAt = world.domains.freeMoment(today - daysAgo * day);
    const isBought = verified && chance.below(2) === 0;
    world.domains.add({
      id: newId(chance, ""),
      createdAt,
      name,
      ownerId,
      creatorId,
      verified,
      serviceType: isBought ? "zeit.world" : "external",
      boughtAt: isBought ? createdAt : null,
      expiresAt: isBought ? createdAt + 730 * day : null,
    });
  };
  register(owners.teamId, owners.userId, "acme.example", 590);
  register(owners.teamId, owners.userId, "acme-shop.example", 500);
  register(owners.teamId, owners.userId, "acme-pending.example", 10, false);
  for (let index = 1; index <= 21; index++) {
    register(owners.teamId, owners.userId, `acme-campaign-${index}.example`, 300 - index * 10);
  }
  register(owners.strangersTeamId, owners.outsiderId, "globex.example", 480);
  register(owners.userId, owners.userId, "ann-archer.example", 400);
  assign(world, chance, { ownerId: owners.teamId, project: "web", name: "www.acme.example", at: today - 580 * day });
  assign(world, chance, { ownerId: owners.teamId, project: "docs", name: "docs.acme.example", at: today - 570 * day });
  assign(world, chance, { ownerId: owners.teamId, project: "shop", name: "acme-shop.example", at: today - 490 * day });
}

function assign(
  world: World,
  chance: Chance,
  { ownerId, project, name, at }: { ownerId: string; project: string; name: string; at: number },
): void {
  const projectId = findProjectByName(world, ownerId, project)?.id ?? "";
  const createdAt = world.projectDomains.freeMoment(at);
  world.projectDomains.add({
    id: projectDomainId(projectId, name),
    createdAt,
    updatedAt: createdAt,
    projectId,
    name,
    gitBranch: null,
    redirect: null,
    redirectStatusCode: null,
    verified: true,
    challenge: newHex(chance, 20),
  });
}

const variables: readonly [string, string, EnvType, EnvTarget[], string | null][] = [
  ["API_URL", "https://api.acme.example", "plain", ["production"], null],
  ["API_URL", "https://api.staging.acme.example", "plain", ["preview", "development"], null],
  ["DATABASE_URL", "postgres://app:secret@db.acme.example/app", "encrypted", ["production", "preview"], null],
  ["PAYMENT_KEY", "pk_live_51", "sensitive", ["production"], null],
  ["FEATURE_FLAGS", "checkout-v2", "encrypted", ["preview"], "feature/checkout"],
];

/** Answers the id of the first project's encrypted variable. */
export function seedVariables(world: World, chance: Chance, owners: Owners, today: number): string {
  let shown = "";
  for (const project of ["shop", "api", "web"]) {
    const projectId = findProjectByName(world, owners.teamId, project)?.id ?? "";
    for (const [key, value, type, target, gitBranch] of variables) {
      const createdAt = world.envVariables.freeMoment(today - 100 * day);
      const id = newId(chance, "", 16);
      if (project === "web" && type === "encrypted" && gitBranch === null) shown = id;
      world.envVariables.add({
        id,
        createdAt,
        updatedAt: createdAt,
        projectId,
        key,
        value,
        type,
        target: [...target],
        gitBranch,
        comment: null,
        createdBy: owners.userId,
        updatedBy: null,
        configurationId: null,
      });
    }
  }
  return shown;
}
