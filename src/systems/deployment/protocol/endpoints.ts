import type { Identity } from "../../account.ts";
import type { Resource } from "../../define.ts";
import type { PathRules } from "../../paths.ts";
import type { Effect, Method, Query, StepRequest } from "../../work.ts";
import { isRecord } from "./platform-records.ts";

/** Facts about single endpoints. Versions are per endpoint, so paths are compared without them. */

export const deploymentPaths: PathRules = { leadingSlash: true, prefix: /^\/v[0-9]+\/./, example: "/v13/deployments" };

const withoutVersion = (path: string): string => path.replace(/^\/v[0-9]+/, "");

/** Their values are mostly secrets, whatever their names. */
export const isAboutVariables = (path: string): boolean => /\/env(\/|$)/.test(path);

type Known = Pick<StepRequest, "effect" | "idempotent">;

const update: Known = { effect: "update", idempotent: true };
const remove: Known = { effect: "delete", idempotent: true };

/**
 * Those that are known to have no more effect if they are sent twice: they set values or a state, or they delete by an id,
 * which the platform never uses again. A name is used again: the record that it names may be another one by then.
 */
const repeatable: readonly [Method, RegExp, Known][] = [
  ["PATCH", /^\/deployments\/[^/]+\/cancel$/, update],
  ["PATCH", /^\/projects\/[^/]+$/, update],
  ["PATCH", /^\/projects\/[^/]+\/domains\/[^/]+$/, update],
  ["POST", /^\/projects\/[^/]+\/domains\/[^/]+\/verify$/, update],
  ["PATCH", /^\/projects\/[^/]+\/env\/[^/]+$/, update],
  ["PATCH", /^\/domains\/records\/[^/]+$/, update],
  ["DELETE", /^\/deployments\/dpl_[^/]+$/, remove],
  ["DELETE", /^\/projects\/prj_[^/]+$/, remove],
  ["DELETE", /^\/projects\/[^/]+\/env\/[^/]+$/, remove],
  ["DELETE", /^\/domains\/[^/]+\/records\/[^/]+$/, remove],
  ["DELETE", /^\/certs\/[^/]+$/, remove],
  ["DELETE", /^\/webhooks\/[^/]+$/, remove],
];
/** Not what their method says. */
const exceptions: readonly [Method, RegExp, Effect][] = [
  // "How the command line finishes an order": each call issues a certificate.
  ["PATCH", /^\/certs$/, "create"],
  ["PUT", /^\/certs$/, "create"],
  ["POST", /^\/projects\/[^/]+\/(promote|rollback|pause|unpause|transfer-request)(\/|$)/, "update"],
];
const byMethod: Partial<Record<Method, Effect>> = { PUT: "update", PATCH: "update", DELETE: "delete" };

export function effectOf(method: Method, path: string, query: StepRequest["query"] = {}): Known {
  if (method === "GET") return { effect: "read", idempotent: true };
  const short = withoutVersion(path);
  const isUpsert = String(query.upsert) === "true" && /^\/projects\/[^/]+\/env$/.test(short);
  if (method === "POST" && isUpsert) return update;
  const isIts = ([verb, shape]: readonly [Method, RegExp, unknown]) => verb === method && shape.test(short);
  // `url` in the query overrides the deployment in the path.
  const found = query.url === undefined ? repeatable.find(isIts) : undefined;
  if (found) return found[2];
  // A create has no idempotency key: sent twice, it creates two.
  const effect = exceptions.find(isIts)?.[2] ?? byMethod[method] ?? "create";
  return { effect, idempotent: false };
}

