import { Problem } from "../../kernel/problem.ts";
import { type Role, rankOf } from "../permissions.ts";
import { isRestricted } from "../scope.ts";
import type { Authenticated } from "./authenticate.ts";

/**
 * What an operation requires of its caller. "nobody": no credentials. "account": any active account. "full key": an
 * active account with a key that is not restricted to projects or a role. The others name a role in the project of the
 * call, or in the organization.
 */
export type Needs =
  | "nobody"
  | "account"
  | "full key"
  | "project viewer"
  | "project editor"
  | "project admin"
  | "organization owner";

export const needsProject = (needs: Needs): boolean => needs.startsWith("project ");

const required = {
  "project viewer": { role: "viewer", code: "project_not_found" },
  "project editor": { role: "editor", code: "editor_required" },
  "project admin": { role: "admin", code: "admin_required" },
} as const satisfies Record<string, { role: Role; code: string }>;

/** Throws the problem that reveals no more than the caller already knows. */
export function authorize({ actor, role }: Authenticated, needs: Needs, projectId: string | null): void {
  switch (needs) {
    case "nobody":
    case "account":
      return;
    case "full key":
    case "organization owner":
      if (isRestricted(actor)) throw new Problem("key_restricted");
      if (needs === "organization owner" && actor.organizationRole !== "owner") throw new Problem("owner_required");
      return;
    default: {
      if (projectId === null) throw new Problem("project_required");
      if (role === null) throw new Problem("project_not_found");
      const wanted = required[needs];
      if (rankOf(role) < rankOf(wanted.role)) throw new Problem(wanted.code);
    }
  }
}
