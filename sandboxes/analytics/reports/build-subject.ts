import type { Clock } from "../../server/clock.ts";
import { childrenOf, type Property, type Records } from "../admin/records.ts";
import { localTime } from "../events/calendar.ts";
import { type EventSets, hasHappened } from "../events/event-set-cache.ts";
import type { Person } from "../people/people.ts";
import type { AdjustableLimits } from "../quota/limits.ts";
import { notSet } from "./dimension.ts";
import type { Subject } from "./subject.ts";

export interface Subjects {
  of(property: Property, person: Person): Subject;
  hasCollected(property: Property, eventName: string): boolean;
}

/** Puts together what a report is about: records, events and the clock at this moment. */
export function createSubjects(
  records: () => Records,
  eventSets: EventSets,
  adjustableLimits: AdjustableLimits,
  clock: Clock,
): Subjects {
  const momentOf = ({ name, timeZone }: Property) => {
    const now = localTime(timeZone, clock.now());
    const since = records().collectsSince.get(name);
    return { now, since, events: eventSets.of(name, timeZone, since, now.day) };
  };
  return {
    of(property, person) {
      const { name, timeZone, currencyCode } = property;
      const { now, since, events } = momentOf(property);
      const stream = childrenOf(records().dataStreams, name)[0];
      const limits = adjustableLimits.current();
      const uri = stream?.webStreamData?.defaultUri;
      return {
        propertyId: name.slice("properties/".length),
        timeZone,
        currencyCode,
        events,
        now,
        openedDay: since === undefined ? now.day : localTime(timeZone, Date.parse(since)).day,
        keyEvents: childrenOf(records().keyEvents, name).map(({ eventName, countingMethod, createTime }) => {
          const marked = localTime(timeZone, Date.parse(createTime));
          return { eventName, countingMethod, sinceDay: marked.day, sinceSecond: marked.second };
        }),
        streamId: stream?.name.split("/")[3] ?? notSet,
        streamName: stream?.displayName ?? notSet,
        hostName: uri !== undefined && URL.canParse(uri) ? new URL(uri).hostname : notSet,
        hidden: person.hidden,
        samplingEventsMax: limits.sampling_events_max,
        thresholdUsersMin: limits.threshold_users_min,
      };
    },
    hasCollected(property, eventName) {
      const { now, events } = momentOf(property);
      return events !== null && hasHappened(events, eventName, now);
    },
  };
}
