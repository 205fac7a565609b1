import type { Identity } from "../../account.ts";
import type { Option, OptionSource } from "../../define.ts";
import { segment } from "../../paths.ts";
import { pageRowsIn } from "../../read-pages.ts";
import { type Query, StepFailed, type StepRequest, send, type Work } from "../../work.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { branchOf, createdOf, idOf, isRecord, readDeployment, textIn } from "../protocol/platform-records.ts";
import { projectFilters } from "../protocol/project-filters.ts";

type Offered = { options: Option[]; next: string | null };

const pageRows = 50;
const pageMax = 100;

const rowsIn = (body: unknown, name: string): Record<string, unknown>[] =>
  pageRowsIn(isRecord(body) ? body[name] : null, pageMax).filter(isRecord);

const nextIn = (body: unknown): string | null => {
  const next = isRecord(body) && isRecord(body.pagination) ? body.pagination.next : null;
  return next === null || next === undefined ? null : String(next);
};

const page = (after: string | null) => ({ limit: pageRows, ...(after !== null && { until: after }) });

/** Projects by name, searched at the platform. An account that is limited to projects is offered only those. */
export const projectOptions: OptionSource = {
  *work({ query, after, identity }): Work<Offered> {
    const search = query.trim().slice(0, 100);
    const request = apiRequest("GET", "/v9/projects", { query: { ...page(after), ...(search && { search }) } });
    const only = identity?.projects;
    const body = only === undefined ? (yield* send(request)).body : yield* readUnlessDenied(request);
    if (only !== undefined && body === null) return { options: ofIdentity(only, search), next: null };
    const isOffered = ({ id }: Record<string, unknown>) => !only || only.some(({ project_id }) => project_id === id);
    const options = rowsIn(body, "projects")
      .filter(isOffered)
      .map((project) => {
        const link = isRecord(project.link) ? project.link : {};
        const repository = textIn(link, "repo") ?? textIn(link, "projectName") ?? textIn(link, "slug");
        return {
          value: String(project.id),
          label: String(project.name),
          ...(repository === null ? { hint: "no linked repository" } : { hint: repository }),
        };
      });
    return { options, next: nextIn(body) };
  },
};

const ofIdentity = (projects: NonNullable<Identity["projects"]>, search: string): Option[] =>
  projects.filter(({ name }) => matches(name, search)).map(({ project_id: id, name }) => ({ value: id, label: name }));

/** Null if the account may not list: a token that is limited to projects. */
function* readUnlessDenied(request: StepRequest): Work<unknown> {
  try {
    return (yield* send(request)).body;
  } catch (error) {
    if (error instanceof StepFailed && error.failure.code === "permission_denied") return null;
    throw error;
  }
}

/** The production branch first, then every branch of the project's deployments. */
export const branchOptions: OptionSource = {
  *work({ query, after, input }): Work<Offered> {
    const project = typeof input.project === "string" ? input.project.trim() : "";
    if (project === "") return { options: [], next: null };
    const known = after === null ? yield* productionBranch(project) : [];
    const filter = { ...page(after), limit: pageMax, projectId: project };
    const { body } = yield* send(apiRequest("GET", "/v6/deployments", { query: filter }));
    const seen = rowsIn(body, "deployments").flatMap((each) => branchOf(each) ?? []);
    const branches = [...new Set([...known, ...seen])].filter((branch) => matches(branch, query));
    return { options: branches.map((branch) => ({ value: branch, label: branch })), next: nextIn(body) };
  },
};

function* productionBranch(project: string): Work<string[]> {
  const { body } = yield* send(apiRequest("GET", `/v9/projects/${segment(project)}`));
  const branch = isRecord(body) ? textIn(body.link, "productionBranch") : null;
  return branch === null ? [] : [branch];
}

const matches = (text: string, query: string): boolean => text.toLowerCase().includes(query.trim().toLowerCase());

/** Deployments in some states, newest first; the query matches name, branch, address and id. */
const deploymentOptions = (states: string): OptionSource => ({
  *work({ query, after, input, identity }): Work<Offered> {
    const project = typeof input.project === "string" && input.project !== "" ? { projectId: input.project } : null;
    const filters = project === null && identity ? projectFilters(identity) : [project ?? {}];
    const { rows, next } = yield* readNewest({ ...page(after), state: states }, filters);
    const options = rows.flatMap((record) => {
      const { deployment_id: id, state, branch, environment, created_at: at, url } = readDeployment(record);
      const label = [textIn(record, "name"), branch, environment].filter(Boolean).join(" · ");
      const option = { value: id, label, hint: `${state}, ${at}`, state, at };
      return matches(`${label} ${url} ${id}`, query) ? [option] : [];
    });
    return { options, next };
  },
});

/**
 * A page of the deployments of all filters, newest first. Several lists end at different times: what is older than the
 * latest of these ends belongs to the next page.
 */
function* readNewest(query: Query, filters: readonly Query[]): Work<{ rows: unknown[]; next: string | null }> {
  const bodies: unknown[] = [];
  for (const filter of filters) {
    bodies.push((yield* send(apiRequest("GET", "/v6/deployments", { query: { ...query, ...filter } }))).body);
  }
  const rows = bodies.flatMap((body) => rowsIn(body, "deployments"));
  const ends = bodies.flatMap((body) => nextIn(body) ?? []);
  if (filters.length === 1 || ends.length === 0) return { rows: newestFirst(rows), next: ends[0] ?? null };
  const end = Math.max(...ends.map(Number));
  return { rows: newestFirst(rows).filter((row) => createdOf(row) >= end), next: String(end) };
}

const newestFirst = (rows: readonly unknown[]): unknown[] => rows.toSorted((a, b) => createdOf(b) - createdOf(a));

/** "a queued or ongoing deployment can be cancelled": both are offered. */
export const cancelOptions = deploymentOptions("QUEUED,INITIALIZING,BUILDING");
export const redeployOptions = deploymentOptions("READY,ERROR,CANCELED");

export const teamOptions: OptionSource = {
  *work({ query, after }): Work<Offered> {
    const { body } = yield* send(apiRequest("GET", "/v2/teams", { query: page(after) }));
    const options = rowsIn(body, "teams").flatMap((team) => {
      const name = textIn(team, "name") ?? textIn(team, "slug") ?? "";
      const slug = textIn(team, "slug") ?? "";
      return matches(`${name} ${slug}`, query) ? [{ value: idOf(team) ?? "", label: name, hint: slug }] : [];
    });
    return { options, next: nextIn(body) };
  },
};
