import type { Effect, Method, StepRequest } from "../../work.ts";

/** Which of the two APIs a path belongs to, what it does, and which property it concerns. */

export const pathPrefix = /^\/v1(?:beta|alpha)\//;

const reportVerb = /:(?:run(?:Pivot|Realtime|Funnel)?Report|batchRun(?:Pivot)?Reports|checkCompatibility)$/;
const dataCollection =
  /^\/\w+\/properties\/[^/:]+\/(?:metadata|audienceExports|audienceLists|recurringAudienceLists|reportTasks|propertyQuotasSnapshot)(?:[/:]|$)/;
// Sent as POST because the query is long; they change nothing.
const askingVerb = /:(?:query|runAccessReport|searchChangeHistoryEvents)$/;
const anyVerb = /:\w+$/;

export function apiOf(path: string): "data" | "admin" {
  const plain = decoded(path);
  return reportVerb.test(plain) || dataCollection.test(plain) ? "data" : "admin";
}

export function effectOf(method: Method, path: string): Effect {
  const plain = decoded(path);
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return "read";
  if (method === "DELETE" || plain.endsWith(":archive")) return "delete";
  if (method !== "POST") return "update";
  if (reportVerb.test(plain) || askingVerb.test(plain)) return "read";
  return anyVerb.test(plain) ? "update" : "create";
}

/** What can be deleted by a number, which the system gives, and never again. */
const numbered = [
  ...[
    "keyEvents",
    "conversionEvents",
    "dataStreams",
    "measurementProtocolSecrets",
    "eventCreateRules",
    "eventEditRules",
  ],
  ...["googleAdsLinks", "firebaseLinks", "bigQueryLinks", "adSenseLinks", "searchAds360Links"],
  ...["displayVideo360AdvertiserLinks", "displayVideo360AdvertiserLinkProposals", "channelGroups"],
  ...["reportingDataAnnotations", "expandedDataSets", "rollupPropertySourceLinks", "subpropertyEventFilters"],
];
const numberedRecord = new RegExp(`^/\\w+/properties/\\d+(?:/dataStreams/\\d+)?/(?:${numbered.join("|")})/\\d+$`);
const property = /^\/\w+\/properties\/\d+$/;

export const isProperty = (path: string): boolean => property.test(decoded(path));
export const isNumberedRecord = (path: string): boolean => numberedRecord.test(decoded(path));

/**
 * A POST that creates may create twice. Updates name the values that they set, and what is deleted by its number stays
 * deleted. An id that callers choose may belong to another record by then.
 */
export function isIdempotent(method: Method, path: string): boolean {
  if (method === "DELETE") return isProperty(path) || isNumberedRecord(path);
  return method === "PATCH" || effectOf(method, path) === "read";
}

/** The id of the property that a path concerns, or null. */
export const propertyIn = (path: string): string | null =>
  /^\/\w+\/properties\/(\d+)(?:[/:]|$)/.exec(decoded(path))?.[1] ?? null;

export const accountIn = (path: string): string | null =>
  /^\/\w+\/accounts\/(\d+)(?:[/:]|$)/.exec(decoded(path))?.[1] ?? null;

/** The quota that a request counts against, or null for the Admin API, which has none per property. */
export function categoryOf({ api, path }: StepRequest): "core" | "realtime" | null {
  if (api !== "data") return null;
  return decoded(path).endsWith(":runRealtimeReport") ? "realtime" : "core";
}

/** The system reads `%3A` as a colon, so we must too. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A path that is not encoded stays as it is.
    return path;
  }
}
