import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { failureOf, startAnalytics } from "../../../../test/support/systems/analytics-sandbox.ts";
import { driveStep, driveWork } from "../../../../test/support/systems/drive-step.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { analyticsApiCall } from "../steps/analytics-api-call.ts";
import { analytics } from "../system.ts";

let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
beforeAll(async () => {
  sandbox = await startAnalytics();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

type Output = { status: number; body: Record<string, string> };
const call = async (input: object) =>
  (await driveStep(analyticsApiCall, input, sandbox.as("administrator"))).output as Output;

/** What looking finds out about a call whose answer was lost; nothing is sent that writes. */
async function lookFor(input: object) {
  const at = sandbox.as("administrator");
  const context = { intentId: "int_test", now: new Date(), identity: at.identity, ...sentThen() };
  const work = analyticsApiCall.reconcile?.(analyticsApiCall.input.parse(input), context);
  if (!work) throw new Error("It has no way to look.");
  const { result, requests } = await driveWork(work, analytics, at);
  expect(requests.every(({ effect }) => effect === "read")).toBe(true);
  return typeof result === "string" ? result : { ...(result.output as Output), warnings: result.warnings };
}

const stream = { type: "WEB_DATA_STREAM", displayName: "Web", webStreamData: { defaultUri: "https://shop.example" } };

test.each([
  ["a data stream", "dataStreams", stream],
  ["a key event", "keyEvents", { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" }],
])("a deleted record is gone, with the answer that was lost: %s", async (_, collection, body) => {
  const made = await call({ method: "POST", endpoint: `v1beta/properties/1000/${collection}`, body });
  const remove = { method: "DELETE", endpoint: `v1beta/${made.body.name}` };
  expect(await lookFor(remove)).toBe("did not");
  const answer = await call(remove);
  expect(await lookFor(remove)).toEqual({ ...answer, warnings: [expect.stringContaining("is gone")] });
});

test("a changed property has the values that the mask names, in either spelling, or cannot be told", async () => {
  const endpoint = "v1beta/properties/1001";
  const change = (body: object, updateMask: string) => ({ method: "PATCH", endpoint, body, query: { updateMask } });
  const rename = change({ displayName: "Renamed", timeZone: "not meant" }, "displayName");
  expect(await lookFor(rename)).toBe("cannot tell");
  await call(change({ displayName: "Renamed" }, "displayName"));
  expect(await lookFor(rename)).toMatchObject({ status: 200, body: { displayName: "Renamed" } });
  expect(await lookFor(change({ display_name: "Renamed" }, "display_name"))).toMatchObject({ status: 200 });
  expect(await lookFor(change({ displayName: "Renamed" }, "displayName,industryCategory"))).toBe("cannot tell");
  expect(await lookFor({ method: "PATCH", endpoint, body: { displayName: "Renamed" } })).toBe("cannot tell");
});

test("a mask may name a part of a member, or all that can be changed", async () => {
  const made = await call({ method: "POST", endpoint: "v1beta/properties/1000/dataStreams", body: stream });
  const endpoint = `v1beta/${made.body.name}`;
  const change = (body: object, updateMask: string) => ({ method: "PATCH", endpoint, body, query: { updateMask } });
  const at = (defaultUri: string) => ({ webStreamData: { defaultUri } });
  // The record has a measurement id beside the address: that one is the system's.
  expect(await lookFor(change(at("https://new.example"), "webStreamData"))).toBe("cannot tell");
  await call(change(at("https://new.example"), "webStreamData"));
  expect(await lookFor(change(at("https://new.example"), "web_stream_data.default_uri"))).toMatchObject({
    status: 200,
  });
  expect(await lookFor(change(at("https://new.example"), "webStreamData"))).toMatchObject({ status: 200 });

  // The whole record as it was read, with one other value.
  const { body } = await call({ method: "GET", endpoint });
  const whole = { ...body, displayName: "Whole" };
  expect(await lookFor(change(whole, "*"))).toBe("cannot tell");
  await call(change(whole, "*"));
  expect(await lookFor(change(whole, "*"))).toMatchObject({ status: 200, body: { displayName: "Whole" } });
  // What is not sent would be cleared, and is there.
  expect(await lookFor(change({ displayName: "Whole" }, "*"))).toBe("cannot tell");
  expect(await lookFor(change(whole, "*,displayName"))).toBe("cannot tell");
});

test.each([
  ["a custom dimension", "customDimensions", { parameterName: "size", displayName: "Size", scope: "EVENT" }],
  ["a link, which is only listed", "googleAdsLinks", { customerId: "123-456-7890" }],
])("any record can be read back after a change: %s", async (_, collection, body) => {
  const made = await call({ method: "POST", endpoint: `v1beta/properties/1000/${collection}`, body });
  const [name, value] = collection === "googleAdsLinks" ? ["adsPersonalizationEnabled", false] : ["displayName", "Big"];
  const endpoint = `v1beta/${made.body.name}`;
  const change = { method: "PATCH", endpoint, body: { [name]: value }, query: { updateMask: name } };
  expect(await lookFor(change)).toBe("cannot tell");
  const answer = await call(change);
  expect(await lookFor(change)).toMatchObject(answer);
});

test("a deleted link is not in the list", async () => {
  const body = { customerId: "123-456-7890" };
  const made = await call({ method: "POST", endpoint: "v1beta/properties/1000/googleAdsLinks", body });
  const remove = { method: "DELETE", endpoint: `v1beta/${made.body.name}` };
  expect(await lookFor(remove)).toBe("did not");
  const answer = await call(remove);
  expect(await lookFor(remove)).toMatchObject(answer);
});

test("a metric whose id its creator chose is gone, or may be another's", async () => {
  const body = { displayName: "Ratio", metricUnit: "STANDARD", formula: "{{sessions}}/{{totalUsers}}" };
  const list = "v1alpha/properties/1000/calculatedMetrics";
  await call({ method: "POST", endpoint: list, body, query: { calculatedMetricId: "ratio" } });
  const remove = { method: "DELETE", endpoint: `${list}/ratio` };
  expect(await lookFor(remove)).toBe("cannot tell");
  const answer = await call(remove);
  expect(await lookFor(remove)).toMatchObject(answer);
});

test("a path that the system does not have says nothing of a record", async () => {
  const work = lookFor({ method: "DELETE", endpoint: "v1beta/properties/1000/bigQueryLinks/5" });
  expect(await failureOf(work)).toMatchObject({ code: "not_found_there" });
});

test("what creates, and what nothing shows, cannot be told", async () => {
  const endpoint = "v1beta/properties/1000/keyEvents";
  const body = { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" };
  expect(await lookFor({ method: "POST", endpoint, body })).toBe("cannot tell");
  expect(await lookFor({ method: "DELETE", endpoint: "v1alpha/properties/1000/audiences/5" })).toBe("cannot tell");
});
