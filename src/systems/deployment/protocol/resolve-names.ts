import type { Resource } from "../../define.ts";
import { segment } from "../../paths.ts";
import { type Query, send, type Work } from "../../work.ts";
import { apiRequest } from "./api-request.ts";
import { otherTeam } from "./endpoints.ts";
import { isRecord, textIn } from "./platform-records.ts";

/** A project under its id and its name; a deployment with its project. */
export function* resolve(resource: Resource): Work<Resource[]> {
  const query = scopeIn(resource);
  if (resource.kind === "deployment") {
    const { body } = yield* send(apiRequest("GET", `/v13/deployments/${segment(resource.id)}`, { query }));
    const project = isRecord(body) ? body.project : null;
    return [resource, ...namesOf(resource, textIn(body, "projectId"), textIn(project, "name"))];
  }
  if (resource.kind !== "project") return [resource];
  const { body } = yield* send(apiRequest("GET", `/v9/projects/${segment(resource.id)}`, { query }));
  const found = namesOf(resource, textIn(body, "id"), textIn(body, "name"));
  return found.length > 0 ? found : [resource];
}

/** The marker starts with the team of the request. */
function scopeIn({ same = "" }: Resource): Query {
  const [, name, value] = /^(?:other )?(teamId|slug)=(\S+) /.exec(same) ?? [];
  return name !== undefined && value !== undefined ? { [name]: value } : {};
}

/** A project of another team than the account's own matches only by id: a policy that says "web" means the own one. */
function namesOf({ same = "" }: Resource, id: string | null, name: string | null): Resource[] {
  const names = same.startsWith(otherTeam) ? [id] : [id, name];
  return names
    .filter((each) => each !== null)
    .map((each) => ({ kind: "project", id: each, same: `project ${id ?? name}` }));
}
