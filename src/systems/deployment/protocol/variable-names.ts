import type { Identity } from "../../account.ts";
import type { StepRequest } from "../../work.ts";
import { isRecord, textIn } from "./platform-records.ts";
import { variablesMax } from "./read-variables.ts";

/**
 * The names under which requests write variables. A variable whose value cannot be read shows only when it was last changed and by whom:
 * that may be another run's change, by its key or by its id, of any of its targets. Only a change by the same user is taken for one's own,
 * so a project of another user that has the same name does not matter.
 */

type Variable = Readonly<Record<string, unknown>>;

const path = /^\/v\d+\/projects\/([^/]+)\/env(?:\/([^/]+))?$/;

/** Of every request that creates or changes variables. */
export function writtenNames(request: StepRequest, identity: Identity): string[] {
  const [, project, id] = path.exec(request.path) ?? [];
  if (project === undefined) return [];
  if (id !== undefined) return request.method === "PATCH" ? [ofId(id)] : [];
  if (request.method !== "POST") return [];
  const user = userOf(identity);
  // A caller decides how many there are: very many have one name.
  if (isMany(request)) return [ofMany(user, project)];
  const keys = keysIn(variablesIn(request));
  const named = keys.map((key) => ofKey(user, project, key));
  const changed = keys.map((key) => ofChanged(user, project, key));
  return isUpsert(request) ? [...named, ...changed] : named;
}

/** Of what a request writes that cannot be read. By its id any change counts: it moves the time of the last one. */
export function ambiguousNames(request: StepRequest, identity: Identity): string[] {
  const [, project, id] = path.exec(request.path) ?? [];
  if (project === undefined) return [];
  if (id !== undefined) return request.method === "PATCH" ? [ofId(id)] : [];
  // Of very many, none is looked for.
  if (request.method !== "POST" || !isUpsert(request) || isMany(request)) return [];
  return keysIn(variablesIn(request).filter(isHidden)).map((key) => ofKey(userOf(identity), project, key));
}

/** Under which names others may have changed a variable that was found. `projects` are the names of its project. */
export function otherNames(
  { method }: StepRequest,
  variable: Variable,
  projects: readonly string[],
  identity: Identity,
): string[] {
  const key = keyOf(variable);
  // An account may not know its user.
  const users = [...new Set([userOf(identity), ""])];
  const places = users.flatMap((user) => projects.map((project) => [user, project] as const));
  const many = places.map(([user, project]) => ofMany(user, project));
  // By its id, it is older than the request: who created it has not changed it since.
  if (method === "PATCH") return [...many, ...places.map(([user, project]) => ofChanged(user, project, key))];
  const id = ofId(textIn(variable, "id") ?? "");
  return [id, ...many, ...places.map(([user, project]) => ofKey(user, project, key))];
}

export const isUpsert = ({ query = {} }: StepRequest): boolean => String(query.upsert) === "true";

const isMany = ({ body }: StepRequest): boolean => Array.isArray(body) && body.length > variablesMax;

const variablesIn = ({ body }: StepRequest): Variable[] => [body].flat().filter(isRecord);

const isHidden = ({ value, type }: Variable): boolean => value !== undefined && type !== "plain";

const userOf = ({ user_id }: Identity): string => user_id ?? "";

const keysIn = (variables: readonly Variable[]): string[] => [...new Set(variables.map(keyOf))];

/** The platform refuses one that is no text. */
const keyOf = ({ key }: Variable): string => (typeof key === "string" ? key : "");

const ofId = (id: string): string => `variable ${id}`;
const ofKey = (user: string, project: string, key: string): string => `variable ${user} ${project} ${key}`;
const ofChanged = (user: string, project: string, key: string): string => `changed variable ${user} ${project} ${key}`;
const ofMany = (user: string, project: string): string => `variables ${user} ${project}`;
