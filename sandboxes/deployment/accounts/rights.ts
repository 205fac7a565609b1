import { forbidden } from "../http/api-error.ts";
import type { Role } from "../records.ts";

export type Resource =
  | "deployment"
  | "project"
  | "projectEnvVars"
  | "domain"
  | "team"
  | "user"
  | "webhook"
  | "integrationConfiguration";
export type Action = "list" | "read" | "create" | "update" | "delete";

const isReading = (action: Action) => action === "list" || action === "read";

/** What a person may do in a team, by role. Production variables are a further question, asked where they are written. */
const writableByRole: Record<Role, readonly Resource[] | "everything"> = {
  OWNER: "everything",
  MEMBER: ["deployment", "project", "projectEnvVars", "domain", "webhook"],
  DEVELOPER: ["deployment", "projectEnvVars"],
  VIEWER: [],
  BILLING: [],
};

export function mayAsRole(role: Role, resource: Resource, action: Action): boolean {
  if (isReading(action)) return true;
  const writable = writableByRole[role];
  return writable === "everything" || writable.includes(resource);
}

/** What an installation needs for each resource, in the words of the integration's registration. */
const scopeOfResource: Record<Resource, string> = {
  deployment: "deployment",
  project: "project",
  projectEnvVars: "global-project-env-vars",
  domain: "domain",
  team: "team",
  user: "user",
  // No scope for webhooks is documented: creating one is refused, unless `installation_webhooks` allows it.
  webhook: "deployment",
  integrationConfiguration: "integration-configuration",
};

export function mayWithScopes(scopes: readonly string[], resource: Resource, action: Action): boolean {
  const name = scopeOfResource[resource];
  return scopes.includes(`read-write:${name}`) || (isReading(action) && scopes.includes(`read:${name}`));
}

export const missingRight = (resource: Resource, action: Action) =>
  forbidden(`You don't have permission to ${action} ${/^[aeiou]/.test(resource) ? "an" : "a"} ${resource}.`, {
    action,
    resource,
  });
