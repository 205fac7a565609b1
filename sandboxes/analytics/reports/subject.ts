import type { LocalTime } from "../events/calendar.ts";
import type { EventSet } from "../events/event-set.ts";
import type { CountedKeyEvent } from "./metric.ts";

/** What a report is about: one property with its events, as of now, as one caller may see them. */
export interface Subject {
  propertyId: string;
  timeZone: string;
  currencyCode: string;
  /** Null where nothing was ever collected. */
  events: EventSet | null;
  /** On the property's own wall clock. */
  now: LocalTime;
  /** The day collecting began; the events at hand may begin later, because only two years are kept. */
  openedDay: number;
  keyEvents: CountedKeyEvent[];
  streamId: string;
  streamName: string;
  hostName: string;
  /** Kinds of metrics that the caller's role hides: they read 0. */
  hidden: ReadonlySet<"REVENUE_DATA" | "COST_DATA">;
  /** More events than this in a range are sampled. */
  samplingEventsMax: number;
  /** Rows with fewer users are withheld where a report could tell who they are. */
  thresholdUsersMin: number;
}
