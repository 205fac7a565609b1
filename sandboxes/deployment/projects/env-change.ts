import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { type Fields, readBody } from "../http/read-body.ts";
import { readFlag } from "../http/read-query.ts";
import type { EnvVariable, Project } from "../records.ts";
import { tell } from "./change-project.ts";
import { readTargets, requireProductionRight } from "./env-create.ts";
import { checkVariable, envConflict, envTypes, findClash, variablesOf } from "./env-rules.ts";
import { viewVariable } from "./env-values.ts";
import { requireProject } from "./find-project.ts";

const editFields: Fields = {
  key: { type: "string" },
  value: { type: "string" },
  type: { type: "string", oneOf: envTypes },
  target: { type: "any" },
  gitBranch: { type: "string", nullable: true, lengthMax: 250 },
  comment: { type: "string", lengthMax: 500 },
  visibility: { type: "string" },
  customEnvironmentIds: { type: "array", items: { type: "string" } },
};

/** Everything at once, without pages. */
export function listVariables(request: ApiRequest): SandboxAnswer {
  const { query, world } = request;
  const project = requireProject(request, param(request, 0));
  const isDecrypted = readFlag(query, "decrypt");
  const gitBranch = query.get("gitBranch");
  const target = query.get("target");
  const isFiltered = query.has("customEnvironmentId") || query.has("customEnvironmentSlug");
  const shown = variablesOf(world, project.id).filter(
    (variable) =>
      !isFiltered &&
      (!gitBranch || variable.gitBranch === null || variable.gitBranch === gitBranch) &&
      (!gitBranch || variable.target.includes("preview")) &&
      (!target || variable.target.some((each) => each === target)),
  );
  return ok({ envs: shown.map((variable) => viewVariable(variable, isDecrypted)) });
}

/** One variable by id is shown decrypted. */
export function readVariable(request: ApiRequest): SandboxAnswer {
  const { variable } = requireVariable(request);
  return ok(viewVariable(variable, true));
}

export function editVariable(request: ApiRequest): SandboxAnswer {
  const { world, caller } = request;
  const { project, variable } = requireVariable(request);
  const { target, customEnvironmentIds: _none, visibility: _apart, ...sent } = readBody(request.call, editFields);
  const wanted: EnvVariable = { ...variable, ...sent, ...(target !== undefined && { target: readTargets(target) }) };
  if (variable.type === "sensitive" && wanted.key !== variable.key) {
    throw badRequest("The key of a sensitive environment variable cannot be changed.");
  }
  if (variable.type === "sensitive" && wanted.type !== "sensitive") {
    throw badRequest("The type of a sensitive environment variable cannot be changed.");
  }
  checkVariable(wanted);
  requireProductionRight(request, [...variable.target, ...wanted.target]);
  const clash = findClash(variablesOf(world, project.id), wanted, variable);
  if (clash) throw envConflict(clash, wanted);
  Object.assign(variable, wanted, { updatedAt: world.clock.now(), updatedBy: caller.user.id });
  tell(request, "project.env-variable.updated", project, { envVariable: { id: variable.id, key: variable.key } });
  return ok(viewVariable(variable));
}

export function removeVariable(request: ApiRequest): SandboxAnswer {
  const { project, variable } = requireVariable(request);
  requireProductionRight(request, variable.target);
  request.world.envVariables.remove(variable);
  tell(request, "project.env-variable.deleted", project, { envVariable: { id: variable.id, key: variable.key } });
  return ok(viewVariable(variable));
}

function requireVariable(request: ApiRequest): { project: Project; variable: EnvVariable } {
  const project = requireProject(request, param(request, 0));
  const variable = request.world.envVariables.find(param(request, 1));
  if (variable?.projectId !== project.id) throw notFound("Environment variable");
  return { project, variable };
}
