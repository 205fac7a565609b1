import { canonicalJson } from "../../../kernel/strict-json.ts";
import type { Identity } from "../../account.ts";
import type { SentThen } from "../../made-then.ts";
import { type Answer, type StepRequest, send, type Work } from "../../work.ts";
import { apiRequest } from "./api-request.ts";
import { isRecord, textIn } from "./platform-records.ts";

/** What the list of a project's variables shows of a write whose answer was lost. */

type Variable = Record<string, unknown>;

/** `identity` is the account that sent it. */
export interface Sent extends SentThen {
  readonly identity: Identity;
}

export interface Listed {
  answer: Answer;
  variables: Variable[];
}

/** Of more variables in one request, none is looked for. */
export const variablesMax = 100;

/** The `Date` header, from which the system's clock is known, has whole seconds. */
const clockToleranceMilliseconds = 1000;

/** All of them, from the list: a single variable is returned with its decrypted value. Null if there are more pages. */
export function* listVariables(project: string, query: StepRequest["query"]): Work<Listed | null> {
  const path = `/v9/projects/${project}/env`;
  const answer = yield* send({ ...apiRequest("GET", path, query ? { query } : {}), hides: ["value"] });
  const { envs, pagination } = isRecord(answer.body) ? answer.body : {};
  const isWhole = Array.isArray(envs) && !(isRecord(pagination) && pagination.next);
  return isWhole ? { answer, variables: envs.filter(isRecord) } : null;
}

/** "Uniqueness: key + each target + gitBranch." */
export const findVariable = (variables: readonly Variable[], { key, target, gitBranch }: Variable): Variable | null =>
  variables.find(
    (each) =>
      each.key === key && listed(each.target) === listed(target) && (each.gitBranch ?? null) === (gitBranch ?? null),
  ) ?? null;

/**
 * Whether a variable has the values that were sent. A value that the system does not show is believed to be the one
 * sent if the same account changed the variable just then; the caller rules out its other runs.
 */
export function hasBeenSet(variable: Variable, { value, ...shown }: Variable, sent: Sent): boolean {
  if (!Object.entries(shown).every(([name, each]) => listed(variable[name]) === listed(each))) return false;
  if (value === undefined) return true;
  const isShown = variable.type === "plain" || variable.decrypted === true;
  return isShown ? variable.value === value : isChangedBy(variable, sent);
}

function isChangedBy(variable: Variable, { askedAt, latestAt, identity }: Sent): boolean {
  const by = textIn(variable, "updatedBy") ?? textIn(variable, "createdBy");
  const at = Number(variable.updatedAt);
  const isJustThen = at >= askedAt.getTime() - clockToleranceMilliseconds && at <= latestAt.getTime();
  return isJustThen && by !== null && by === identity.user_id;
}

/** `target` is a text or a list, in any order; a member that is empty may be absent. */
const listed = (value: unknown): string => {
  const items = [value ?? []].flat().map((each) => canonicalJson(each));
  return items.toSorted().join();
};
