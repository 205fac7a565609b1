import type { Method } from "../../work.ts";

/** The most common calls, offered as suggestions for an endpoint; each is tested. */
export interface KnownEndpoint {
  method: Method;
  endpoint: string;
  does: string;
}

const rows: [Method, string, string][] = [
  ["POST", "v1beta/properties/{propertyId}:runReport", "Run a report"],
  ["POST", "v1beta/properties/{propertyId}:runRealtimeReport", "Run a report on the last 30 minutes"],
  ["POST", "v1beta/properties/{propertyId}:runPivotReport", "Run a pivot report"],
  ["POST", "v1beta/properties/{propertyId}:batchRunReports", "Run up to five reports"],
  ["GET", "v1beta/properties/{propertyId}/metadata", "List available metrics and dimensions"],
  ["GET", "v1beta/properties?filter=parent:accounts/{accountId}", "List properties of an account"],
  ["GET", "v1beta/properties/{propertyId}", "Get a property"],
  ["POST", "v1beta/properties", "Create a property"],
  ["PATCH", "v1beta/properties/{propertyId}", "Change a property"],
  ["DELETE", "v1beta/properties/{propertyId}", "Put a property into the trash"],
  ["GET", "v1beta/properties/{propertyId}/keyEvents", "List key events"],
  ["POST", "v1beta/properties/{propertyId}/keyEvents", "Create a key event"],
  ["GET", "v1beta/properties/{propertyId}/keyEvents/{keyEventId}", "Get a key event"],
  ["DELETE", "v1beta/properties/{propertyId}/keyEvents/{keyEventId}", "Delete a key event"],
  ["GET", "v1beta/properties/{propertyId}/dataStreams", "List data streams"],
  ["GET", "v1beta/properties/{propertyId}/dataStreams/{dataStreamId}", "Get a data stream"],
  ["POST", "v1beta/properties/{propertyId}/dataStreams", "Create a data stream"],
  ["PATCH", "v1beta/properties/{propertyId}/dataStreams/{dataStreamId}", "Change a data stream"],
  ["GET", "v1beta/accountSummaries", "List accounts and properties in reach"],
  ["POST", "v1beta/properties/{propertyId}:checkCompatibility", "See which fields go together"],
];

export const knownEndpoints: readonly KnownEndpoint[] = rows.map(([method, endpoint, does]) => ({
  method,
  endpoint,
  does,
}));
