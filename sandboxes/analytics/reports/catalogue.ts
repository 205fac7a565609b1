import { invalid } from "../wire/api-error.ts";
import { advertisingMetrics } from "./advertising-metrics.ts";
import { behaviourMetrics } from "./behaviour-metrics.ts";
import { customDimensions } from "./custom-dimensions.ts";
import { customMetrics } from "./custom-metrics.ts";
import type { Dimension } from "./dimension.ts";
import { eventDimensions } from "./event-dimensions.ts";
import { itemMetrics } from "./item-metrics.ts";
import { keyEventMetrics } from "./key-event-metrics.ts";
import type { Metric, MetricContext } from "./metric.ts";
import { pageDimensions } from "./page-dimensions.ts";
import { revenueMetrics } from "./revenue-metrics.ts";
import { cohortDimensions, minutesAgo, timeDimensions } from "./time-dimensions.ts";
import { userMetrics } from "./user-metrics.ts";
import { visitDimensions } from "./visit-dimensions.ts";

/** The names that a report may use, with their older names. */
export interface Catalogue {
  dimensions: Dimension[];
  metrics: Metric[];
  findDimension(name: string): Dimension | undefined;
  findMetric(name: string): Metric | undefined;
}

const standardDimensions = [
  ...timeDimensions,
  ...visitDimensions,
  ...pageDimensions,
  ...eventDimensions,
  ...cohortDimensions,
];
const standardMetrics = [...userMetrics, ...behaviourMetrics, ...revenueMetrics, ...itemMetrics, ...advertisingMetrics];

const realtimeDimensionNames =
  "appVersion audienceId audienceName city cityId country countryId deviceCategory eventName platform streamId streamName unifiedScreenName customUser:tier".split(
    " ",
  );
const realtimeMetricNames = ["activeUsers", "eventCount", "keyEvents", "screenPageViews"];

const audienceResourceName = (dimension: Dimension): Dimension => ({
  ...dimension,
  apiName: "audienceResourceName",
  uiName: "Audience resource name",
  description: "The audience the user is in, as a resource.",
  label: (code, context) => `audiences/${dimension.label(code, context)}`,
});

const byName = <Field extends { apiName: string; deprecatedApiNames?: string[] }>(
  fields: Field[],
): Map<string, Field> =>
  new Map(
    fields.flatMap((field) =>
      [field.apiName, ...(field.deprecatedApiNames ?? [])].map((name) => [name, field] as const),
    ),
  );

const standardDimensionsByName = byName(standardDimensions);
const allDimensionsByName = byName([...standardDimensions, ...customDimensions]);
const standardMetricsByName = byName(standardMetrics);
const allMetricsByName = byName([...standardMetrics, ...customMetrics]);

/** A property's own catalogue: everything standard, its custom fields, and three metrics for each key event. */
export function coreCatalogue(context: MetricContext): Catalogue {
  const ofKeyEvents = keyEventMetrics(context);
  const keyEventsByName = byName(ofKeyEvents);
  return {
    dimensions: [...standardDimensions, ...customDimensions],
    metrics: [...standardMetrics, ...ofKeyEvents, ...customMetrics],
    findDimension: (name) => allDimensionsByName.get(name),
    findMetric: (name) => allMetricsByName.get(name) ?? keyEventsByName.get(name),
  };
}

/** What all properties share: `properties/0`. */
export const universalCatalogue: Catalogue = {
  dimensions: standardDimensions,
  metrics: standardMetrics,
  findDimension: (name) => standardDimensionsByName.get(name),
  findMetric: (name) => standardMetricsByName.get(name),
};

const realtimeDimensions = [
  minutesAgo,
  ...realtimeDimensionNames.flatMap((name) => allDimensionsByName.get(name) ?? []),
  ...[allDimensionsByName.get("audienceId")].flatMap((dimension) =>
    dimension ? [audienceResourceName(dimension)] : [],
  ),
];
const realtimeDimensionsByName = byName(realtimeDimensions);
const realtimeMetrics = realtimeMetricNames.flatMap((name) => standardMetricsByName.get(name) ?? []);
const realtimeMetricsByName = byName(realtimeMetrics);

export const realtimeCatalogue: Catalogue = {
  dimensions: realtimeDimensions,
  metrics: realtimeMetrics,
  findDimension: (name) => realtimeDimensionsByName.get(name),
  findMetric: (name) => realtimeMetricsByName.get(name),
};

const schemaPage = "https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema";

export function requireDimension(catalogue: Catalogue, name: string): Dimension {
  const dimension = catalogue.findDimension(name);
  if (dimension) return dimension;
  const nearest = nearestName(name, catalogue.dimensions);
  throw invalid(
    `${nearest}Field ${name} is not a valid dimension. For a list of valid dimensions and metrics, see ${schemaPage} `,
  );
}

export function requireMetric(catalogue: Catalogue, name: string): Metric {
  const metric = catalogue.findMetric(name);
  if (metric) return metric;
  const nearest = nearestName(name, catalogue.metrics);
  // The vendor's own text has two spaces here, for metrics alone.
  throw invalid(
    `${nearest}Field ${name} is not a valid metric.  For a list of valid dimensions and metrics, see ${schemaPage} `,
  );
}

function nearestName(name: string, fields: { apiName: string }[]): string {
  let best = "";
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const { apiName } of fields) {
    if (Math.abs(apiName.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), apiName.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [apiName, distance];
  }
  return best === "" ? "" : `Did you mean ${best}? `;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
