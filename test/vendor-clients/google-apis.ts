import { createRequire } from "node:module";
import { type Call, type Client, type ClientWorld, inOrder, type Step } from "./client.ts";

const minutes = "results that take the vendor minutes to make";

/** The generated clients of the Data and Admin APIs, which `googleapis` bundles with all others of the vendor. */
export const googleApis: Client = {
  name: "googleapis",
  title: "@googleapis/analyticsdata 10.0.0 and @googleapis/analyticsadmin 17.0.0",
  packages: { "@googleapis/analyticsdata": "10.0.0", "@googleapis/analyticsadmin": "17.0.0" },
  from: "npm",
  sandbox: "analytics",
  leftOut: {
    "properties.audienceExports.list": minutes,
    "v1alpha properties.expandedDataSets.list": "of the 360 level",
    "v1alpha properties.subpropertyEventFilters.list": "of the 360 level",
    "v1alpha accounts.accessBindings.list":
      "the listed tokens have no scope for managing users, and are refused as at the vendor",
    "v1alpha properties.accessBindings.list": "nobody here has a role on a single property",
  },
  async *calls(world: ClientWorld): AsyncIterable<Call> {
    yield* inOrder(callsOf(world));
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed here, so their types are not known.
type Answer = any;

function callsOf({ folder, served, credentials, ids }: ClientWorld): Step[] {
  const require = createRequire(`${folder}/package.json`);
  const { analyticsdata }: Answer = require("@googleapis/analyticsdata");
  const { analyticsadmin }: Answer = require("@googleapis/analyticsadmin");
  const rootUrl = `${served.url}/`;
  const headers = { authorization: `Bearer ${credentials.tokens.administrator}` };
  const data: Answer = analyticsdata({ version: "v1beta", rootUrl, headers });
  const admin: Answer = analyticsadmin({ version: "v1beta", rootUrl, headers });
  const alpha: Answer = analyticsadmin({ version: "v1alpha", rootUrl, headers });
  const { property, account } = ids;
  const range = { dateRanges: [{ startDate: "7daysAgo", endDate: "yesterday" }] };
  const access = { ...range, metrics: [{ metricName: "accessCount" }], dimensions: [{ dimensionName: "userEmail" }] };
  const report = { ...range, metrics: [{ name: "sessions" }], dimensions: [{ name: "country" }] };
  const pivot = { ...report, pivots: [{ fieldNames: ["country"], limit: 5 }] };
  const kept: Record<string, string> = {};
  const keep = async (name: string, sent: Promise<Answer>) => {
    kept[name] = (await sent).data.name;
  };
  const made = (name: string) => ({ name: kept[name] });
  const p = { parent: property };
  const stream = { type: "WEB_DATA_STREAM", displayName: "Web", webStreamData: { defaultUri: "https://shop.example" } };
  const dimension = { parameterName: "size", displayName: "Size", scope: "EVENT" };
  const metric = { parameterName: "points", displayName: "Points", scope: "EVENT", measurementUnit: "STANDARD" };
  const acknowledgement =
    "I acknowledge that I have the necessary privacy disclosures and rights from my end users for the collection and processing of their data, including the association of such data with the visitation information Google Analytics collects from my site and/or app property.";
  return [
    ["properties.runReport", () => data.properties.runReport({ property, requestBody: report })],
    [
      "properties.batchRunReports",
      () => data.properties.batchRunReports({ property, requestBody: { requests: [report] } }),
    ],
    ["properties.runPivotReport", () => data.properties.runPivotReport({ property, requestBody: pivot })],
    [
      "properties.batchRunPivotReports",
      () => data.properties.batchRunPivotReports({ property, requestBody: { requests: [pivot] } }),
    ],
    [
      "properties.runRealtimeReport",
      () => data.properties.runRealtimeReport({ property, requestBody: { metrics: [{ name: "activeUsers" }] } }),
    ],
    [
      "properties.checkCompatibility",
      () => data.properties.checkCompatibility({ property, requestBody: { metrics: report.metrics } }),
    ],
    ["properties.getMetadata", () => data.properties.getMetadata({ name: `${property}/metadata` })],
    ["properties.audienceExports.list", () => data.properties.audienceExports.list(p)],
    ["accounts.list", () => admin.accounts.list({})],
    ["accounts.get", () => admin.accounts.get({ name: account })],
    [
      "accounts.patch",
      () =>
        admin.accounts.patch({ name: account, updateMask: "displayName", requestBody: { displayName: "Fieldwork" } }),
    ],
    [
      "accounts.getDataSharingSettings",
      () => admin.accounts.getDataSharingSettings({ name: `${account}/dataSharingSettings` }),
    ],
    [
      "accounts.searchChangeHistoryEvents",
      () => admin.accounts.searchChangeHistoryEvents({ account, requestBody: {} }),
    ],
    ["accounts.runAccessReport", () => admin.accounts.runAccessReport({ entity: account, requestBody: access })],
    ["accountSummaries.list", () => admin.accountSummaries.list({ pageSize: 10 })],
    ["properties.list", () => admin.properties.list({ filter: `parent:${account}` })],
    ["properties.get", () => admin.properties.get({ name: property })],
    [
      "properties.create",
      () =>
        keep(
          "property",
          admin.properties.create({ requestBody: { parent: account, displayName: "New", timeZone: "Europe/Paris" } }),
        ),
    ],
    [
      "properties.patch",
      () =>
        admin.properties.patch({
          ...made("property"),
          updateMask: "displayName",
          requestBody: { displayName: "Newer" },
        }),
    ],
    ["properties.delete", () => admin.properties.delete(made("property"))],
    [
      "properties.getDataRetentionSettings",
      () => admin.properties.getDataRetentionSettings({ name: `${property}/dataRetentionSettings` }),
    ],
    [
      "properties.updateDataRetentionSettings",
      () =>
        admin.properties.updateDataRetentionSettings({
          name: `${property}/dataRetentionSettings`,
          updateMask: "eventDataRetention",
          requestBody: { eventDataRetention: "FOURTEEN_MONTHS" },
        }),
    ],
    ["properties.runAccessReport", () => admin.properties.runAccessReport({ entity: property, requestBody: access })],
    ["properties.keyEvents.list", () => admin.properties.keyEvents.list(p)],
    [
      "properties.keyEvents.create",
      () =>
        keep(
          "keyEvent",
          admin.properties.keyEvents.create({
            ...p,
            requestBody: { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" },
          }),
        ),
    ],
    ["properties.keyEvents.get", () => admin.properties.keyEvents.get(made("keyEvent"))],
    [
      "properties.keyEvents.patch",
      () =>
        admin.properties.keyEvents.patch({
          ...made("keyEvent"),
          updateMask: "countingMethod",
          requestBody: { countingMethod: "ONCE_PER_SESSION" },
        }),
    ],
    ["properties.keyEvents.delete", () => admin.properties.keyEvents.delete(made("keyEvent"))],
    ["properties.conversionEvents.list", () => admin.properties.conversionEvents.list(p)],
    ["properties.dataStreams.list", () => admin.properties.dataStreams.list(p)],
    [
      "properties.dataStreams.create",
      () => keep("stream", admin.properties.dataStreams.create({ ...p, requestBody: stream })),
    ],
    ["properties.dataStreams.get", () => admin.properties.dataStreams.get(made("stream"))],
    [
      "properties.dataStreams.patch",
      () =>
        admin.properties.dataStreams.patch({
          ...made("stream"),
          updateMask: "displayName",
          requestBody: { displayName: "Site" },
        }),
    ],
    [
      "properties.acknowledgeUserDataCollection",
      () => admin.properties.acknowledgeUserDataCollection({ property, requestBody: { acknowledgement } }),
    ],
    [
      "properties.dataStreams.measurementProtocolSecrets.create",
      () =>
        keep(
          "secret",
          admin.properties.dataStreams.measurementProtocolSecrets.create({
            parent: kept.stream,
            requestBody: { displayName: "Secret" },
          }),
        ),
    ],
    [
      "properties.dataStreams.measurementProtocolSecrets.list",
      () => admin.properties.dataStreams.measurementProtocolSecrets.list({ parent: kept.stream }),
    ],
    [
      "properties.dataStreams.measurementProtocolSecrets.delete",
      () => admin.properties.dataStreams.measurementProtocolSecrets.delete(made("secret")),
    ],
    ["properties.dataStreams.delete", () => admin.properties.dataStreams.delete(made("stream"))],
    ["properties.customDimensions.list", () => admin.properties.customDimensions.list(p)],
    [
      "properties.customDimensions.create",
      () => keep("dimension", admin.properties.customDimensions.create({ ...p, requestBody: dimension })),
    ],
    ["properties.customDimensions.get", () => admin.properties.customDimensions.get(made("dimension"))],
    ["properties.customDimensions.archive", () => admin.properties.customDimensions.archive(made("dimension"))],
    ["properties.customMetrics.list", () => admin.properties.customMetrics.list(p)],
    [
      "properties.customMetrics.create",
      () => keep("metric", admin.properties.customMetrics.create({ ...p, requestBody: metric })),
    ],
    ["properties.customMetrics.get", () => admin.properties.customMetrics.get(made("metric"))],
    ["properties.customMetrics.archive", () => admin.properties.customMetrics.archive(made("metric"))],
    ["properties.googleAdsLinks.list", () => admin.properties.googleAdsLinks.list(p)],
    ["properties.firebaseLinks.list", () => admin.properties.firebaseLinks.list(p)],
    ...(
      [
        "audiences",
        "bigQueryLinks",
        "adSenseLinks",
        "displayVideo360AdvertiserLinks",
        "searchAds360Links",
        "channelGroups",
        "calculatedMetrics",
        "reportingDataAnnotations",
        "customDimensions",
        "keyEvents",
        "expandedDataSets",
        "subpropertyEventFilters",
      ] as const
    ).map((name): Step => [`v1alpha properties.${name}.list`, () => alpha.properties[name].list(p)]),
    ["v1alpha accounts.accessBindings.list", () => alpha.accounts.accessBindings.list({ parent: account })],
    ["v1alpha properties.accessBindings.list", () => alpha.properties.accessBindings.list(p)],
    ["v1alpha accountSummaries.list", () => alpha.accountSummaries.list({})],
    [
      "v1alpha properties.getGoogleSignalsSettings",
      () => alpha.properties.getGoogleSignalsSettings({ name: `${property}/googleSignalsSettings` }),
    ],
    [
      "v1alpha properties.getAttributionSettings",
      () => alpha.properties.getAttributionSettings({ name: `${property}/attributionSettings` }),
    ],
  ];
}
