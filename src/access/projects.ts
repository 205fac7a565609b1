import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { roleOfCaller } from "./callers/effective-role.ts";
import { requireOrganization } from "./organizations.ts";
import { type Role, toPermissions } from "./permissions.ts";
import { addMember } from "./project-members.ts";
import {
  findProject,
  findProjectWithRole,
  insertProject,
  listProjectIdsOfMember,
  listProjectsOfMember,
  listProjectsOfOrganization,
  type Project,
  updateProjectRow,
} from "./projects.store.ts";
import { type AnyScope, projectOf, type Scope } from "./scope.ts";

export type { Project } from "./projects.store.ts";
export { findProject, listProjectIds } from "./projects.store.ts";

export interface ProjectWish {
  name: string;
  description: string;
  organizationId: string;
}

/** The creator becomes admin. An organization may restrict creation to its owners. */
export async function createProject(scope: Scope, wanted: ProjectWish): Promise<Project> {
  const organization = await requireOrganization(scope, wanted.organizationId);
  if (organization.projectCreation === "owners" && scope.actor.organizationRole !== "owner") {
    throw new Problem("owner_required", "In this organization only the owner creates projects.");
  }
  const project = await insertProjectOf(scope, {
    id: newId("project", scope.region),
    organizationId: organization.id,
    name: wanted.name,
    description: wanted.description,
    createdBy: scope.actor.userId,
  });
  await addMember(scope, project.id, scope.actor.userId, toPermissions(["admin"]));
  return project;
}

/** Inserts the record. The caller checks permission and adds the first admin. */
export async function insertProjectOf(
  scope: AnyScope,
  made: Omit<Project, "createdAt" | "updatedAt">,
): Promise<Project> {
  const now = scope.now().toISOString();
  const project: Project = { ...made, createdAt: now, updatedAt: now };
  await insertProject(scope.db, project);
  return project;
}

export type ProjectWithRole = Project & { role: Role };

/** The project of the call. The caller's access is already checked. */
export async function requireProject(scope: Scope): Promise<Project> {
  const project = await findProject(scope.db, projectOf(scope));
  if (!project) throw new Problem("project_not_found");
  return project;
}

export async function updateProject(
  scope: Scope,
  change: { name?: string | undefined; description?: string | undefined },
): Promise<Project> {
  const before = await requireProject(scope);
  const after: Project = {
    ...before,
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    updatedAt: scope.now().toISOString(),
  };
  await updateProjectRow(scope.db, after);
  return after;
}

export interface Page {
  /** The id after which the page starts; empty for the first page. */
  after: string;
  limit: number;
}

/**
 * Every project that the key can access: its owner's, limited by the key; for an organization owner, all of the
 * organization's.
 */
export async function listProjects(scope: Scope, page: Page): Promise<ProjectWithRole[]> {
  const found = await listUncapped(scope, page);
  return found.flatMap((project) => {
    const role = roleOfCaller(scope.actor, project.role as Role | null);
    return role === null ? [] : [{ ...project, role }];
  });
}

async function listUncapped({ actor, db }: Scope, page: Page): Promise<(Project & { role: string | null })[]> {
  if (actor.keyProjectIds) {
    const ids = actor.keyProjectIds.filter((id) => id > page.after).sort();
    const found = await Promise.all(ids.map((id) => findProjectWithRole(db, actor.organizationId, actor.userId, id)));
    const isOwner = actor.organizationRole === "owner";
    const reached = found.filter((project) => project !== null).filter(({ role }) => isOwner || role !== null);
    return reached.slice(0, page.limit);
  }
  return actor.organizationRole === "owner"
    ? listProjectsOfOrganization(db, actor.organizationId, actor.userId, page)
    : listProjectsOfMember(db, actor.userId, page);
}

/** Webhooks of at most this many projects receive an event about a person. */
const projectsMax = 1000;

/** The ids of the projects that the person is a member of. */
export const projectsOfMember = (db: Db, userId: string): Promise<string[]> =>
  listProjectIdsOfMember(db, userId, projectsMax);
