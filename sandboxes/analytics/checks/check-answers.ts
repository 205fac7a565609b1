import type { CreateSandbox, SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import { fieldLists } from "./field-lists.ts";

const isText = (value: unknown) => typeof value === "string" && value !== "";

const kinds: Record<string, (value: unknown) => boolean> = {
  text: isText,
  word: (value) => isText(value) && /^[A-Z][A-Z0-9_]*$/.test(value as string),
  time: (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value as string),
  int64: (value) => isText(value) && /^-?\d+$/.test(value as string),
  count: (value) => Number.isInteger(value) && value !== 0,
  number: (value) => typeof value === "number",
  true: (value) => value === true,
  anything: () => true,
};

/** Everything wrong with a value, each with its path. */
export function problemsOf(kind: string, value: unknown, path: string): string[] {
  const fields = fieldLists[kind];
  if (!fields) return kinds[kind]?.(value) ? [] : [`${path} is no ${kind}: ${JSON.stringify(value)}`];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is no ${kind}`];
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${path}.${name} is unknown`);
  const wrong = Object.entries(fields).flatMap(([name, rule]) => {
    const given = (value as Record<string, unknown>)[name];
    if (given === undefined) return rule.endsWith("!") ? [`${path}.${name} is missing`] : [];
    return problemsOfField(rule.replace("!", ""), given, `${path}.${name}`);
  });
  return [...unknown, ...wrong];
}

function problemsOfField(rule: string, given: unknown, path: string): string[] {
  if (!rule.endsWith("[]")) return problemsOf(rule, given, path);
  if (!Array.isArray(given) || given.length === 0) return [`${path} is no list with something in it`];
  return given.flatMap((each, at) => problemsOf(rule.slice(0, -2), each, `${path}[${at}]`));
}

// By method and path, ids as `*`.
const answers: [RegExp, string][] = [
  [/^POST .*:runReport$/, "Report"],
  [/^POST .*:batchRunReports$/, "Batch"],
  [/^POST .*:runPivotReport$/, "PivotReport"],
  [/^POST .*:batchRunPivotReports$/, "PivotBatch"],
  [/^POST .*:runRealtimeReport$/, "RealtimeReport"],
  [/^POST .*:checkCompatibility$/, "Compatibility"],
  [/^GET .*\/metadata$/, "Metadata"],
  [/^GET .*\/accounts$/, "Accounts"],
  [/^GET .*\/accounts\/[^/]+$/, "Account"],
  [/^GET .*\/accountSummaries$/, "AccountSummaries"],
  [/^GET .*\/properties$/, "Properties"],
  [/^(POST .*\/properties|(GET|PATCH|DELETE) .*\/properties\/[^/]+)$/, "Property"],
  [/^GET .*\/keyEvents$/, "KeyEvents"],
  [/^(POST .*\/keyEvents|(GET|PATCH) .*\/keyEvents\/[^/]+)$/, "KeyEvent"],
  [/^GET .*\/dataStreams$/, "DataStreams"],
  [/^(POST .*\/dataStreams|(GET|PATCH) .*\/dataStreams\/[^/]+)$/, "DataStream"],
  [/^PATCH .*\/accounts\/[^/]+$/, "Account"],
  [/^POST .*\/accounts:provisionAccountTicket$/, "Ticket"],
  [/^POST .*:runAccessReport$/, "AccessReport"],
  [/^POST .*:searchChangeHistoryEvents$/, "ChangeHistory"],
  [/^POST .*:(acknowledgeUserDataCollection|archive)$/, "Nothing"],
  [/^GET .*\/dataSharingSettings$/, "DataSharing"],
  [/^(GET|PATCH) .*\/dataRetentionSettings$/, "Retention"],
  [/^GET .*\/customDimensions$/, "CustomDimensions"],
  [/^(POST .*\/customDimensions|(GET|PATCH) .*\/customDimensions\/[^/]+)$/, "CustomDimension"],
  [/^GET .*\/customMetrics$/, "CustomMetrics"],
  [/^(POST .*\/customMetrics|(GET|PATCH) .*\/customMetrics\/[^/]+)$/, "CustomMetric"],
  [/^GET .*\/googleAdsLinks$/, "GoogleAdsLinks"],
  [/^(POST .*\/googleAdsLinks|PATCH .*\/googleAdsLinks\/[^/]+)$/, "GoogleAdsLink"],
  [/^GET .*\/firebaseLinks$/, "FirebaseLinks"],
  [/^POST .*\/firebaseLinks$/, "FirebaseLink"],
  [/^GET .*\/measurementProtocolSecrets$/, "MeasurementSecrets"],
  [/^(POST .*\/measurementProtocolSecrets|(GET|PATCH) .*\/measurementProtocolSecrets\/[^/]+)$/, "MeasurementSecret"],
  [/^DELETE .*\/(keyEvents|dataStreams|googleAdsLinks|firebaseLinks|measurementProtocolSecrets)\/[^/]+$/, "Nothing"],
];

function kindOfAnswer(call: SandboxCall, answer: SandboxAnswer): string | null {
  if (!call.path.startsWith("/v1beta/") || typeof answer.body === "string") return null;
  if (answer.status !== 200) return "ErrorAnswer";
  return answers.find(([pattern]) => pattern.test(`${call.method} ${call.path}`))?.[1] ?? "(no list for this call)";
}

/** Wraps a sandbox so that each of its answers is held against the lists; what is wrong gathers in `found`. */
export function checking(create: CreateSandbox, found: string[]): CreateSandbox {
  return (baseUrl) => {
    const sandbox = create(baseUrl);
    return {
      ...sandbox,
      async handle(call) {
        const answer = await sandbox.handle(call);
        const kind = kindOfAnswer(call, answer);
        if (kind !== null) found.push(...problemsOf(kind, answer.body, `${call.method} ${call.path}: ${kind}`));
        return answer;
      },
    };
  };
}
