import type { CreateSandbox, SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";

/**
 * Every field that an answer may have, written down from the vendor's documentation: the kind of its value, and `!` where it is
 * always there. Kinds in capitals are messages of this table; `[]` is a list, never empty on the wire.
 */
const messages: Record<string, Record<string, string>> = {
  Report: {
    dimensionHeaders: "DimensionHeader[]",
    metricHeaders: "MetricHeader[]",
    rows: "Row[]",
    totals: "Row[]",
    maximums: "Row[]",
    minimums: "Row[]",
    rowCount: "count",
    metadata: "ReportMetadata!",
    propertyQuota: "PropertyQuota",
    kind: "text!",
  },
  RealtimeReport: {
    dimensionHeaders: "DimensionHeader[]",
    metricHeaders: "MetricHeader[]",
    rows: "Row[]",
    totals: "Row[]",
    maximums: "Row[]",
    minimums: "Row[]",
    rowCount: "count",
    propertyQuota: "PropertyQuota",
    kind: "text!",
  },
  PivotReport: {
    pivotHeaders: "PivotHeader[]!",
    dimensionHeaders: "DimensionHeader[]",
    metricHeaders: "MetricHeader[]!",
    rows: "Row[]",
    aggregates: "Row[]",
    metadata: "ReportMetadata!",
    propertyQuota: "PropertyQuota",
    kind: "text!",
  },
  Batch: { reports: "Report[]!", kind: "text!" },
  PivotBatch: { pivotReports: "PivotReport[]!", kind: "text!" },
  DimensionHeader: { name: "text!" },
  MetricHeader: { name: "text!", type: "word!" },
  Row: { dimensionValues: "Value[]", metricValues: "Value[]" },
  Value: { value: "text" },
  PivotHeader: { pivotDimensionHeaders: "PivotDimensionHeader[]", rowCount: "count" },
  PivotDimensionHeader: { dimensionValues: "Value[]!" },
  ReportMetadata: {
    dataLossFromOtherRow: "true",
    schemaRestrictionResponse: "SchemaRestriction",
    currencyCode: "text!",
    timeZone: "text!",
    emptyReason: "text",
    subjectToThresholding: "true",
    samplingMetadatas: "Sampling[]",
    dataTruncationReasons: "Truncation[]",
  },
  SchemaRestriction: { activeMetricRestrictions: "MetricRestriction[]!" },
  MetricRestriction: { metricName: "text!", restrictedMetricTypes: "word[]!" },
  Sampling: { samplesReadCount: "int64!", samplingSpaceSize: "int64!" },
  Truncation: {
    dataTruncationType: "word!",
    dataTruncationMessage: "text!",
    dataTruncationDate: "text!",
    dataTruncationDateRanges: "TruncatedRange[]!",
  },
  TruncatedRange: { startDate: "text!", endDate: "text!" },
  PropertyQuota: {
    tokensPerDay: "QuotaStatus!",
    tokensPerHour: "QuotaStatus!",
    concurrentRequests: "QuotaStatus!",
    serverErrorsPerProjectPerHour: "QuotaStatus!",
    potentiallyThresholdedRequestsPerHour: "QuotaStatus!",
    tokensPerProjectPerHour: "QuotaStatus!",
  },
  // The one place where zeros are written.
  QuotaStatus: { consumed: "number!", remaining: "number!" },
  Metadata: {
    name: "text!",
    dimensions: "DimensionMetadata[]!",
    metrics: "MetricMetadata[]!",
    comparisons: "ComparisonMetadata[]",
  },
  DimensionMetadata: {
    apiName: "text!",
    uiName: "text!",
    description: "text!",
    deprecatedApiNames: "text[]",
    customDefinition: "true",
    category: "text!",
  },
  MetricMetadata: {
    apiName: "text!",
    uiName: "text!",
    description: "text!",
    deprecatedApiNames: "text[]",
    type: "word!",
    expression: "text",
    customDefinition: "true",
    blockedReasons: "word[]",
    category: "text!",
  },
  ComparisonMetadata: { apiName: "text!", uiName: "text!", description: "text!" },
  Compatibility: {
    dimensionCompatibilities: "DimensionCompatibility[]",
    metricCompatibilities: "MetricCompatibility[]",
  },
  DimensionCompatibility: { dimensionMetadata: "DimensionMetadata!", compatibility: "word!" },
  MetricCompatibility: { metricMetadata: "MetricMetadata!", compatibility: "word!" },
  Account: {
    name: "text!",
    createTime: "time!",
    updateTime: "time!",
    displayName: "text!",
    regionCode: "text",
    deleted: "true",
  },
  Accounts: { accounts: "Account[]", nextPageToken: "text" },
  AccountSummaries: { accountSummaries: "AccountSummary[]", nextPageToken: "text" },
  AccountSummary: { name: "text!", account: "text!", displayName: "text!", propertySummaries: "PropertySummary[]" },
  PropertySummary: { property: "text!", displayName: "text!", propertyType: "word!", parent: "text!", canEdit: "true" },
  Property: {
    name: "text!",
    parent: "text!",
    account: "text!",
    propertyType: "word!",
    displayName: "text!",
    industryCategory: "word",
    timeZone: "text!",
    currencyCode: "text!",
    serviceLevel: "word!",
    createTime: "time!",
    updateTime: "time!",
    deleteTime: "time",
    expireTime: "time",
  },
  Properties: { properties: "Property[]", nextPageToken: "text" },
  KeyEvent: {
    name: "text!",
    eventName: "text!",
    createTime: "time!",
    deletable: "true",
    custom: "true",
    countingMethod: "word!",
    defaultValue: "KeyEventValue",
  },
  KeyEventValue: { numericValue: "number!", currencyCode: "text!" },
  KeyEvents: { keyEvents: "KeyEvent[]", nextPageToken: "text" },
  DataStream: {
    name: "text!",
    type: "word!",
    displayName: "text",
    createTime: "time!",
    updateTime: "time!",
    webStreamData: "WebStream",
    androidAppStreamData: "AndroidStream",
    iosAppStreamData: "IosStream",
  },
  WebStream: { measurementId: "text!", firebaseAppId: "text", defaultUri: "text" },
  AndroidStream: { firebaseAppId: "text", packageName: "text!" },
  IosStream: { firebaseAppId: "text", bundleId: "text!" },
  DataStreams: { dataStreams: "DataStream[]", nextPageToken: "text" },
  CustomDimension: {
    name: "text!",
    parameterName: "text!",
    displayName: "text!",
    description: "text",
    scope: "word!",
    disallowAdsPersonalization: "true",
  },
  CustomDimensions: { customDimensions: "CustomDimension[]", nextPageToken: "text" },
  CustomMetric: {
    name: "text!",
    parameterName: "text!",
    displayName: "text!",
    description: "text",
    measurementUnit: "word!",
    scope: "word!",
    restrictedMetricType: "word[]",
  },
  CustomMetrics: { customMetrics: "CustomMetric[]", nextPageToken: "text" },
  GoogleAdsLink: {
    name: "text!",
    customerId: "text!",
    canManageClients: "true",
    adsPersonalizationEnabled: "true",
    createTime: "time!",
    updateTime: "time!",
    creatorEmailAddress: "text",
  },
  GoogleAdsLinks: { googleAdsLinks: "GoogleAdsLink[]", nextPageToken: "text" },
  FirebaseLink: { name: "text!", project: "text!", createTime: "time!" },
  FirebaseLinks: { firebaseLinks: "FirebaseLink[]", nextPageToken: "text" },
  MeasurementSecret: { name: "text!", displayName: "text!", secretValue: "text!" },
  MeasurementSecrets: { measurementProtocolSecrets: "MeasurementSecret[]", nextPageToken: "text" },
  Retention: {
    name: "text!",
    eventDataRetention: "word!",
    userDataRetention: "word!",
    resetUserDataOnNewActivity: "true",
  },
  DataSharing: {
    name: "text!",
    sharingWithGoogleSupportEnabled: "true",
    sharingWithGoogleAssignedSalesEnabled: "true",
    sharingWithGoogleAnySalesEnabled: "true",
    sharingWithGoogleProductsEnabled: "true",
    sharingWithOthersEnabled: "true",
  },
  AccessReport: {
    dimensionHeaders: "AccessDimension[]",
    metricHeaders: "AccessMetric[]",
    rows: "Row[]",
    rowCount: "count",
    quota: "anything",
  },
  AccessDimension: { dimensionName: "text!" },
  AccessMetric: { metricName: "text!" },
  ChangeHistory: { changeHistoryEvents: "ChangeEvent[]", nextPageToken: "text" },
  ChangeEvent: {
    id: "text!",
    changeTime: "time!",
    actorType: "word!",
    userActorEmail: "text",
    changesFiltered: "true",
    changes: "Change[]!",
  },
  Change: { resource: "text!", action: "word!" },
  Ticket: { accountTicketId: "text!" },
  Nothing: {},
  ErrorAnswer: { error: "ErrorBody!" },
  ErrorBody: { code: "count!", message: "text!", status: "word!", details: "anything[]" },
};

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

/** Everything wrong with a value, each with its place. */
export function problemsOf(kind: string, value: unknown, place: string): string[] {
  const fields = messages[kind];
  if (!fields) return kinds[kind]?.(value) ? [] : [`${place} is no ${kind}: ${JSON.stringify(value)}`];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${place} is no ${kind}`];
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${place}.${name} is unknown`);
  const wrong = Object.entries(fields).flatMap(([name, rule]) => {
    const given = (value as Record<string, unknown>)[name];
    if (given === undefined) return rule.endsWith("!") ? [`${place}.${name} is missing`] : [];
    return problemsOfField(rule.replace("!", ""), given, `${place}.${name}`);
  });
  return [...unknown, ...wrong];
}

function problemsOfField(rule: string, given: unknown, place: string): string[] {
  if (!rule.endsWith("[]")) return problemsOf(rule, given, place);
  if (!Array.isArray(given) || given.length === 0) return [`${place} is no list with something in it`];
  return given.flatMap((each, at) => problemsOf(rule.slice(0, -2), each, `${place}[${at}]`));
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
