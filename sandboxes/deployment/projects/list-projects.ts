import type { SandboxAnswer } from "../../server/sandbox.ts";
import { seesProject } from "../accounts/caller.ts";
import { badRequest } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { pageOf } from "../http/pages.ts";
import { readInteger, readLimit } from "../http/read-query.ts";
import type { Project } from "../records.ts";
import { requireProject } from "./find-project.ts";
import { viewProject } from "./project-view.ts";

const searchLengthMax = 100;

/** Version 9 pages by time (`until`); version 10 answers an opaque text instead, to be sent back as `from`. */
export function listProjects(request: ApiRequest): SandboxAnswer {
  const { world, owner, caller, query, version } = request;
  const isWanted = readFilter(query);
  const isTokenPaged = version >= 10;
  const from = query.get("from");
  const wish = {
    limit: readLimit(query),
    since: isTokenPaged ? null : readInteger(query, "from"),
    until: isTokenPaged && from ? readPageToken(from) : readInteger(query, "until"),
  };
  const { items, pagination } = pageOf(
    world.projects,
    wish,
    (project) => project.ownerId === owner.id && seesProject(caller, project.id) && isWanted(project),
  );
  const { count, next } = pagination;
  return ok({
    projects: items.map((project) => viewProject(world, project)),
    pagination: isTokenPaged ? { count, next: next === null ? null : pageToken(next) } : pagination,
  });
}

export function readProject(request: ApiRequest): SandboxAnswer {
  return ok(viewProject(request.world, requireProject(request, param(request, 0))));
}

export function listCustomEnvironments(request: ApiRequest): SandboxAnswer {
  requireProject(request, param(request, 0));
  // The plan's allowance; environments of one's own are not played here.
  return ok({ environments: [], accountLimit: { total: 1 } });
}

function readFilter(query: URLSearchParams): (project: Project) => boolean {
  const search = query.get("search")?.toLowerCase() ?? "";
  if (search.length > searchLengthMax)
    throw badRequest("Invalid request: `search` should NOT have more than 100 characters.");
  const repo = query.get("repo");
  const repoId = query.get("repoId");
  const repoUrl = query.get("repoUrl");
  const excluded = query.get("excludeRepos")?.split(",") ?? [];
  return ({ name, link }) =>
    name.includes(search) &&
    (!repo || link?.repo === repo || `${link?.org}/${link?.repo}` === repo) &&
    (!repoId || String(link?.repoId) === repoId) &&
    (!repoUrl || (link !== null && repoUrl.replace(/\.git$/, "").endsWith(`/${link.org}/${link.repo}`))) &&
    !(link && excluded.includes(link.repo));
}

const pageToken = (moment: number) => Buffer.from(`before:${moment}`).toString("base64url");

/** A plain number is taken too: the vendor's page mark is sometimes one. */
function readPageToken(text: string): number {
  const moment = Number(/^before:(\d+)$/.exec(Buffer.from(text, "base64url").toString())?.[1] ?? text);
  if (!Number.isInteger(moment)) throw badRequest("Invalid request: `from` is not a page mark.");
  return moment;
}
