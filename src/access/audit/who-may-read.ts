import { Problem } from "../../kernel/problem.ts";
import { isRestricted, projectOf, type Scope } from "../scope.ts";

/**
 * An admin reads the project's rows. The organization's owner may read all of them, with an unrestricted key; then
 * there is no project.
 */
export function requireAuditProject(scope: Scope, whole: boolean): string | null {
  if (!whole) return projectOf(scope);
  if (isRestricted(scope.actor)) throw new Problem("key_restricted");
  if (scope.actor.organizationRole !== "owner") throw new Problem("owner_required");
  return null;
}
