import type { StepRequest } from "../../work.ts";
import { isRecord, textIn } from "./platform-records.ts";

/**
 * The names under which requests write variables. A variable whose value cannot be read shows only when it was last changed and by whom:
 * that may be another run's change, by its key or by its id, of any of its targets.
 */

type Variable = Readonly<Record<string, unknown>>;

const path = /^\/v\d+\/projects\/([^/]+)\/env(?:\/([^/]+))?$/;

/** Of every request that creates or changes variables. */
export function writtenNames(request: StepRequest): string[] {
  const [, project, id] = path.exec(request.path) ?? [];
  if (project === undefined) return [];
  if (id !== undefined) return request.method === "PATCH" ? [ofId(id)] : [];
  if (request.method !== "POST") return [];
  const keys = new Set(variablesIn(request).map(({ key }) => String(key)));
  const named = [...keys].map((key) => ofKey(project, key));
  const changed = [...keys].map((key) => ofChanged(project, key));
  return isUpsert(request) ? [...named, ...changed] : named;
}

/** Of what a request writes that cannot be read. By its id any change counts: it moves the time of the last one. */
export function ambiguousNames(request: StepRequest): string[] {
  const [, project, id] = path.exec(request.path) ?? [];
  if (project === undefined) return [];
  if (id !== undefined) return request.method === "PATCH" ? [ofId(id)] : [];
  if (request.method !== "POST" || !isUpsert(request)) return [];
  const keys = new Set(
    variablesIn(request)
      .filter(isHidden)
      .map(({ key }) => String(key)),
  );
  return [...keys].map((key) => ofKey(project, key));
}

/** Under which names others may have changed a variable that was found. `projects` are the names of its project. */
export function otherNames({ method }: StepRequest, variable: Variable, projects: readonly string[]): string[] {
  const key = String(variable.key);
  // By its id, it is older than the request: who created it has not changed it since.
  if (method === "PATCH") return projects.map((project) => ofChanged(project, key));
  return [ofId(textIn(variable, "id") ?? ""), ...projects.map((project) => ofKey(project, key))];
}

export const isUpsert = ({ query = {} }: StepRequest): boolean => String(query.upsert) === "true";

const variablesIn = ({ body }: StepRequest): Variable[] => [body].flat().filter(isRecord);

const isHidden = ({ value, type }: Variable): boolean => value !== undefined && type !== "plain";

const ofId = (id: string): string => `variable ${id}`;
const ofKey = (project: string, key: string): string => `variable ${project} ${key}`;
const ofChanged = (project: string, key: string): string => `changed variable ${project} ${key}`;
