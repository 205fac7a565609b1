import { nearest } from "../../../kernel/nearest-names.ts";
import { StepFailed, type StepRequest, send, type Work } from "../../work.ts";
import { readReport, rowsIn } from "../protocol/report-answer.ts";
import { eventNamesRequest, namesMax } from "./options.ts";

export type Found = { is: "collected" } | { is: "not collected"; nearest: string[] } | { is: "unknown"; why: string };

const longAgo = "1095daysAgo";
// An account that is refused once is refused for the other queries too.
const finalCodes = ["needs_reconnect", "authentication_failed"];

/**
 * Whether a property has collected an event: by the names of the last 30 days, which costs one token; else by the last
 * half hour, where new events appear first; else by three years, for rare ones. If it cannot be queried, the system
 * decides.
 */
export function* findEvent(propertyId: string, eventName: string): Work<Found> {
  try {
    const { body } = yield* send(eventNamesRequest(propertyId));
    const names = (yield* rowsIn(readReport(body, namesMax))).map((row) => String(row.eventName));
    if (names.includes(eventName)) return { is: "collected" };
    for (const request of [realtimeRequest(propertyId, eventName), longRequest(propertyId, eventName)]) {
      if (readReport((yield* send(request)).body, 1).rowCount > 0) return { is: "collected" };
    }
    return {
      is: "not collected",
      nearest: nearest(
        eventName,
        names.map((name) => ({ name })),
      ),
    };
  } catch (error) {
    const isAnother = error instanceof StepFailed && !finalCodes.includes(error.failure.code);
    if (isAnother) return { is: "unknown", why: error.failure.detail };
    throw error;
  }
}

const question = (eventName: string) => ({
  dimensions: [{ name: "eventName" }],
  metrics: [{ name: "eventCount" }],
  dimensionFilter: {
    filter: { fieldName: "eventName", stringFilter: { matchType: "EXACT", value: eventName, caseSensitive: true } },
  },
  limit: 1,
  returnPropertyQuota: true,
});

const reading = { method: "POST", api: "data", effect: "read", idempotent: true } as const;

const realtimeRequest = (propertyId: string, eventName: string): StepRequest => ({
  ...reading,
  path: `/v1beta/properties/${propertyId}:runRealtimeReport`,
  body: question(eventName),
});

const longRequest = (propertyId: string, eventName: string): StepRequest => ({
  ...reading,
  path: `/v1beta/properties/${propertyId}:runReport`,
  body: { ...question(eventName), dateRanges: [{ startDate: longAgo, endDate: "today" }] },
});
