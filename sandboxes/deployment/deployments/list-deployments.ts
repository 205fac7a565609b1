import type { SandboxAnswer } from "../../server/sandbox.ts";
import { seesProject } from "../accounts/caller.ts";
import { ApiError, badRequest, refuseByName } from "../http/api-error.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { pageOf } from "../http/pages.ts";
import { readFlag, readInteger, readLimit, readList } from "../http/read-query.ts";
import type { Deployment, Target } from "../records.ts";
import { findProjectByName, type World } from "../world.ts";
import { isRollbackCandidate } from "./deployment-view.ts";
import { itemText } from "./item-text.ts";

const states = ["BUILDING", "ERROR", "INITIALIZING", "QUEUED", "READY", "CANCELED", "BLOCKED", "DELETED"];

export function listDeployments(request: ApiRequest): SandboxAnswer {
  const { query, world, owner, caller } = request;
  const projectIds = readProjectIds(request);
  const tests = readTests(query, projectIds);
  const wish = {
    limit: readLimit(query),
    since: latest(readInteger(query, "since"), readInteger(query, "from")),
    until: earliest(readInteger(query, "until"), readInteger(query, "to")),
  };
  const { items, pagination } = pageOf(
    oneProject(world, projectIds) ?? world.deployments,
    wish,
    (deployment) =>
      deployment.ownerId === owner.id &&
      seesProject(caller, deployment.projectId) &&
      tests.every((test) => test(deployment)),
  );
  const texts = items.map((deployment) => itemText(world, deployment));
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: `{"deployments":[${texts.join(",")}],"pagination":${JSON.stringify(pagination)}}`,
  };
}

type Test = (deployment: Deployment) => boolean;

function readTests(query: URLSearchParams, projectIds: string[] | null): Test[] {
  const asked = readList(query, "state")?.map((state) => state.toUpperCase());
  const unknown = asked?.find((state) => !states.includes(state));
  if (unknown) throw badRequest(`Invalid request: \`state\` should be one of "${states.join(", ")}".`);
  const users = readList(query, "users");
  const target = query.get("target");
  const app = query.get("app");
  const branch = query.get("branch");
  const sha = query.get("sha");
  const meta = [...query].filter(([name]) => name.startsWith("meta-"));
  return [
    projectIds && ((each: Deployment) => projectIds.includes(each.projectId)),
    app && ((each: Deployment) => each.name === app),
    (each: Deployment) =>
      each.deletedAt === null ? !asked || asked.includes(each.readyState) : asked?.includes("DELETED"),
    users && ((each: Deployment) => users.includes(each.creatorId)),
    target && ((each: Deployment) => each.target === targetOf(target)),
    branch && ((each: Deployment) => each.meta.githubCommitRef === branch),
    sha && ((each: Deployment) => each.meta.githubCommitSha === sha),
    readFlag(query, "rollbackCandidate") && isRollbackCandidate,
    ...meta.map(
      ([name, value]) =>
        (each: Deployment) =>
          each.meta[name.slice("meta-".length)] === value,
    ),
  ].filter((test): test is Test => Boolean(test));
}

/** A filter says `preview`; the deployment itself says null. */
const targetOf = (target: string): Target | string => (target === "preview" ? null : target);

/** "maxItems: 20", in the vendor's description. */
const projectIdsMax = 20;

/** Filters that cannot stand together are the one documented use of 422. */
function readProjectIds({ query, world, owner }: ApiRequest): string[] | null {
  const one = query.get("projectId");
  const many = [...query.getAll("projectIds"), ...query.getAll("projectIds[]")].flatMap((each) => each.split(","));
  if (one && many.length > 0) {
    throw new ApiError(422, "unprocessable_entity", "`projectId` and `projectIds` cannot be used together.");
  }
  if (many.length > projectIdsMax) {
    throw badRequest(`Invalid request: \`projectIds\` should NOT have more than ${projectIdsMax} items.`);
  }
  const asked = one ? [one] : many;
  if (asked.length === 0) return null;
  for (const name of asked) refuseByName(name, world.clock.now());
  return asked.map((each) => findProjectByName(world, owner.id, each)?.id ?? each);
}

/** With one project asked for, only its own deployments are walked. */
const oneProject = (world: World, ids: string[] | null) =>
  ids?.length === 1 ? world.deploymentsOf.get(ids[0] ?? "") : undefined;

const latest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));
const earliest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
