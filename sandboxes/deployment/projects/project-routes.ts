import type { Route } from "../http/api-request.ts";
import { addProjectAlias, addProjectDomain } from "./add-project-domain.ts";
import { deleteProject, updateProject } from "./change-project.ts";
import { createProject } from "./create-project.ts";
import { editVariable, listVariables, readVariable, removeVariable } from "./env-change.ts";
import { createVariables } from "./env-create.ts";
import { listCustomEnvironments, listProjects, readProject } from "./list-projects.ts";
import {
  listDomainAssignments,
  listProjectDomains,
  moveProjectDomain,
  readProjectDomain,
  removeProjectAlias,
  removeProjectDomain,
  updateProjectDomain,
  verifyProjectDomain,
} from "./project-domains.ts";

const project = { resource: "project", bucket: "projects_read_per_minute" } as const;
const change = { resource: "project", bucket: "projects_write_per_minute" } as const;
const env = { resource: "projectEnvVars" } as const;
const domain = { resource: "domain", bucket: "project_domains_per_minute" } as const;

const one = "/projects/{idOrName}";

export const projectRoutes: Route[] = [
  { ...project, method: "GET", path: "/projects", action: "list", handle: listProjects },
  { ...change, method: "POST", path: "/projects", action: "create", handle: createProject },
  { ...project, method: "GET", path: one, action: "read", handle: readProject },
  { ...change, method: "PATCH", path: one, action: "update", handle: updateProject },
  { ...change, method: "DELETE", path: one, action: "delete", handle: deleteProject },
  {
    ...project,
    method: "GET",
    path: `${one}/custom-environments`,
    action: "list",
    handle: listCustomEnvironments,
  },
  { ...domain, method: "GET", path: `${one}/domains`, action: "list", handle: listProjectDomains },
  { ...domain, method: "POST", path: `${one}/domains`, action: "create", handle: addProjectDomain },
  { ...domain, method: "POST", path: `${one}/alias`, action: "create", handle: addProjectAlias },
  { ...domain, method: "DELETE", path: `${one}/alias`, action: "delete", handle: removeProjectAlias },
  { ...domain, method: "GET", path: `${one}/domains/{domain}`, action: "read", handle: readProjectDomain },
  {
    ...domain,
    method: "GET",
    path: "/domains/{domain}/project-domains",
    action: "list",
    handle: listDomainAssignments,
  },
  { ...domain, method: "POST", path: `${one}/domains/{domain}/move`, action: "update", handle: moveProjectDomain },
  { ...domain, method: "PATCH", path: `${one}/domains/{domain}`, action: "update", handle: updateProjectDomain },
  { ...domain, method: "DELETE", path: `${one}/domains/{domain}`, action: "delete", handle: removeProjectDomain },
  { ...domain, method: "POST", path: `${one}/domains/{domain}/verify`, action: "update", handle: verifyProjectDomain },
  {
    ...env,
    method: "GET",
    path: `${one}/env`,
    action: "list",
    bucket: "env_list_per_minute",
    handle: listVariables,
  },
  {
    ...env,
    method: "POST",
    path: `${one}/env`,
    action: "create",
    bucket: "env_create_per_minute",
    handle: createVariables,
  },
  {
    ...env,
    method: "GET",
    path: `${one}/env/{id}`,
    action: "read",
    bucket: "env_list_per_minute",
    handle: readVariable,
  },
  {
    ...env,
    method: "PATCH",
    path: `${one}/env/{id}`,
    action: "update",
    bucket: "env_update_per_minute",
    handle: editVariable,
  },
  {
    ...env,
    method: "DELETE",
    path: `${one}/env/{id}`,
    action: "delete",
    bucket: "env_delete_per_minute",
    handle: removeVariable,
  },
];
