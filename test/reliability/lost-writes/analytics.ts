import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import { again, analytics, asked, call, didNot, found, inRow, made, refused, repeated } from "../write-case.ts";

const locale = { time_zone: "Europe/Paris", currency_code: "EUR" };
const aProperty = async (platform: Platform, display_name: string): Promise<string> =>
  (await made(platform, "create_properties", { account_id: "100", display_name, ...locale })).property_id;
const make = async (platform: Platform, endpoint: string, body: object, query: object = {}) =>
  (await made(platform, "analytics_api_call", { method: "POST", endpoint, body, query })).body;
const shopAt = (defaultUri: string) => ({ webStreamData: { defaultUri } });
const stream = (displayName: string) => ({
  type: "WEB_DATA_STREAM",
  displayName,
  ...shopAt(`https://${displayName.toLowerCase()}.example`),
});

const property = "v1beta/properties/1000";
const metrics = "v1alpha/properties/1000/calculatedMetrics";
const metric = { displayName: "Ratio", metricUnit: "STANDARD", formula: "{{sessions}}/{{totalUsers}}" };
const aStream = async (platform: Platform, name: string): Promise<string> =>
  (await make(platform, `${property}/dataStreams`, stream(name))).name;

const exists = refused("conflict_there", "ALREADY_EXISTS");
const notFound = refused("not_found_there", "NOT_FOUND");

/** Records below a property that all work alike. */
const linked = ["bigQueryLinks", "displayVideo360AdvertiserLinks", "searchAds360Links", "channelGroups"];
const numbered = [...linked, "reportingDataAnnotations", "dataStreams/2/eventCreateRules"].map(
  (each) => `/v1alpha/properties/1/${each}`,
);
const inBoth = ["googleAdsLinks", "conversionEvents", "dataStreams/2/measurementProtocolSecrets"];
const older = inBoth.map((each) => `/v1beta/properties/1/${each}`);
const unchanging = ["/v1alpha/properties/1/adSenseLinks", "/v1beta/properties/1/firebaseLinks"];
const defined = ["/v1beta/properties/1/customDimensions", "/v1beta/properties/1/customMetrics"];
const archived = [...defined, "/v1alpha/properties/1/audiences"];
const settings = [
  "/v1beta/properties/1/dataRetentionSettings",
  ...["googleSignalsSettings", "attributionSettings", "reportingIdentitySettings"].map(
    (each) => `/v1alpha/properties/1/${each}`,
  ),
  "/v1alpha/properties/1/dataStreams/2/enhancedMeasurementSettings",
  "/v1alpha/properties/1/dataStreams/2/dataRedactionSettings",
];

export const analyticsRows = [
  inRow(
    "`create_properties`",
    { before: didNot, repeat: again({ property_id: expect.any(String) }) },
    {
      step: "create_properties",
      input: () => ({ account_id: "100", display_name: "Lost", ...locale }),
      ends: found,
      output: { property_id: expect.any(String) },
    },
  ),
  inRow(
    "`create_key_events`",
    { before: didNot, repeat: exists },
    {
      step: "create_key_events",
      input: () => ({ property_id: "1000", event_name: "sign_up" }),
      ends: found,
      output: { key_event_id: expect.any(String) },
    },
  ),
  inRow(
    "Create a property, a key event, a data stream or another record by path",
    {
      before: asked,
      repeat: again({ status: 200 }),
      also: [...numbered, ...older, ...unchanging, ...archived, "/v1alpha/properties/1/calculatedMetrics"].map(
        (path) => `POST ${path}`,
      ),
    },
    analytics(
      () =>
        call("POST", "v1beta/properties", {
          parent: "accounts/100",
          displayName: "Path",
          timeZone: "Europe/Paris",
          currencyCode: "EUR",
        }),
      asked,
    ),
    analytics(
      () => call("POST", `${property}/keyEvents`, { eventName: "login", countingMethod: "ONCE_PER_EVENT" }),
      asked,
      undefined,
      { repeat: exists },
    ),
    analytics(() => call("POST", `${property}/dataStreams`, stream("Shop")), asked, undefined, {
      repeat: exists,
    }),
  ),
  inRow(
    "Change a record, such as a property or a data stream",
    {
      before: repeated,
      repeat: again({ status: 200 }),
      also: [
        "PATCH /v1beta/accounts/100",
        "PATCH /v1beta/properties/1/keyEvents/2",
        "PATCH /v1alpha/properties/1/calculatedMetrics/a",
        ...settings.map((path) => `PATCH ${path}`),
        ...[...numbered, ...older, ...archived].map((path) => `PATCH ${path}/3`),
      ],
    },
    analytics(
      () => call("PATCH", "v1beta/properties/1001", { displayName: "Changed" }, { updateMask: "displayName" }),
      found,
      { status: 200, body: { displayName: "Changed" } },
    ),
    analytics(
      ({ data_stream }) =>
        call("PATCH", `v1beta/${data_stream}`, { display_name: "Other" }, { updateMask: "display_name" }),
      found,
      { status: 200, body: { displayName: "Other" } },
    ),
    analytics(
      ({ data_stream }) =>
        call("PATCH", `v1beta/${data_stream}`, shopAt("https://new.example"), { updateMask: "web_stream_data" }),
      found,
      { status: 200, body: { webStreamData: { defaultUri: "https://new.example" } } },
    ),
    analytics(({ data_stream }) => call("PATCH", `v1beta/${data_stream}`, stream("Any"), { updateMask: "*" }), found, {
      status: 200,
      body: { displayName: "Any" },
    }),
  ),
  inRow(
    "Put a property into the trash",
    { before: repeated, repeat: refused("conflict_there", "FAILED_PRECONDITION") },
    analytics(async (_, platform) => call("DELETE", `v1beta/properties/${await aProperty(platform, "Trash")}`), found, {
      status: 200,
      body: { deleteTime: expect.any(String) },
    }),
  ),
  inRow(
    "Delete a key event, a data stream or another record by its number",
    {
      before: repeated,
      repeat: notFound,
      also: [...numbered, ...older, ...unchanging].map((path) => `DELETE ${path}/3`),
    },
    analytics(({ key_event }) => call("DELETE", `v1beta/${key_event}`), found, { status: 200, body: {} }),
    analytics(async (_, platform) => call("DELETE", `v1beta/${await aStream(platform, "Own")}`), found, {
      status: 200,
      body: {},
    }),
    analytics(
      async (_, platform) => call("DELETE", `v1beta/${await aStream(platform, "Unreadable")}`),
      [2, "gone"],
      undefined,
      {
        unreadable: ({ endpoint }) => `/${endpoint}`,
      },
    ),
  ),
  inRow(
    "Delete a calculated metric",
    { before: asked, repeat: notFound },
    analytics(
      async (_, platform) => {
        await make(platform, metrics, metric, { calculatedMetricId: "ratio" });
        return call("DELETE", `${metrics}/ratio`);
      },
      found,
      { status: 200, body: {} },
    ),
  ),
  inRow(
    "Archive a record, acknowledge the collection of user data, all other writes",
    {
      before: asked,
      repeat: notFound,
      also: [
        ...archived.map((path) => `POST ${path}/3:archive`),
        "POST /v1beta/properties/1:acknowledgeUserDataCollection",
        "POST /v1beta/accounts:provisionAccountTicket",
        "PUT /v1beta/properties/1",
      ],
    },
    analytics(async (_, platform) => {
      const body = { parameterName: "size", displayName: "Size", scope: "EVENT" };
      const { name } = await make(platform, `${property}/customDimensions`, body);
      return call("POST", `v1beta/${name}:archive`);
    }, asked),
  ),
];
