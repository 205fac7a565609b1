import type { Identity } from "../../account.ts";
import type { Query, StepRequest } from "../../work.ts";

/** "minItems: 1, maxItems: 20", says the vendor's description of `projectIds`. */
const projectIdsMax = 20;

/**
 * Whether the platform refuses a list of deployments that names no project. An installation may ask for all, because it is
 * shown only what it was given.
 */
export const isLimitedToken = ({ projects, installation_id }: Identity): boolean =>
  projects !== undefined && projects.length > 0 && installation_id === undefined;

/** Filters for lists of deployments. Each names as many projects of a limited token as one request may. */
export function projectFilters(identity: Identity): Query[] {
  if (!isLimitedToken(identity)) return [{}];
  const ids = (identity.projects ?? []).map(({ project_id: id }) => id);
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return [{ projectId: only }];
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
