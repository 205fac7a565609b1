import { hasRole } from "../people/people.ts";
import { type AdminScope, isGrantLost, requireAccount } from "./access.ts";
import { pageOf } from "./paging.ts";
import type { Account } from "./records.ts";

const visibleAccounts = (scope: AdminScope): Account[] =>
  [...scope.records.accounts.values()].filter((account) => hasRole(scope.person, "viewer", account.name));

export const listAccounts = (scope: AdminScope, query: URLSearchParams): object =>
  pageOf(visibleAccounts(scope), "accounts", query, "accounts");

export const getAccount = (scope: AdminScope, name: string): Account => requireAccount(scope, name, "viewer");

/** Every account and property that the caller sees: what a property picker shows. */
export function listAccountSummaries(scope: AdminScope, query: URLSearchParams): object {
  const summaries = visibleAccounts(scope).map(({ name, displayName }) => {
    const propertySummaries = [...scope.records.properties.values()]
      .filter(
        (property) =>
          property.account === name && property.deleteTime === undefined && !isGrantLost(property, scope.clock),
      )
      .map((property) => ({
        property: property.name,
        displayName: property.displayName,
        propertyType: property.propertyType,
        parent: property.parent,
        ...(hasRole(scope.person, "editor", name, property.name) ? { canEdit: true } : {}),
      }));
    return {
      name: name.replace("accounts/", "accountSummaries/"),
      account: name,
      displayName,
      ...(propertySummaries.length > 0 ? { propertySummaries } : {}),
    };
  });
  return pageOf(summaries, "accountSummaries", query, "accountSummaries");
}
