import {
  activeUsers,
  allEvents,
  allSessions,
  engagedSessions,
  eventsNamed,
  first,
  keyEventCount,
  type Metric,
  ratio,
  sessionSum,
  sum,
  withKeyEvent,
} from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";

const views = eventsNamed("page_view");

/** Sessions, pages and events. */
export const behaviourMetrics: Metric[] = [
  ...fields("Session", [
    ["sessions", "Sessions", "INTEGER", "Visits that began.", [allSessions], first],
    ["engagedSessions", "Engaged sessions", "INTEGER", "Visits of more than a moment.", [engagedSessions], first],
    [
      "engagementRate",
      "Engagement rate",
      "FLOAT",
      "Share of sessions that were engaged.",
      [engagedSessions, allSessions],
      ratio,
    ],
    [
      "bounceRate",
      "Bounce rate",
      "FLOAT",
      "Share of sessions that were not engaged.",
      [engagedSessions, allSessions],
      (counts) => ((counts[1] ?? 0) === 0 ? 0 : 1 - ratio(counts)),
    ],
    [
      "averageSessionDuration",
      "Average session duration",
      "SECONDS",
      "Mean length of a session.",
      [sessionSum("seconds", null), allSessions],
      ratio,
    ],
    [
      "sessionsPerUser",
      "Sessions per active user",
      "FLOAT",
      "Sessions for each active user.",
      [allSessions, activeUsers],
      ratio,
    ],
    [
      "sessionKeyEventRate",
      "Session key event rate",
      "FLOAT",
      "Share of sessions with a key event.",
      ({ keyEvents }) => [withKeyEvent("sessions", keyEvents), allSessions],
      ratio,
      { deprecatedApiNames: ["sessionConversionRate"] },
    ],
  ]),
  ...fields("Page / Screen", [
    ["screenPageViews", "Views", "INTEGER", "Pages and screens shown.", [views], first],
    ["screenPageViewsPerSession", "Views per session", "FLOAT", "Pages for each session.", [views, allSessions], ratio],
    [
      "screenPageViewsPerUser",
      "Views per active user",
      "FLOAT",
      "Pages for each active user.",
      [views, activeUsers],
      ratio,
    ],
  ]),
  ...fields("Event", [
    ["eventCount", "Event count", "INTEGER", "Events of every name.", [allEvents], first],
    [
      "eventCountPerUser",
      "Event count per active user",
      "FLOAT",
      "Events for each active user.",
      [allEvents, activeUsers],
      ratio,
    ],
    ["eventsPerSession", "Events per session", "FLOAT", "Events for each session.", [allEvents, allSessions], ratio],
    [
      "keyEvents",
      "Key events",
      "FLOAT",
      "How often a key event happened.",
      ({ keyEvents }) => keyEvents.map(keyEventCount),
      sum,
      { deprecatedApiNames: ["conversions"] },
    ],
    [
      "eventValue",
      "Event value",
      "FLOAT",
      "The values that events carried, added up.",
      [
        {
          key: "event value",
          counts: {
            kind: "sum",
            of:
              ({ events }) =>
              (event) =>
                events.cents[event] ?? 0,
          },
        },
      ],
      ([cents = 0]) => cents / 100,
    ],
  ]),
];
