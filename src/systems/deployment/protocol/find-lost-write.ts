import type { ProbeResult } from "../../define.ts";
import { goneWarnings, hasValues } from "../../lost-write-warnings.ts";
import { type Answer, type Query, type StepRequest, send, type Work } from "../../work.ts";
import { apiRequest } from "./api-request.ts";
import { isRecord, stateOf, textIn } from "./platform-records.ts";
import { findVariable, hasBeenSet, listVariables, type Sent, variablesMax } from "./read-variables.ts";
import { isUpsert, otherNames } from "./variable-names.ts";

type ReadBack = ProbeResult<Pick<Answer, "status" | "headers" | "body">>;

type Variable = Readonly<Record<string, unknown>>;

/** Where to look, by method and path: the first one that fits. */
const looks: readonly [
  method: string,
  path: RegExp,
  look: (request: StepRequest, sent: Sent, ...ids: string[]) => Work<ReadBack>,
][] = [
  ["PATCH", /^\/v\d+\/deployments\/([^/]+)\/cancel$/, cancelled],
  ["DELETE", /^\/v\d+\/deployments\/([^/]+)$/, deletedDeployment],
  ["DELETE", /^\/v\d+\/projects\/([^/]+)$/, deletedProject],
  ["DELETE", /^\/v\d+\/projects\/([^/]+)\/domains\/([^/]+)$/, removedDomain],
  ["DELETE", /^\/v\d+\/projects\/([^/]+)\/env\/([^/]+)$/, deletedVariable],
  ["DELETE", /^\/v\d+\/webhooks\/([^/]+)$/, deletedWebhook],
  ["DELETE", /^\/v\d+\/domains\/[^/]+\/records\/([^/]+)$/, deletedDnsRecord],
  ["DELETE", /^\/v\d+\/certs\/([^/]+)$/, deletedCertificate],
  ["DELETE", /^\/v\d+\/domains\/([^/]+)$/, deletedDomain],
  ["DELETE", /^\/v\d+\/aliases\/([^/]+)$/, deletedAlias],
  ["PATCH", /^\/v\d+\/domains\/records\/([^/]+)$/, changedDnsRecord],
  ["PATCH", /^\/v\d+\/projects\/([^/]+)$/, changedProject],
  ["PATCH", /^\/v\d+\/projects\/([^/]+)\/domains\/([^/]+)$/, changedDomain],
  ["POST", /^\/v\d+\/projects\/([^/]+)\/domains\/([^/]+)\/verify$/, verifiedDomain],
  ["PATCH", /^\/v\d+\/projects\/([^/]+)\/env\/([^/]+)$/, changedVariable],
  ["POST", /^\/v\d+\/projects\/([^/]+)\/env$/, upsertedVariables],
];

/**
 * Whether a call whose answer was lost has happened, as far as the records show it, with the answer that it must have
 * had. "Did not" is said only where a record cannot have been made or changed again since: names are used again, ids
 * are not.
 */
export function* readBack(request: StepRequest, sent: Sent): Work<ReadBack> {
  // `url` in the query overrides the deployment in the path.
  if (request.query?.url !== undefined) return "cannot tell";
  for (const [method, path, look] of looks) {
    const ids = method === request.method ? path.exec(request.path)?.slice(1) : undefined;
    if (ids) return yield* look(request, sent, ...ids);
  }
  return "cannot tell";
}

function* cancelled(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v13/deployments/${id}`));
  return stateOf(answer.body) === "CANCELED" ? { output: answer } : "did not";
}

function* deletedDeployment(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v13/deployments/${id}`, "perhaps absent"));
  const isGone = answer.status === 404 || stateOf(answer.body) === "DELETED";
  return isGone ? gone(answer, 200, { uid: id, state: "DELETED" }) : ifStill(id, "dpl_");
}

function* deletedProject(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v9/projects/${id}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 204, "") : ifStill(id, "prj_");
}

function* removedDomain(request: StepRequest, _: Sent, project = "", domain = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v9/projects/${project}/domains/${domain}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 200, {}) : "cannot tell";
}

function* deletedVariable(request: StepRequest, _: Sent, project = "", id = ""): Work<ReadBack> {
  const list = yield* listVariables(project, scopeOf(request));
  if (list === null) return "cannot tell";
  return list.variables.some((each) => textIn(each, "id") === id) ? "did not" : gone(list.answer, 200, { id });
}

function* deletedWebhook(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v1/webhooks/${id}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 204, "") : "did not";
}

function* deletedDnsRecord(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v1/domains/records/${id}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 200, {}) : "did not";
}

/** Versions below 8 answer without a body. */
function* deletedCertificate(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v8/certs/${id}`, "perhaps absent"));
  const isOld = /^\/v[1-7]\//.test(request.path);
  return answer.status === 404 ? gone(answer, isOld ? 204 : 200, isOld ? "" : {}) : "did not";
}

function* deletedDomain(request: StepRequest, _: Sent, domain = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v5/domains/${domain}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 200, {}) : "cannot tell";
}

function* deletedAlias(request: StepRequest, _: Sent, alias = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v4/aliases/${alias}`, "perhaps absent"));
  return answer.status === 404 ? gone(answer, 200, { status: "SUCCESS" }) : "cannot tell";
}

