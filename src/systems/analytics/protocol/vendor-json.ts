/** Reads JSON of external systems: a missing or unexpected value reads as nothing. */

export type Members = Readonly<Record<string, unknown>>;

export const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A name for people. What is longer than any of them is cut. */
export const shortOf = (value: unknown): string => textOf(value).slice(0, shortMax);

const shortMax = 1_000;

/** The vendor writes 64-bit numbers as text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === "number" ? value : textOf(value).trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A member of a request body: the vendor reads `dateRanges` and `date_ranges` alike. */
export const memberOf = (body: Members, name: string): unknown =>
  body[name] ?? body[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

const detailsMax = 20;

/** The vendor's reason for a refusal, with the names that it concerns; empty without one. */
export function reasonOf(body: unknown): { reason: string; metadata: Members } {
  const details = listOf(membersOf(membersOf(body).error).details)
    .slice(0, detailsMax)
    .map(membersOf);
  const info = details.find(({ reason }) => textOf(reason) !== "");
  return { reason: textOf(info?.reason), metadata: membersOf(info?.metadata) };
}

const services: Record<string, string> = {
  "analyticsdata.googleapis.com": "Google Analytics Data API",
  "analyticsadmin.googleapis.com": "Google Analytics Admin API",
};

/** SERVICE_DISABLED: which API is off in which cloud project, and where to turn it on. */
export function disabledService(metadata: Members): { what: string; remedy: string } {
  const service = textOf(metadata.service);
  const project = textOf(metadata.consumer).replace(/^projects\//, "");
  const which = project === "" ? "the cloud project that the sign-in belongs to" : `the cloud project ${project}`;
  // The ids come from outside; only plain ones become part of an address.
  const isPlain = Object.hasOwn(services, service) && /^[\w-]+$/.test(project);
  const page = isPlain ? ` (https://console.cloud.google.com/apis/library/${service}?project=${project})` : "";
  return {
    what: `The ${services[service] ?? "Google Analytics API"} is turned off in ${which}.`,
    remedy: `Turn on the Google Analytics Data API and Admin API in ${which}${page}, then wait a few minutes. It is the project of the OAuth client or of the service account's key, which may be another one than you expect.`,
  };
}
