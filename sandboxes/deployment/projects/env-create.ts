import type { SandboxAnswer } from "../../server/sandbox.ts";
import { missingRight } from "../accounts/rights.ts";
import { ApiError, badRequest } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { checkObject, type Fields, readJson } from "../http/read-body.ts";
import { readFlag } from "../http/read-query.ts";
import { newId } from "../ids.ts";
import type { EnvTarget, EnvType, EnvVariable, Project } from "../records.ts";
import { findMembership } from "../world.ts";
import { tell } from "./change-project.ts";
import { checkVariable, envConflict, envTargets, envTypes, findClash, sameTargets, variablesOf } from "./env-rules.ts";
import { viewVariable } from "./env-values.ts";
import { requireProject } from "./find-project.ts";

const envFields: Fields = {
  key: { type: "string", required: true },
  value: { type: "string", required: true },
  type: { type: "string", oneOf: envTypes },
  target: { type: "any" },
  gitBranch: { type: "string", nullable: true, lengthMax: 250 },
  comment: { type: "string", lengthMax: 500 },
  // Sent by the command line beside `type`.
  visibility: { type: "string" },
  customEnvironmentIds: { type: "array", items: { type: "string" } },
};

const variablesMax = 1000;

export interface EnvWish {
  key: string;
  value: string;
  type: EnvType;
  target: EnvTarget[];
  gitBranch: string | null;
  comment: string | null;
}

/** One variable or many. A batch succeeds in part: look at `failed` even on 201. */
export function createVariables(request: ApiRequest): SandboxAnswer {
  const project = requireProject(request, param(request, 0));
  const isUpsert = readFlag(request.query, "upsert");
  const body = readJson(request.call);
  const wishes = readWishes(Array.isArray(body) ? body : [body]);
  const { created, failed } = addVariables(request, project, wishes, isUpsert);
  if (created.length === 0 && failed[0]) {
    if (!Array.isArray(body)) throw failed[0];
    const message = "None of the environment variables could be created.";
    throw new ApiError(400, "BAD_REQUEST", message, { beside: { failed: failed.map(viewFailure) } });
  }
  const views = created.map((variable) => viewVariable(variable));
  return ok({ created: Array.isArray(body) ? views : views[0], failed: failed.map(viewFailure) }, 201);
}

const viewFailure = ({ code, message, extra }: ApiError) => ({ error: { code, message, ...extra } });

export function readWishes(entries: unknown): EnvWish[] {
  return (entries as unknown[]).map((entry) => {
    checkObject(entry, envFields, "");
    const { key, value, type = "encrypted", gitBranch = null, comment = null } = entry as Partial<EnvWish>;
    const { target, customEnvironmentIds } = entry as { target?: unknown; customEnvironmentIds?: string[] };
    if (customEnvironmentIds?.length) throw badRequest("The custom environment does not exist.");
    return { key: key ?? "", value: value ?? "", type, target: readTargets(target), gitBranch, comment };
  });
}

/** A text or an array. */
export function readTargets(target: unknown): EnvTarget[] {
  if (target === undefined) throw badRequest("Invalid request: missing required property `target`.");
  const targets = Array.isArray(target) ? target : [target];
  if (!targets.every((each) => envTargets.includes(each))) {
    throw badRequest(`Invalid request: \`target\` should be equal to one of the allowed values "${envTargets}".`);
  }
  return [...new Set(targets as EnvTarget[])];
}

export function addVariables(request: ApiRequest, project: Project, wishes: EnvWish[], isUpsert: boolean) {
  const created: EnvVariable[] = [];
  const failed: ApiError[] = [];
  for (const wish of wishes) {
    try {
      created.push(addVariable(request, project, wish, isUpsert));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403) throw error;
      failed.push(error);
    }
  }
  return { created, failed };
}

function addVariable(request: ApiRequest, project: Project, wish: EnvWish, isUpsert: boolean): EnvVariable {
  const { world, caller } = request;
  checkVariable(wish);
  requireProductionRight(request, wish.target);
  const among = variablesOf(world, project.id);
  const clash = findClash(among, wish);
  if (clash) {
    // An upsert replaces the value of the same variable; another set of targets is another variable, and clashes.
    if (!isUpsert || !sameTargets(clash.target, wish.target)) throw envConflict(clash, wish);
    Object.assign(clash, wish, { updatedAt: world.clock.now(), updatedBy: caller.user.id });
    tell(request, "project.env-variable.updated", project, { envVariable: { id: clash.id, key: clash.key } });
    return clash;
  }
  if (among.length >= variablesMax) {
    throw new ApiError(400, "env_too_many_keys", `A project has at most ${variablesMax} variables.`, {
      extra: { key: wish.key },
    });
  }
  const createdAt = world.envVariables.freeMoment(world.clock.now());
  const variable = world.envVariables.add({
    ...wish,
    id: newId(world.chance, "", 16),
    createdAt,
    updatedAt: createdAt,
    projectId: project.id,
    createdBy: caller.user.id,
    updatedBy: null,
    configurationId: caller.token.installation?.id ?? null,
  });
  tell(request, "project.env-variable.created", project, { envVariable: { id: variable.id, key: variable.key } });
  return variable;
}

/** A developer of a team changes previews; production variables need more. */
export function requireProductionRight({ world, owner, caller }: ApiRequest, target: EnvTarget[]): void {
  const role = owner.team && findMembership(world, owner.team.id, caller.user.id)?.role;
  if (role === "DEVELOPER" && target.includes("production")) throw missingRight("projectEnvVars", "create");
}
