import type { Clock } from "../server/clock.ts";
import { isGrantLost } from "./admin/access.ts";
import type { Property, Records } from "./admin/records.ts";
import { hasRole, type Person } from "./people/people.ts";
import type { AdjustableLimits } from "./quota/limits.ts";
import { type PropertyQuota, type QuotaCategory, tokenCost } from "./quota/property-quota.ts";
import type { Subjects } from "./reports/build-subject.ts";
import { checkCompatibility, metadataOf } from "./reports/metadata.ts";
import { runPivotReport } from "./reports/pivot.ts";
import { runRealtimeReport } from "./reports/realtime.ts";
import type {
  CheckCompatibilityRequest,
  RunPivotReportRequest,
  RunRealtimeReportRequest,
  RunReportRequest,
} from "./reports/request.ts";
import { type MadeReport, runReport } from "./reports/run-report.ts";
import type { Subject } from "./reports/subject.ts";
import { ApiError, invalid } from "./wire/api-error.ts";
import * as messages from "./wire/data-messages.ts";
import { readMessage } from "./wire/proto-json.ts";

const batchMax = 5;
const idPage = "https://developers.google.com/analytics/devguides/reporting/data/v1/property-id";

export interface DataApi {
  /** Answers a call about `properties/{id}`; the person and the scope are known to be good. */
  run(method: DataMethod, propertyId: string, person: Person, body: Buffer): Promise<object>;
  /** Lets every report go that still holds its slot. */
  reset(): void;
}

export type DataMethod =
  | "runReport"
  | "batchRunReports"
  | "runPivotReport"
  | "batchRunPivotReports"
  | "runRealtimeReport"
  | "checkCompatibility"
  | "metadata";

export interface DataParts {
  records: () => Records;
  subjects: Subjects;
  quota: PropertyQuota;
  adjustableLimits: AdjustableLimits;
  clock: Clock;
}

