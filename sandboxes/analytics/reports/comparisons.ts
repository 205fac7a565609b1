import { invalid } from "../wire/api-error.ts";
import type { Comparison, FilterExpression } from "./request.ts";

export interface SavedComparison {
  apiName: string;
  uiName: string;
  description: string;
  filter: FilterExpression;
}

const exactly = (fieldName: string, value: string): FilterExpression => ({
  filter: { fieldName, stringFilter: { matchType: "EXACT", value } },
});

/** Comparisons that people saved in the product; every property has these two. */
export const savedComparisons: SavedComparison[] = [
  {
    apiName: "comparisons/3001",
    uiName: "Mobile traffic",
    description: "Visits from mobile devices.",
    filter: exactly("deviceCategory", "mobile"),
  },
  {
    apiName: "comparisons/3002",
    uiName: "Organic traffic",
    description: "Visits from unpaid search results.",
    filter: exactly("sessionDefaultChannelGroup", "Organic Search"),
  },
];

export interface ResolvedComparison {
  name: string;
  filter: FilterExpression;
}

export function resolveComparisons(comparisons: Comparison[]): ResolvedComparison[] {
  return comparisons.map(({ name, dimensionFilter, comparison }, index) => {
    if (comparison !== undefined) {
      const saved = savedComparisons.find((each) => each.apiName === comparison);
      if (!saved) throw invalid(`Comparison ${comparison} was not found.`);
      return { name: name || saved.uiName, filter: saved.filter };
    }
    if (!dimensionFilter) throw invalid("A comparison must have a dimensionFilter or a comparison.");
    return { name: name || `comparison_${index}`, filter: dimensionFilter };
  });
}
