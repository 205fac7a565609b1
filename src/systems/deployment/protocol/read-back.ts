import { goneWarnings, hasValues } from "../../read-back.ts";
import { type Answer, type Done, type StepRequest, send, type Work } from "../../work.ts";
import { apiRequest } from "./api-request.ts";
import { isRecord, stateOf, textIn } from "./records.ts";

type ReadBack = Done<Pick<Answer, "status" | "headers" | "body">> | "did not" | "cannot tell";

/** Where to look, by method and path: the first one that fits. */
const looks: readonly [
  method: string,
  path: RegExp,
  look: (request: StepRequest, ...ids: string[]) => Work<ReadBack>,
][] = [
  ["PATCH", /^\/v\d+\/deployments\/([^/]+)\/cancel$/, cancelled],
  ["DELETE", /^\/v\d+\/deployments\/([^/]+)$/, deletedDeployment],
  ["DELETE", /^\/v\d+\/projects\/([^/]+)$/, deletedProject],
  ["DELETE", /^\/v\d+\/projects\/([^/]+)\/domains\/([^/]+)$/, removedDomain],
  ["DELETE", /^\/v\d+\/projects\/([^/]+)\/env\/([^/]+)$/, deletedVariable],
  ["PATCH", /^\/v\d+\/projects\/([^/]+)$/, changedProject],
];

/**
 * Whether a call whose answer was lost has happened, as far as the records show it, with the answer that it must have
 * had. "Did not" is said only where a record cannot have been made or changed again since: names are used again, ids
 * are not. Values of variables are encrypted, so nothing shows whether they were changed.
 */
export function* readBack(request: StepRequest): Work<ReadBack> {
  // `url` in the query overrides the deployment in the path.
  if (request.query?.url !== undefined) return "cannot tell";
  for (const [method, path, look] of looks) {
    const ids = method === request.method ? path.exec(request.path)?.slice(1) : undefined;
    if (ids) return yield* look(request, ...ids);
  }
  return "cannot tell";
}

function* cancelled(request: StepRequest, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v13/deployments/${id}`));
  return stateOf(answer.body) === "CANCELED" ? { output: answer } : "did not";
}

function* deletedDeployment(request: StepRequest, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v13/deployments/${id}`, "perhaps absent"));
  const isGone = answer.status === 404 || stateOf(answer.body) === "DELETED";
  return isGone ? gone(answer, 200, { uid: id, state: "DELETED" }) : ifStill(id, "dpl_");
}

function* deletedProject(request: StepRequest, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v9/projects/${id}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 204, "") : ifStill(id, "prj_");
}

function* removedDomain(request: StepRequest, project = "", domain = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v9/projects/${project}/domains/${domain}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 200, {}) : "cannot tell";
}

/** Read from the list: a single variable is returned with its decrypted value. */
function* deletedVariable(request: StepRequest, project = "", id = ""): Work<ReadBack> {
  const answer = yield* send({ ...reading(request, `/v9/projects/${project}/env`), hides: ["value"] });
  const { envs, pagination } = isRecord(answer.body) ? answer.body : {};
  const isWhole = Array.isArray(envs) && !(isRecord(pagination) && pagination.next);
  if (!isWhole) return "cannot tell";
  return envs.some((each) => textIn(each, "id") === id) ? "did not" : gone(answer, 200, { id });
}

function* changedProject(request: StepRequest, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v9/projects/${id}`));
  const isChanged = isRecord(answer.body) && isRecord(request.body) && hasValues(answer.body, request.body);
  return isChanged ? { output: answer } : "cannot tell";
}

/** In the same team as the request. */
function reading({ query = {} }: StepRequest, path: string, absent?: "perhaps absent"): StepRequest {
  const { teamId, slug } = query;
  const scope = { ...(teamId !== undefined && { teamId }), ...(slug !== undefined && { slug }) };
  return { ...apiRequest("GET", path, { query: scope }), ...(absent && { mayBeAbsent: true }) };
}

/** `status` and `body` are those of the answer that was lost. */
const gone = ({ headers }: Answer, status: number, body: unknown): ReadBack => ({
  output: { status, headers, body },
  warnings: goneWarnings,
});

const ifStill = (id: string, prefix: string): ReadBack => (id.startsWith(prefix) ? "did not" : "cannot tell");
