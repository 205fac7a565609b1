import type { LocalTime } from "../events/calendar.ts";
import type { EventSet } from "../events/event-set.ts";
import type { LabelContext } from "./dimension.ts";
import type { FilterExpression } from "./request.ts";
import type { Subject } from "./subject.ts";

/** A part of the data that has rows of its own: a date range, a comparison, a cohort, a range of minutes. */
export interface Slice {
  set: EventSet;
  startDay: number;
  endDay: number;
  context: LabelContext;
  /** Columns that stand before and after the dimensions asked for. */
  before: string[];
  after: string[];
  filters: FilterExpression[];
  /** The events between two days, ends included, that belong to the slice. */
  select(fromDay: number, toDay: number): Uint32Array;
  /** By how much counts are raised because only a part was read. */
  scale: number;
  sampling: { read: number; of: number } | null;
  cohortSize: number;
}

export function labelContext(subject: Subject, startDay: number): LabelContext {
  return {
    startDay,
    nowDay: subject.now.day,
    nowSecond: subject.now.second,
    streamId: subject.streamId,
    streamName: subject.streamName,
    hostName: subject.hostName,
    keyEventNames: new Set(subject.keyEvents.map((each) => each.eventName)),
    cohort: null,
  };
}

/** The days of a range. Null where nothing was collected. */
export function createSlice(
  subject: Subject,
  startDay: number,
  endDay: number,
  accept: EventTest | null = null,
): Slice | null {
  const { events: set, now } = subject;
  if (!set) return null;
  const all = countEvents(set, startDay, endDay);
  const stride = all > subject.samplingEventsMax ? Math.ceil(all / subject.samplingEventsMax) : 1;
  // Whole sessions are read or not, so that rates stay what they are.
  const isRead: EventTest | null =
    stride === 1
      ? accept
      : (event) => (set.events.session[event] ?? 0) % stride === 0 && (accept === null || accept(event));
  const slice: Slice = {
    set,
    startDay,
    endDay,
    context: labelContext(subject, startDay),
    before: [],
    after: [],
    filters: [],
    select: (fromDay, toDay) => selectDays(set, fromDay, toDay, now, isRead),
    scale: 1,
    sampling: null,
    cohortSize: 0,
  };
  if (stride > 1) {
    const read = slice.select(startDay, endDay).length;
    slice.scale = read === 0 ? 1 : all / read;
    slice.sampling = { read, of: all };
  }
  return slice;
}

type EventTest = (event: number) => boolean;

function countEvents(set: EventSet, fromDay: number, toDay: number): number {
  const [first, end] = eventBounds(set, fromDay, toDay);
  return end - first;
}

function eventBounds(set: EventSet, fromDay: number, toDay: number): [number, number] {
  const from = Math.max(fromDay, set.firstDay) - set.firstDay;
  const to = Math.min(toDay, set.lastDay) - set.firstDay;
  return to < from ? [0, 0] : [set.dayStarts[from] ?? 0, set.dayStarts[to + 1] ?? 0];
}

/** Today's events are there for the whole day; those still to come are passed over. */
function selectDays(
  set: EventSet,
  fromDay: number,
  toDay: number,
  now: LocalTime,
  accept: EventTest | null,
): Uint32Array {
  const [first, end] = eventBounds(set, fromDay, Math.min(toDay, now.day));
  const todayStart = now.day <= set.lastDay ? (set.dayStarts[now.day - set.firstDay] ?? 0) : end;
  const selected = new Uint32Array(end - first);
  const { second } = set.events;
  let count = 0;
  for (let event = first; event < end; event++) {
    if (event >= todayStart && (second[event] ?? 0) > now.second) continue;
    if (accept === null || accept(event)) selected[count++] = event;
  }
  return selected.subarray(0, count);
}

/** The last minutes, from `startMinutesAgo` to `endMinutesAgo`, both included, across midnight too. */
export function createMinutesSlice(subject: Subject, startMinutesAgo: number, endMinutesAgo: number): Slice | null {
  const { events: set, now } = subject;
  if (!set) return null;
  const nowMinute = now.day * 1440 + Math.floor(now.second / 60);
  const from = nowMinute - startMinutesAgo;
  const to = nowMinute - endMinutesAgo;
  const { session, second } = set.events;
  const { day } = set.sessions;
  const accept = (event: number) => {
    const minute = (day[session[event] ?? 0] ?? 0) * 1440 + Math.floor((second[event] ?? 0) / 60);
    return minute >= from && minute <= to;
  };
  // Realtime reads everything; there is nothing to sample in half an hour.
  return createSlice({ ...subject, samplingEventsMax: Number.POSITIVE_INFINITY }, now.day - 1, now.day, accept);
}