export function createDataApi(parts: DataParts): DataApi {
  const waiting = new Set<() => void>();

  /** A report takes its time and holds a slot meanwhile; by default one turn of the event loop, so that parallel calls meet. */
  function pause(): Promise<void> {
    const milliseconds = parts.adjustableLimits.current().report_milliseconds;
    if (milliseconds === 0) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => {
      waiting.add(resolve);
      parts.clock.at(parts.clock.now() + milliseconds, () => {
        waiting.delete(resolve);
        resolve();
      });
    });
  }

  return {
    async run(method, propertyId, person, body) {
      if (method === "metadata" && propertyId === "0") return metadataOf(null);
      const property = requireReadable(parts, propertyId, person);
      const category: QuotaCategory = method === "runRealtimeReport" ? "realtime" : "core";
      // The shape of the body is checked before anything is counted.
      const make = readRequest(method, property, body);
      const release = parts.quota.enter(propertyId, category);
      try {
        await pause();
        failByName(property, parts.quota, category);
        return settle(make(parts.subjects.of(property, person)), parts.quota, propertyId, category);
      } finally {
        release();
      }
    },
    reset() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

function requireReadable({ records, clock }: DataParts, propertyId: string, person: Person): Property {
  if (!/^\d+$/.test(propertyId)) {
    throw invalid(
      `Invalid property ID: ${propertyId}. A numeric Property ID is required. To learn more about Property ID, see ${idPage}.`,
    );
  }
  const property = records().properties.get(`properties/${propertyId}`);
  const isThere = property !== undefined && property.deleteTime === undefined && !isGrantLost(property, clock);
  if (isThere && hasRole(person, "viewer", property.account, property.name)) return property;
  throw new ApiError(
    "PERMISSION_DENIED",
    `User does not have sufficient permissions for this property. To learn more about Property ID, see ${idPage}.`,
  );
}

/** A property called `sandbox-503` fails that way, so that a failure can be seen without the control API. */
function failByName({ name, displayName }: Property, quota: PropertyQuota, category: QuotaCategory): void {
  const propertyId = name.slice("properties/".length);
  if (displayName === "sandbox-429") {
    throw new ApiError(
      "RESOURCE_EXHAUSTED",
      "Exhausted property tokens for a property per hour. These quota tokens will return in under 60 minutes.",
    );
  }
  if (displayName !== "sandbox-500" && displayName !== "sandbox-503") return;
  quota.countServerError(propertyId, category);
  throw displayName === "sandbox-500"
    ? new ApiError("INTERNAL", "Internal error encountered.")
    : new ApiError("UNAVAILABLE", "The service is currently unavailable.");
}

/** Reports still to be paid for, and how their bodies make the answer. */
interface Made {
  reports: MadeReport[];
  answer: (bodies: object[]) => object;
}

type Make = (subject: Subject) => Made;

const single = (report: MadeReport): Made => ({ reports: [report], answer: ([body = {}]) => body });

function readRequest(method: DataMethod, property: Property, body: Buffer): Make {
  switch (method) {
    case "runReport": {
      const request = readMessage(messages.runReportRequest, body) as RunReportRequest;
      return (subject) => single(runReport(request, subject));
    }
    case "runPivotReport": {
      const request = readMessage(messages.runPivotReportRequest, body) as RunPivotReportRequest;
      return (subject) => single(runPivotReport(request, subject));
    }
    case "runRealtimeReport": {
      const request = readMessage(messages.runRealtimeReportRequest, body) as RunRealtimeReportRequest;
      return (subject) => single(runRealtimeReport(request, subject));
    }
    case "batchRunReports": {
      const { requests = [] } = readMessage(messages.batchRunReportsRequest, body) as { requests?: RunReportRequest[] };
      const reports = (subject: Subject) =>
        batch(requests, property, "Report", (request) => runReport(request, subject));
      return (subject) => ({
        reports: reports(subject),
        answer: (bodies) => ({ reports: bodies, kind: "analyticsData#batchRunReports" }),
      });
    }
    case "batchRunPivotReports": {
      const { requests = [] } = readMessage(messages.batchRunPivotReportsRequest, body) as {
        requests?: RunPivotReportRequest[];
      };
      const reports = (subject: Subject) =>
        batch(requests, property, "PivotReport", (request) => runPivotReport(request, subject));
      return (subject) => ({
        reports: reports(subject),
        answer: (bodies) => ({ pivotReports: bodies, kind: "analyticsData#batchRunPivotReports" }),
      });
    }
    case "checkCompatibility": {
      const request = readMessage(messages.checkCompatibilityRequest, body) as CheckCompatibilityRequest;
      return (subject) => single(free(checkCompatibility(request, subject)));
    }
    case "metadata":
      return (subject) => single(free({ ...metadataOf(subject) }));
  }
}

/** What asks about fields and not about data costs the least there is. */
const free = (body: Record<string, unknown>): MadeReport => ({
  body,
  cost: { days: 0, dimensions: 0, metrics: 0 },
  isThresholded: false,
  wantsQuota: false,
});

/** One bad item fails the whole batch, before any is charged. */
function batch<Request extends { property?: string }>(
  requests: Request[],
  { name }: Property,
  kind: "Report" | "PivotReport",
  run: (request: Request) => MadeReport,
): MadeReport[] {
  if (requests.length === 0) throw invalid(`The batchRun${kind}sRequest must contain at least one run${kind}Request.`);
  if (requests.length > batchMax) {
    throw invalid(
      `Batch requests are limited to ${batchMax} requests.\n  This batch request contains ${requests.length} requests.`,
    );
  }
  const stranger = requests.find(({ property }) => property && property !== name);
  if (stranger) throw invalid(`The property ${stranger.property} of a request in the batch must be empty or ${name}.`);
  return requests.map(run);
}

/** Charges each report and puts the quota into those that asked for it, before `kind`. */
function settle({ reports, answer }: Made, quota: PropertyQuota, propertyId: string, category: QuotaCategory): object {
  const bodies = reports.map(({ body, cost, isThresholded, wantsQuota }) => {
    const propertyQuota = quota.charge(propertyId, category, tokenCost(cost), isThresholded);
    if (!wantsQuota) return body;
    const { kind, ...rest } = body;
    return { ...rest, propertyQuota, ...(kind === undefined ? {} : { kind }) };
  });
  return answer(bodies);
}
