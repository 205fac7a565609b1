import { people, type Role } from "../people/people.ts";
import { type AdminScope, notFound, requireAccount } from "./access.ts";
import { pageOf } from "./paging.ts";

const roleNames: Record<Role, string> = {
  viewer: "predefinedRoles/viewer",
  editor: "predefinedRoles/editor",
  administrator: "predefinedRoles/admin",
};

/** Who has which role on an account: the people of the sandbox, whom nobody changes. */
function bindingsOf(scope: AdminScope, account: string): { name: string; user: string; roles: string[] }[] {
  requireAccount(scope, account, "administrator");
  return Object.values(people).flatMap(({ email, roles }, at) => {
    const role = (roles as Record<string, Role>)[account];
    return role ? [{ name: `${account}/accessBindings/${9000 + at}`, user: email, roles: [roleNames[role]] }] : [];
  });
}

export const listAccessBindings = (scope: AdminScope, account: string, query: URLSearchParams): object =>
  pageOf(bindingsOf(scope, account), "accessBindings", query, `${account} bindings`);

export function getAccessBinding(scope: AdminScope, name: string): object {
  const found = bindingsOf(scope, name.split("/").slice(0, 2).join("/")).find((binding) => binding.name === name);
  if (!found) throw notFound();
  return found;
}
