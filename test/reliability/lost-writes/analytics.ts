import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import { analytics, call, inRow, made } from "../write-case.ts";

const locale = { time_zone: "Europe/Paris", currency_code: "EUR" };
const aProperty = async (platform: Platform, display_name: string): Promise<string> =>
  (await made(platform, "create_properties", { account_id: "100", display_name, ...locale })).property_id;
const shopAt = (defaultUri: string) => ({ webStreamData: { defaultUri } });
const stream = (displayName: string) => ({ type: "WEB_DATA_STREAM", displayName, ...shopAt("https://shop.example") });

const metrics = "v1alpha/properties/1000/calculatedMetrics";

export const analyticsWrites = [
  inRow("`create_properties`", {
    step: "create_properties",
    input: () => ({ account_id: "100", display_name: "Lost", ...locale }),
    ends: [1, "found"],
    output: { property_id: expect.any(String) },
  }),
  inRow("`create_key_events`", {
    step: "create_key_events",
    input: () => ({ property_id: "1000", event_name: "sign_up" }),
    ends: [1, "found"],
    output: { key_event_id: expect.any(String) },
  }),
  inRow(
    "Create a property, key event or data stream by path",
    analytics(
      () =>
        call("POST", "v1beta/properties", {
          parent: "accounts/100",
          displayName: "Path",
          timeZone: "Europe/Paris",
          currencyCode: "EUR",
        }),
      [1, "asked"],
    ),
    analytics(
      () => call("POST", "v1beta/properties/1000/keyEvents", { eventName: "login", countingMethod: "ONCE_PER_EVENT" }),
      [1, "asked"],
    ),
    analytics(() => call("POST", "v1beta/properties/1000/dataStreams", stream("Shop")), [1, "asked"]),
  ),
  inRow(
    "Change a record, such as a property or a data stream",
    analytics(
      () => call("PATCH", "v1beta/properties/1001", { displayName: "Changed" }, { updateMask: "displayName" }),
      [1, "found"],
      { status: 200, body: { displayName: "Changed" } },
    ),
    analytics(
      ({ data_stream }) =>
        call("PATCH", `v1beta/${data_stream}`, { display_name: "Other" }, { updateMask: "display_name" }),
      [1, "found"],
      { status: 200, body: { displayName: "Other" } },
    ),
    analytics(
      ({ data_stream }) =>
        call("PATCH", `v1beta/${data_stream}`, shopAt("https://new.example"), { updateMask: "web_stream_data" }),
      [1, "found"],
      { status: 200, body: { webStreamData: { defaultUri: "https://new.example" } } },
    ),
    analytics(
      ({ data_stream }) => call("PATCH", `v1beta/${data_stream}`, stream("Any"), { updateMask: "*" }),
      [1, "found"],
      { status: 200, body: { displayName: "Any" } },
    ),
  ),
  inRow(
    "Put a property into the trash",
    analytics(
      async (_, platform) => call("DELETE", `v1beta/properties/${await aProperty(platform, "Trash")}`),
      [1, "found"],
      { status: 200, body: { deleteTime: expect.any(String) } },
    ),
  ),
  inRow(
    "Delete a key event, a data stream or another record by its number",
    analytics(({ key_event }) => call("DELETE", `v1beta/${key_event}`), [1, "found"], { status: 200, body: {} }),
    analytics(({ data_stream }) => call("DELETE", `v1beta/${data_stream}`), [1, "found"], { status: 200, body: {} }),
  ),
  inRow(
    "Delete a calculated metric",
    analytics(
      async (_, platform) => {
        const body = { displayName: "Ratio", metricUnit: "STANDARD", formula: "{{sessions}}/{{totalUsers}}" };
        const query = { calculatedMetricId: "ratio" };
        await made(platform, "analytics_api_call", { method: "POST", endpoint: metrics, query, body });
        return call("DELETE", `${metrics}/ratio`);
      },
      [1, "found"],
      { status: 200, body: {} },
    ),
  ),
  inRow(
    "Archive a record, acknowledge the collection of user data, all other writes",
    analytics(
      async (_, platform) => {
        const endpoint = "v1beta/properties/1000/customDimensions";
        const body = { parameterName: "size", displayName: "Size", scope: "EVENT" };
        const { name } = (await made(platform, "analytics_api_call", { method: "POST", endpoint, body })).body;
        return call("POST", `v1beta/${name}:archive`);
      },
      [1, "asked"],
    ),
  ),
].flat();
