import { filterEvents, type Query } from "./filter-events.ts";
import { foldFilter, numberTest } from "./filters.ts";
import { type AskedDimension, divide, type Groups, labelDimension } from "./grouping.ts";
import { allUsers } from "./metric.ts";
import { count, type Primitive } from "./primitives.ts";
import type { FilterExpression, ValueRow } from "./request.ts";
import { countRolling } from "./rolling.ts";
import type { Slice } from "./slice.ts";

export interface Evaluated {
  rows: ValueRow[];
  /** Over the data of the rows, not by adding them: a user in two rows is one user. Null without any data. */
  total(): number[] | null;
}

/** Rows of one slice by some of the dimensions: filter, divide, count, filter again. */
export function evaluateSlice(query: Query, slice: Slice, dimensions: AskedDimension[]): Evaluated {
  const events = filterEvents(query, slice, slice.select(slice.startDay, slice.endDay));
  const parts = dimensions.map((dimension) => labelDimension(slice.set, events, dimension, slice.context));
  const groups = divide(events.length, parts);
  const values = valuesByGroup(query, slice, events, groups, dimensions);
  const kept = keptGroups(query, slice, events, groups, values);
  const isPlain = slice.before.length + slice.after.length === 0;
  const rows: ValueRow[] = [];
  groups.keys.forEach((key, group) => {
    if (kept[group] !== 1) return;
    rows.push({ labels: isPlain ? key : [...slice.before, ...key, ...slice.after], values: values[group] ?? [] });
  });
  return {
    rows,
    total() {
      if (rows.length === 0) return null;
      const ids = groups.ids.map((group) => (kept[group] === 1 ? 0 : -1));
      return valuesByGroup(query, slice, events, { ids, keys: [[]] }, [])[0] ?? null;
    },
  };
}

function valuesByGroup(
  query: Query,
  slice: Slice,
  events: Uint32Array,
  groups: Groups,
  dimensions: AskedDimension[],
): number[][] {
  const countsByKey = new Map<string, Float64Array>();
  const countsOf = (primitive: Primitive): Float64Array => {
    const known = countsByKey.get(primitive.key);
    if (known) return known;
    const counted = countPrimitive(primitive, { query, slice, events, groups, dimensions });
    countsByKey.set(primitive.key, counted);
    return counted;
  };
  const columns = query.asked.metrics.map((metric) => {
    const isHidden = metric.fields.some((field) => field.restricted && query.subject.hidden.has(field.restricted));
    const rate = metric.type === "TYPE_CURRENCY" ? query.currencyRate : 1;
    const needed = metric.needs.map(countsOf);
    // One list for all groups: a report can have a hundred thousand of them.
    const counts = new Array<number>(needed.length);
    return (group: number) => {
      if (isHidden) return 0;
      for (let at = 0; at < needed.length; at++) counts[at] = needed[at]?.[group] ?? 0;
      return rate * metric.value(counts);
    };
  });
  return groups.keys.map((_, group) => columns.map((column) => column(group)));
}

interface Counted {
  query: Query;
  slice: Slice;
  events: Uint32Array;
  groups: Groups;
  dimensions: AskedDimension[];
}

function countPrimitive(primitive: Primitive, { query, slice, events, groups, dimensions }: Counted): Float64Array {
  const { counts } = primitive;
  const size = groups.keys.length;
  if (counts.kind === "cohort size") return new Float64Array(size).fill(slice.cohortSize);
  const counted =
    counts.kind === "rolling users"
      ? countRolling(query, slice, counts.days, groups, dimensions)
      : count(primitive, { set: slice.set, events, groupIds: groups.ids, groupCount: size });
  if (slice.scale === 1) return counted;
  return counted.map((value) => Math.round(value * slice.scale));
}

/** Which groups become rows: the metric filter passes, something was counted, and enough people stand behind it. */
function keptGroups(query: Query, slice: Slice, events: Uint32Array, groups: Groups, values: number[][]): Uint8Array {
  const { asked, metricFilter, subject } = query;
  const passes = metricFilter ? rowTest(query, metricFilter) : () => true;
  const isEmpty = (row: number[]) =>
    !query.keepEmptyRows &&
    asked.visibleMetrics.length > 0 &&
    asked.metrics.every((metric, at) => !metric.isVisible || row[at] === 0);
  const users = query.isThresholded
    ? count(allUsers, { set: slice.set, events, groupIds: groups.ids, groupCount: groups.keys.length })
    : null;
  return Uint8Array.from(values, (row, group) => {
    const isWithheld = users !== null && (users[group] ?? 0) < subject.thresholdUsersMin;
    return passes(row) && !isEmpty(row) && !isWithheld ? 1 : 0;
  });
}

type RowTest = (row: number[]) => boolean;

function rowTest(query: Query, filter: FilterExpression): RowTest {
  return foldFilter<RowTest>(
    filter,
    (leaf) => {
      const test = numberTest(leaf);
      const column = query.asked.metrics.findIndex((metric) => metric.name === leaf.fieldName);
      return (row) => test(row[column] ?? 0);
    },
    {
      and: (all) => (row) => all.every((test) => test(row)),
      or: (all) => (row) => all.some((test) => test(row)),
      not: (test) => (row) => !test(row),
    },
  );
}
