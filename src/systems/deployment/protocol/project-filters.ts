import type { Identity } from "../../account.ts";
import type { Query, StepRequest } from "../../work.ts";

/** "minItems: 1, maxItems: 20", says the vendor's description of `projectIds`. */
const projectIdsMax = 20;

/**
 * Filters for lists of deployments: a token that is limited to projects is refused without one. Each names as many of its
 * projects as one request may. An installation needs none, because the platform shows it only what it was given.
 */
export function projectFilters(identity: Identity): Query[] {
  const ids = (identity.projects ?? []).map(({ project_id: id }) => id);
  const [only] = ids;
  if (only === undefined || identity.installation_id !== undefined) return [{}];
  if (ids.length === 1) return [{ projectId: only }];
  const groups = Math.ceil(ids.length / projectIdsMax);
  return Array.from({ length: groups }, (_, at) => ({
    projectIds: ids.slice(at * projectIdsMax, (at + 1) * projectIdsMax),
  }));
}

/** Whether the request lists deployments and names no project. */
export function listsEveryProject({ method, path, query = {} }: Pick<StepRequest, "method" | "path" | "query">) {
  const isFiltered = ["projectId", "projectIds", "projectIds[]", "app"].some((name) => query[name] !== undefined);
  return method === "GET" && /^\/v\d+\/deployments$/.test(path) && !isFiltered;
}
