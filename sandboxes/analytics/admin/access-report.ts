import { hasRole } from "../people/people.ts";
import { invalid } from "../wire/api-error.ts";
import type { Message } from "../wire/proto-json.ts";
import { type AdminScope, noPermission } from "./access.ts";

/** "This method is only available to Administrators." Nobody has read anything yet: the report has its headers and no rows. */
export function runAccessReport(scope: AdminScope, entity: string, message: Message): object {
  const account = scope.records.properties.get(entity)?.account ?? entity;
  if (!scope.records.accounts.has(account) || !hasRole(scope.person, "administrator", account, entity))
    throw noPermission();
  const { dimensions = [], metrics = [], dateRanges = [] } = message as Record<string, Message[] | undefined>;
  if (dateRanges.length === 0) throw invalid("A dateRange is required.");
  if (dimensions.length + metrics.length === 0) throw invalid("Requests require dimensions and/or metrics.");
  return {
    ...(dimensions.length > 0 ? { dimensionHeaders: dimensions } : {}),
    ...(metrics.length > 0 ? { metricHeaders: metrics } : {}),
  };
}
