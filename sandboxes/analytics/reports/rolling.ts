import { filterEvents, type Query } from "./filter-events.ts";
import { type AskedDimension, divide, type Groups, labelDimension } from "./grouping.ts";
import { activeUsers } from "./metric.ts";
import { count } from "./primitives.ts";
import type { Slice } from "./slice.ts";

export const isTimeDimension = (dimension: AskedDimension): boolean =>
  dimension.fields.every((field) => field.time !== undefined);

/**
 * People active in the days up to and including each day: "as of" the last day of a row.
 * Without a dimension of time the last day of the range decides. An endless number of days counts from the start of the range.
 */
export function countRolling(
  query: Query,
  slice: Slice,
  days: number,
  groups: Groups,
  dimensions: AskedDimension[],
): Float64Array {
  const result = new Float64Array(groups.keys.length);
  const { set, startDay, context } = slice;
  const endDay = Math.min(slice.endDay, set.lastDay);
  const timeless = dimensions.filter((dimension) => !isTimeDimension(dimension));
  const firstDay = timeless.length < dimensions.length ? startDay : endDay;
  const windowStart = (day: number) => (Number.isFinite(days) ? day - days + 1 : startDay);
  const events = filterEvents(query, slice, slice.select(windowStart(firstDay), endDay));
  const divided = divide(
    events.length,
    timeless.map((dimension) => labelDimension(set, events, dimension, context)),
  );
  const groupOfKey = new Map(groups.keys.map((key, group) => [key.join("\0"), group]));
  for (let day = firstDay; day <= endDay; day++) {
    const from = firstEventOn(slice, events, windowStart(day));
    const to = firstEventOn(slice, events, day + 1);
    if (from === to) continue;
    const users = count(activeUsers, {
      set,
      events: events.subarray(from, to),
      groupIds: divided.ids.subarray(from, to),
      groupCount: divided.keys.length,
    });
    divided.keys.forEach((timelessKey, at) => {
      let next = 0;
      const key = dimensions.map((dimension) =>
        isTimeDimension(dimension)
          ? dimension.combine(dimension.fields.map((field) => field.label(day, context)))
          : (timelessKey[next++] ?? ""),
      );
      const group = groupOfKey.get(key.join("\0"));
      if (group !== undefined) result[group] = users[at] ?? 0;
    });
  }
  return result;
}

/** Events are in the order of days, so halving finds the index. */
function firstEventOn({ set }: Slice, events: Uint32Array, day: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const own = set.sessions.day[set.events.session[events[middle] ?? 0] ?? 0] ?? 0;
    if (own < day) low = middle + 1;
    else high = middle;
  }
  return low;
}
