import { invalid } from "../wire/api-error.ts";
import type { Asked } from "./asked.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Dimension } from "./dimension.ts";
import type { Metric } from "./metric.ts";

/** Dimensions that say which campaign an advertisement's numbers belong to. */
const isCampaign = ({ apiName }: Dimension): boolean => /campaign|googleAds/i.test(apiName);

// Search results know nothing of sessions, users and events.
const searchConsoleDimensions =
  /^(landingPage.*|country.*|deviceCategory|date|year|month|week|day|yearMonth|yearWeek|nth.*|isoW.*|isoY.*|dayOfWeek.*)$/;

/** What stands in the way of asking these fields together: a field to remove, or one to add. Null where nothing does. */
export function conflict(
  dimensions: Dimension[],
  metrics: Metric[],
  hasCohorts: boolean,
): { remove: string } | { add: string } | null {
  const remove = (field: { apiName: string } | undefined) => (field ? { remove: field.apiName } : null);
  const cohortField = [...dimensions, ...metrics].find((field) => field.scope === "cohort");
  if (cohortField && !hasCohorts) return remove(cohortField);
  const hasItems = dimensions.some((dimension) => dimension.scope === "item");
  if (hasItems) {
    const other = metrics.find((metric) => metric.scope !== "item");
    if (other) return remove(other);
  }
  if (metrics.some((metric) => metric.scope === "rolling")) {
    const tooFine = dimensions.find((dimension) => dimension.time === "minute");
    if (tooFine) return remove(tooFine);
  }
  if (metrics.some((metric) => metric.scope === "search console")) {
    const other = dimensions.find((dimension) => !searchConsoleDimensions.test(dimension.apiName));
    if (other) return remove(other);
  }
  if (metrics.some((metric) => metric.scope === "advertiser") && !dimensions.some(isCampaign)) {
    return { add: "sessionCampaignName" };
  }
  return null;
}

export function refuseIncompatible(asked: Asked, filtered: string[], hasCohorts: boolean): void {
  const dimensions = [
    ...asked.dimensions.flatMap((dimension) => dimension.fields),
    ...filtered.flatMap((name) => asked.findDimension(name).fields),
  ];
  const metrics = asked.metrics.flatMap((metric) => metric.fields);
  const found = conflict(dimensions, metrics, hasCohorts);
  if (found === null) return;
  const hint = "remove" in found ? `remove ${found.remove}` : `add ${found.add}`;
  throw invalid(
    `Please ${hint} to make the request compatible for example. The request's dimensions & metrics are incompatible. ` +
      "To learn more, see https://ga-dev-tools.web.app/ga4/dimensions-metrics-explorer/",
  );
}

/** Every field of the catalogue with whether it could join the fields asked for already. */
export function compatibilityOf(catalogue: Catalogue, asked: Asked) {
  const dimensions = asked.dimensions.flatMap((dimension) => dimension.fields);
  const metrics = asked.metrics.flatMap((metric) => metric.fields);
  // A field to be added later would resolve a conflict of the "add" kind, so only conflicts that nothing resolves count here.
  const isMendable = (found: ReturnType<typeof conflict>) => found === null || "add" in found;
  return {
    ofDimension: (field: Dimension) => isMendable(conflict([...dimensions, field], metrics, false)),
    ofMetric: (field: Metric) => isMendable(conflict(dimensions, [...metrics, field], false)),
    dimensions: catalogue.dimensions,
    metrics: catalogue.metrics,
  };
}
