import {
  allSessions,
  allUsers,
  first,
  keyEventCount,
  type Metric,
  type MetricContext,
  ratio,
  withKeyEvent,
} from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";

/** `keyEvents:purchase` and the two rates of one key event. */
export function keyEventMetrics({ keyEvents }: MetricContext): Metric[] {
  return keyEvents.flatMap((keyEvent) => {
    const { eventName } = keyEvent;
    return [
      ...fields("Event", [
        [
          `keyEvents:${eventName}`,
          `Key events for ${eventName}`,
          "FLOAT",
          `How often ${eventName} happened.`,
          [keyEventCount(keyEvent)],
          first,
        ],
      ]),
      ...fields("Session", [
        [
          `sessionKeyEventRate:${eventName}`,
          `Session key event rate for ${eventName}`,
          "FLOAT",
          `Share of sessions with ${eventName}.`,
          [withKeyEvent("sessions", [keyEvent]), allSessions],
          ratio,
        ],
      ]),
      ...fields("User", [
        [
          `userKeyEventRate:${eventName}`,
          `User key event rate for ${eventName}`,
          "FLOAT",
          `Share of users with ${eventName}.`,
          [withKeyEvent("users", [keyEvent]), allUsers],
          ratio,
        ],
      ]),
    ];
  });
}
