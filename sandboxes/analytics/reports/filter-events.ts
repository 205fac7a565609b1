import type { Asked } from "./asked.ts";
import { foldFilter, textTest } from "./filters.ts";
import { labelDimension } from "./grouping.ts";
import type { FilterExpression } from "./request.ts";
import type { Slice } from "./slice.ts";
import type { Subject } from "./subject.ts";

/** A question with everything resolved, ready to be asked of any slice. */
export interface Query {
  subject: Subject;
  asked: Asked;
  dimensionFilter: FilterExpression | null;
  metricFilter: FilterExpression | null;
  keepEmptyRows: boolean;
  /** From the property's currency to the one asked for. */
  currencyRate: number;
  isThresholded: boolean;
}

/** Narrows events by the question's filter and by those of the slice. */
export function filterEvents(query: Query, slice: Slice, events: Uint32Array): Uint32Array {
  const filters = query.dimensionFilter ? [query.dimensionFilter, ...slice.filters] : slice.filters;
  return filters.reduce((left, filter) => {
    const mask = maskOf(query, slice, left, filter);
    return left.filter((_, at) => mask[at] === 1);
  }, events);
}

function maskOf(query: Query, slice: Slice, events: Uint32Array, filter: FilterExpression): Uint8Array {
  return foldFilter<Uint8Array>(
    filter,
    (leaf) => {
      const test = textTest(leaf);
      const { codes, labels } = labelDimension(
        slice.set,
        events,
        query.asked.findDimension(leaf.fieldName ?? ""),
        slice.context,
      );
      const passes = labels.map(test);
      return Uint8Array.from(codes, (code) => (passes[code] ? 1 : 0));
    },
    {
      and: (all) => Uint8Array.from(events, (_, at) => (all.every((mask) => mask[at] === 1) ? 1 : 0)),
      or: (all) => Uint8Array.from(events, (_, at) => (all.some((mask) => mask[at] === 1) ? 1 : 0)),
      not: (mask) => mask.map((bit) => 1 - bit),
    },
  );
}
