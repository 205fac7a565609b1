import { ApiError, badRequest } from "../http/api-error.ts";
import type { EnvTarget, EnvType, EnvVariable } from "../records.ts";
import type { World } from "../world.ts";

export const envTargets: readonly EnvTarget[] = ["production", "preview", "development"];
export const envTypes: readonly EnvType[] = ["plain", "encrypted", "sensitive", "secret", "system"];

const keyLengthMax = 256;
const valueLengthMax = 65_536;

/** The parts of a variable that its rules are about. */
export type EnvParts = Pick<EnvVariable, "key" | "value" | "type" | "target" | "gitBranch">;

export function checkVariable({ key, value, type, target, gitBranch }: EnvParts): void {
  if (key.length === 0 || key.length > keyLengthMax) {
    throw new ApiError(400, "env_key_invalid_length", `The name must have 1 to ${keyLengthMax} characters.`, {
      extra: { key },
    });
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
    const message = "The name contains invalid characters. Only letters, digits, and underscores are allowed.";
    throw new ApiError(400, "env_key_invalid_characters", message, { extra: { key } });
  }
  if (value.length > valueLengthMax) {
    const message = `The value must not be longer than ${valueLengthMax} characters.`;
    throw new ApiError(400, "env_value_invalid_length", message, { extra: { key } });
  }
  if (target.length === 0) throw badRequest("Invalid request: `target` should NOT have fewer than 1 items.");
  if (gitBranch !== null && !(target.length === 1 && target[0] === "preview")) {
    throw badRequest("Invalid request: `gitBranch` needs the target preview.");
  }
  if (type === "sensitive" && target.includes("development")) {
    throw badRequest("A sensitive environment variable cannot have the target development.");
  }
  if (type === "secret") throw badRequest("Secrets are no longer supported; use an encrypted variable.");
}

export function variablesOf(world: World, projectId: string): EnvVariable[] {
  return [...world.envVariables.newestFirst()].filter((variable) => variable.projectId === projectId);
}

/** A key is unique for each target and branch. */
export function findClash<Parts extends EnvParts>(among: Parts[], wanted: EnvParts, except?: Parts): Parts | null {
  return (
    among.find(
      (each) =>
        each !== except &&
        each.key === wanted.key &&
        each.gitBranch === wanted.gitBranch &&
        each.target.some((target) => wanted.target.includes(target)),
    ) ?? null
  );
}

export function envConflict(clash: EnvVariable, wanted: EnvParts): ApiError {
  const { key, gitBranch } = clash;
  const shared = clash.target.filter((target) => wanted.target.includes(target));
  const where = `${shared.join(", ")} target${gitBranch ? ` and the branch ${gitBranch}` : ""}`;
  const extra = {
    key,
    envVarKey: key,
    envVarId: clash.id,
    target: shared,
    ...(gitBranch !== null && { gitBranch }),
  };
  const message = `A variable with the name \`${key}\` already exists for the ${where}.`;
  const error = { code: "ENV_CONFLICT", message, ...extra };
  return new ApiError(400, "ENV_CONFLICT", message, { extra, beside: { failed: [{ error }] } });
}

export const sameTargets = (a: EnvTarget[], b: EnvTarget[]) =>
  a.length === b.length && a.every((target) => b.includes(target));