/** Endpoints that share one limit at the system, by name. All others share another one. */
const groups: readonly [name: string, Method | "any", RegExp][] = [
  ["deployments list", "GET", /^\/deployments$/],
  ["deployments created", "POST", /^\/deployments$/],
  ["deployments deleted", "DELETE", /^\/deployments\/[^/]+$/],
  ["deployments read", "GET", /^\/deployments\//],
  ["runtime logs", "GET", /\/runtime-logs$/],
  ["variables list", "GET", /^\/projects\/[^/]+\/env/],
  ["variables created", "POST", /^\/projects\/[^/]+\/env/],
  ["variables updated", "PATCH", /^\/projects\/[^/]+\/env/],
  ["variables deleted", "DELETE", /^\/projects\/[^/]+\/env/],
  ["project domains", "any", /^\/projects\/[^/]+\/domains/],
  ["projects read", "GET", /^\/projects/],
  ["projects written", "any", /^\/projects/],
  ["domains read", "GET", /^\/domains/],
  ["members read", "GET", /^\/teams\/[^/]+\/members/],
  ["teams read", "GET", /^\/teams/],
  ["user read", "GET", /^\/user$/],
  ["webhooks created", "POST", /^\/webhooks$/],
];

const found = new WeakMap<object, string>();

/** Used before the request is sent, and again when its answer reports the same limit. */
export function groupOf(request: Pick<StepRequest, "method" | "path">): string {
  let group = found.get(request);
  if (group === undefined) {
    const short = withoutVersion(request.path);
    const isIts = (verb: string, shape: RegExp) => (verb === "any" || verb === request.method) && shape.test(short);
    group = groups.find(([, verb, shape]) => isIts(verb, shape))?.[0] ?? "other";
    found.set(request, group);
  }
  return group;
}

/** Projects and deployments that a request names, by id or name. */
export function resourcesOf(request: StepRequest, identity: Identity): Resource[] | null {
  const { path, query = {}, body } = request;
  const short = withoutVersion(path);
  // `url` in the query overrides the deployment in the path, so the path says nothing then.
  if (query.url !== undefined && short.startsWith("/deployments/")) return null;
  const [, project, , made] = /^\/projects\/([^/]+)(\/deployments\/([^/]+))?/.exec(short) ?? [];
  const [, one] = /^\/deployments\/([^/]+)/.exec(short) ?? [];
  const scope = scopeOf(query, identity);
  if (scope === null) return null;
  const inPath = [...named("project", scope, plain(project)), ...named("deployment", scope, plain(made ?? one))];
  if (inPath.length > 0) return inPath;
  if (short === "/deployments")
    return orNull(request.method === "POST" ? createdFor(body, scope) : listedOf(query, scope));
  // Reading teams and domains touches no project. Changing them can affect all of a team's projects.
  return request.effect === "read" && /^\/(teams|user|domains)(\/|$)/.test(short) ? [] : null;
}

const plain = (segment: string | undefined): string[] => (segment === undefined ? [] : [decodeURIComponent(segment)]);
const orNull = (found: Resource[]): Resource[] | null => (found.length > 0 ? found : null);

/** A create names its project, or its own name, which is then the project's. */
function createdFor(body: unknown, scope: string): Resource[] {
  if (!isRecord(body)) return [];
  const project = body.project ?? (body.deploymentId === undefined ? body.name : undefined);
  return [...named("project", scope, [project]), ...named("deployment", scope, [body.deploymentId])];
}

function listedOf(query: Query, scope: string): Resource[] {
  const ids = [query.projectId, query.projectIds, query["projectIds[]"]].flat();
  return named(
    "project",
    scope,
    ids.flatMap((id) => (id === undefined ? [] : String(id).split(","))),
  );
}

/**
 * The team of a request, as a query for another one. Names differ between teams, so a team other than the account's own
 * is marked. Null if the platform could read more than one team in it.
 */
function scopeOf({ teamId, slug }: Query, { team_id, team_slug }: Identity): string | null {
  const given = teamId ?? slug;
  if (given === undefined) return "";
  if ((teamId !== undefined && slug !== undefined) || typeof given !== "string" || !/^\S+$/.test(given)) return null;
  const isOwn = given === team_id || given === team_slug;
  return `${isOwn ? "" : otherTeam}${teamId === undefined ? "slug" : "teamId"}=${given}`;
}

export const otherTeam = "other ";

/** Each carries its team, so that it is looked up in the same team as the request. */
const named = (kind: Resource["kind"], scope: string, ids: readonly unknown[]): Resource[] =>
  ids
    .filter((id): id is string => typeof id === "string" && id !== "")
    .map((id) => ({ kind, id, same: `${scope} ${kind} ${id}` }));
