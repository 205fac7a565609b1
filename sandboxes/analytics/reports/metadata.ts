import { type Asked, readAsked } from "./asked.ts";
import { type Catalogue, coreCatalogue, universalCatalogue } from "./catalogue.ts";
import { savedComparisons } from "./comparisons.ts";
import { compatibilityOf, refuseIncompatible } from "./compatibility.ts";
import { checkFilters } from "./core-question.ts";
import type { Dimension } from "./dimension.ts";
import { filterFields } from "./filters.ts";
import type { Metric } from "./metric.ts";
import { listed } from "./print.ts";
import type { CheckCompatibilityRequest } from "./request.ts";
import type { Subject } from "./subject.ts";

/** What a property's reports can ask for. Null stands for `properties/0`, what all properties share. */
export function metadataOf(subject: Subject | null): object {
  const catalogue = subject ? coreCatalogue({ keyEvents: subject.keyEvents }) : universalCatalogue;
  const hidden = subject?.hidden ?? new Set<never>();
  return {
    name: `properties/${subject?.propertyId ?? 0}/metadata`,
    dimensions: catalogue.dimensions.map(dimensionMetadata),
    metrics: catalogue.metrics.map((metric) => metricMetadata(metric, hidden)),
    ...(subject
      ? { comparisons: savedComparisons.map(({ apiName, uiName, description }) => ({ apiName, uiName, description })) }
      : {}),
  };
}

const dimensionMetadata = ({
  apiName,
  uiName,
  description,
  deprecatedApiNames,
  isCustom,
  category,
}: Dimension): object => ({
  apiName,
  uiName,
  description,
  ...listed("deprecatedApiNames", deprecatedApiNames ?? []),
  ...(isCustom ? { customDefinition: true } : {}),
  category,
});

const blockedReasons = { REVENUE_DATA: "NO_REVENUE_METRICS", COST_DATA: "NO_COST_METRICS" } as const;

function metricMetadata(metric: Metric, hidden: Subject["hidden"]): object {
  const { apiName, uiName, description, deprecatedApiNames, type, isCustom, restricted, category } = metric;
  const isBlocked = restricted !== undefined && hidden.has(restricted);
  return {
    apiName,
    uiName,
    description,
    ...listed("deprecatedApiNames", deprecatedApiNames ?? []),
    type,
    ...(isCustom ? { customDefinition: true } : {}),
    ...(isBlocked ? { blockedReasons: [blockedReasons[restricted]] } : {}),
    category,
  };
}

/** Which fields could join a question. A question that is incompatible in itself is refused. */
export function checkCompatibility(request: CheckCompatibilityRequest, subject: Subject): Record<string, unknown> {
  const context = { keyEvents: subject.keyEvents };
  const catalogue: Catalogue = coreCatalogue(context);
  const asked: Asked = readAsked(request, catalogue, context);
  checkFilters(request);
  refuseIncompatible(asked, filterFields(request.dimensionFilter), false);
  const { ofDimension, ofMetric, dimensions, metrics } = compatibilityOf(catalogue, asked);
  const word = (isCompatible: boolean) => (isCompatible ? "COMPATIBLE" : "INCOMPATIBLE");
  const isWanted = ({ compatibility }: { compatibility: string }) =>
    !request.compatibilityFilter ||
    request.compatibilityFilter === "COMPATIBILITY_UNSPECIFIED" ||
    request.compatibilityFilter === compatibility;
  const ofDimensions = dimensions
    .map((field) => ({ dimensionMetadata: dimensionMetadata(field), compatibility: word(ofDimension(field)) }))
    .filter(isWanted);
  const ofMetrics = metrics
    .map((field) => ({ metricMetadata: metricMetadata(field, subject.hidden), compatibility: word(ofMetric(field)) }))
    .filter(isWanted);
  return { ...listed("dimensionCompatibilities", ofDimensions), ...listed("metricCompatibilities", ofMetrics) };
}
