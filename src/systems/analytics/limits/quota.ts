import type { Identity, LimitedAccount } from "../../account.ts";
import type { Demand, ReportedLimit } from "../../define.ts";
import type { Answer, StepRequest } from "../../work.ts";
import { estimatedDays } from "../protocol/date-ranges.ts";
import { categoryOf, decoded, propertyIn } from "../protocol/endpoints.ts";
import { listOf, type Members, memberOf, membersOf, numberOf, textOf } from "../protocol/vendor-json.ts";
import { type Bucket, readExhausted } from "./exhausted-quota.ts";

type Category = "core" | "realtime";

/** "Analytics core reporting: 200,000 tokens per day per property, 40,000 per hour"; real time 75,000 and 15,000. */
const tokensMax: Record<Category, { day: number; hour: number }> = {
  core: { day: 200_000, hour: 40_000 },
  realtime: { day: 75_000, hour: 15_000 },
};
// Not in the requirement, and usually the first to be reached: 35 % of the hour for all requests of one cloud project.
const projectHourMax = 14_000;
const concurrentMax = 10;
const thresholdedMax = 120;
// "Admin API, per project per minute: 1,200 requests (600 per user)". The project is that of the OAuth client.
const adminCallsMax = 600;
const adminCallsOfClientMax = 1200;

const pacific = "America/Los_Angeles";
// Reports on these may hide small groups of people, and the vendor counts such queries.
const thresholdedFields = ["userAgeBracket", "userGender", "brandingInterest", "audienceId", "audienceName"];

const nameOf: Record<Bucket, (category: Category) => string> = {
  day: (category) => `${category} tokens per day`,
  hour: (category) => `${category} tokens per hour`,
  "project hour": (category) => `${category} tokens per project and hour`,
  concurrent: (category) => `${category} requests at once`,
  thresholded: (category) => `${category} potentially thresholded requests per hour`,
  "server errors": (category) => `${category} server errors per project and hour`,
  minute: () => "admin requests per minute",
  "project minute": () => "admin requests per project and minute",
};

const quotaFields: [string, Bucket][] = [
  ["tokensPerDay", "day"],
  ["tokensPerHour", "hour"],
  ["tokensPerProjectPerHour", "project hour"],
];

/** Fits recordings of the system: days, and columns beyond the first few. The answer reports the true number. */
export const tokenEstimate = (days: number, dimensions: number, metrics: number): number =>
  1 + Math.floor(days / 60) + Math.ceil(Math.max(0, dimensions * metrics - 3) / 32);

/**
 * The reports in a request: one, or those of a batch. Metadata and compatibility requests have none and cost the
 * minimum.
 */
function reportsAsked({ path, body }: StepRequest): Members[] {
  const asked = membersOf(body);
  return /:batchRun\w*$/.test(decoded(path)) ? listOf(memberOf(asked, "requests")).map(membersOf) : [asked];
}

function estimateOf(report: Members): number {
  const ranges = listOf(memberOf(report, "dateRanges")).map(membersOf);
  const days = ranges.reduce(
    (sum, range) => sum + estimatedDays(textOf(memberOf(range, "startDate")), textOf(memberOf(range, "endDate"))),
    0,
  );
  return tokenEstimate(days, listOf(report.dimensions).length, listOf(report.metrics).length);
}

/** Estimated tokens of one request to the Data API. */
export const tokensOf = (request: StepRequest): number =>
  Math.max(
    1,
    reportsAsked(request).reduce((sum, report) => sum + estimateOf(report), 0),
  );

const isThresholded = (report: Members): boolean =>
  listOf(report.dimensions).some((dimension) => thresholdedFields.includes(textOf(membersOf(dimension).name)));

const subjectOf = (request: StepRequest, origin: string): string =>
  `analytics|${origin}|properties/${propertyIn(request.path) ?? "-"}`;
const adminSubject = (origin: string, { email, user_id, label }: Identity): string =>
  `analytics|${origin}|${email ?? user_id ?? label}`;
const clientSubject = (origin: string): string => `analytics|${origin}|client`;

/** Each user's calls and, for accounts that were signed in with our own client, the total of all of them. */
function adminDemands(origin: string, { identity, signInMethod }: LimitedAccount): Demand[] {
  const window = { kind: "window", windowSeconds: 60, amount: 1 } as const;
  const own: Demand = {
    subject: adminSubject(origin, identity),
    name: nameOf.minute("core"),
    max: adminCallsMax,
    ...window,
  };
  if (signInMethod !== "oauth") return [own];
  const name = nameOf["project minute"]("core");
  return [own, { subject: clientSubject(origin), name, max: adminCallsOfClientMax, shared: true, ...window }];
}