function* changedDnsRecord(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  return yield* changedRecord(request, `/v1/domains/records/${id}`);
}

function* changedProject(request: StepRequest, _: Sent, id = ""): Work<ReadBack> {
  return yield* changedRecord(request, `/v9/projects/${id}`);
}

function* changedDomain(request: StepRequest, _: Sent, project = "", domain = ""): Work<ReadBack> {
  return yield* changedRecord(request, `/v9/projects/${project}/domains/${domain}`);
}

function* changedRecord(request: StepRequest, path: string): Work<ReadBack> {
  const answer = yield* send(reading(request, path));
  const isChanged = isRecord(answer.body) && isRecord(request.body) && hasValues(answer.body, request.body);
  return isChanged ? { output: answer } : "cannot tell";
}

/** "Domain is already verified" is a success too. To check one again that is not does no harm. */
function* verifiedDomain(request: StepRequest, _: Sent, project = "", domain = ""): Work<ReadBack> {
  const answer = yield* send(reading(request, `/v9/projects/${project}/domains/${domain}`));
  return isRecord(answer.body) && answer.body.verified === true ? { output: answer } : "did not";
}

function* changedVariable(request: StepRequest, sent: Sent, project = "", id = ""): Work<ReadBack> {
  const list = yield* listVariables(project, scopeOf(request));
  const variable = list?.variables.find((each) => textIn(each, "id") === id);
  // One that nobody has changed since it was created shows the time of that.
  const isNew = variable?.updatedAt === variable?.createdAt;
  const isChanged = list && variable && !isNew && isRecord(request.body) && hasBeenSet(variable, request.body, sent);
  if (!isChanged) return "cannot tell";
  return { output: { ...list.answer, body: variable }, names: yield* hiddenNames(request, [variable], project, sent) };
}

/** A batch succeeds in part; then the repeat says which of them failed. */
function* upsertedVariables(request: StepRequest, sent: Sent, project = ""): Work<ReadBack> {
  const wanted = upsertedIn(request);
  const list = wanted.length > 0 ? yield* listVariables(project, scopeOf(request)) : null;
  if (list === null) return "cannot tell";
  const found = wanted.map((each) => {
    const variable = findVariable(list.variables, each);
    return variable && hasBeenSet(variable, each, sent) ? variable : null;
  });
  const set = found.filter((each) => each !== null);
  if (set.length < found.length) return "cannot tell";
  const created = Array.isArray(request.body) ? set : set[0];
  const output = { status: 201, headers: list.answer.headers, body: { created, failed: [] } };
  return { output, names: yield* hiddenNames(request, set, project, sent) };
}

/** The variables that a request creates or changes; none if it may only create them, or if there are very many. */
function upsertedIn(request: StepRequest): Record<string, unknown>[] {
  const all = [request.body].flat();
  const isKnown = isUpsert(request) && all.length <= variablesMax && all.every(isRecord);
  return isKnown ? all.filter(isRecord) : [];
}

/** Under which names others may have changed variables whose values are not shown. */
function* hiddenNames(
  request: StepRequest,
  found: readonly Variable[],
  project: string,
  { identity }: Sent,
): Work<string[]> {
  const hidden = found.filter(isHidden);
  if (hidden.length === 0) return [];
  const projects = yield* projectNames(request, project);
  return hidden.flatMap((variable) => otherNames(request, variable, projects, identity));
}

/** The project's names: another run may have named it otherwise. */
function* projectNames(request: StepRequest, project: string): Work<string[]> {
  const { body } = yield* send(reading(request, `/v9/projects/${project}`, "perhaps absent"));
  return [...new Set([project, textIn(body, "id"), textIn(body, "name")])].filter((name) => name !== null);
}

/** Whose value is not shown. */
const isHidden = ({ type, decrypted }: Variable): boolean => type !== "plain" && decrypted !== true;

function reading(request: StepRequest, path: string, absent?: "perhaps absent"): StepRequest {
  return { ...apiRequest("GET", path, { query: scopeOf(request) }), ...(absent && { mayBeAbsent: true }) };
}

/** In the same team as the request. */
function scopeOf({ query = {} }: StepRequest): Query {
  const { teamId, slug } = query;
  return { ...(teamId !== undefined && { teamId }), ...(slug !== undefined && { slug }) };
}

/** `status` and `body` are those of the answer that was lost. */
const gone = ({ headers }: Answer, status: number, body: unknown): ReadBack => ({
  output: { status, headers, body },
  warnings: goneWarnings,
});

const ifStill = (id: string, prefix: string): ReadBack => (id.startsWith(prefix) ? "did not" : "cannot tell");