export function demands(request: StepRequest, origin: string, account: LimitedAccount): Demand[] {
  const category = categoryOf(request);
  if (category === null) return adminDemands(origin, account);
  const { settings } = account;
  const subject = subjectOf(request, origin);
  const reports = reportsAsked(request);
  const tokens = tokensOf(request);
  const thresholded = reports.filter(isThresholded).length;
  const { day, hour } = tokensMax[category];
  // Any caller can write the id of any property into a request.
  const demand = (bucket: Bucket, amount: number, limit: Omit<Demand, "subject" | "name" | "amount">): Demand => ({
    subject,
    name: nameOf[bucket](category),
    amount,
    onceAuthorized: true,
    ...limit,
  });
  return [
    demand("concurrent", 1, { kind: "concurrent", max: settings.concurrent_calls ?? concurrentMax }),
    demand("project hour", tokens, { kind: "calendar", max: projectHourMax, resets: "hourly" }),
    demand("hour", tokens, { kind: "calendar", max: hour, resets: "hourly" }),
    demand("day", tokens, { kind: "calendar", max: day, resets: { daily: pacific } }),
    ...(thresholded > 0
      ? [demand("thresholded", thresholded, { kind: "calendar", max: thresholdedMax, resets: "hourly" })]
      : []),
  ];
}

/** Reads `propertyQuota`, summed over a batch, and the exhausted limit of a refusal. */
export function reportedLimits(
  answer: Answer,
  request: StepRequest,
  origin: string,
  identity: Identity,
): ReportedLimit[] {
  const category = categoryOf(request);
  if (answer.status === 429) return limitsOfRefusal(answer, request, origin, identity);
  if (category === null) return [];
  return readQuotas(answer, request, category, subjectOf(request, origin));
}

function limitsOfRefusal(answer: Answer, request: StepRequest, origin: string, identity: Identity): ReportedLimit[] {
  const category = categoryOf(request);
  const exhausted = readExhausted(answer);
  if (!exhausted) return [];
  const { bucket, resetsAt } = exhausted;
  const usedUp = { remaining: 0, ...(resetsAt ? { resetsAt } : {}) };
  const isOfCalls = bucket === "minute" || bucket === "project minute";
  if (isOfCalls !== (category === null)) return [];
  if (category !== null) return [{ subject: subjectOf(request, origin), name: nameOf[bucket](category), ...usedUp }];
  const own: ReportedLimit = { subject: adminSubject(origin, identity), name: nameOf.minute("core"), ...usedUp };
  if (bucket === "minute") return [own];
  // An account of another OAuth client is not in our shared limit, and pauses only itself.
  const name = nameOf["project minute"]("core");
  return [own, { subject: clientSubject(origin), name, shared: true, ...usedUp }];
}

/** A batch has at most five reports. */
const batchMax = 5;

function readQuotas(answer: Answer, request: StepRequest, category: Category, subject: string): ReportedLimit[] {
  const body = membersOf(answer.body);
  const reports = Array.isArray(body.reports) ? body.reports : listOf(body.pivotReports ?? [body]);
  const quotas = reports.slice(0, batchMax).map((report) => membersOf(membersOf(report).propertyQuota));
  const asked = reportsAsked(request);
  return quotaFields.flatMap(([field, bucket]) => {
    const figures = quotas.map((quota) => membersOf(quota[field]));
    const left = figures.flatMap(({ remaining }) => numberOf(remaining) ?? []);
    if (left.length === 0) return [];
    // A report of a batch without its quota counts as estimated.
    const taken = figures.reduce(
      (sum, { consumed }, at) => sum + (numberOf(consumed) ?? estimateOf(asked[at] ?? {})),
      0,
    );
    const remaining = Math.min(...left);
    const max = largerMax(category, bucket, remaining + taken);
    return [{ subject, name: nameOf[bucket](category), remaining, taken, ...(max === null ? {} : { max }) }];
  });
}

/** Properties of the paid level have ten times as much; a larger rest than the standard maximum reveals them. */
function largerMax(category: Category, bucket: Bucket, seen: number): number | null {
  const { day, hour } = tokensMax[category];
  const standard = bucket === "day" ? day : bucket === "hour" ? hour : projectHourMax;
  return seen > standard ? standard * 10 : null;
}
