import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf, type Role, startAnalytics } from "../../../../test/support/systems/analytics-sandbox.ts";
import { driveStep } from "../../../../test/support/systems/drive-step.ts";
import { knownEndpoints } from "../options/known-endpoints.ts";
import { analyticsApiCall } from "./analytics-api-call.ts";

let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
beforeAll(async () => {
  sandbox = await startAnalytics();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const call = (input: object, role: Role = "administrator") => driveStep(analyticsApiCall, input, sandbox.as(role));
const get = (endpoint: string, more: object = {}) => call({ method: "GET", endpoint, ...more });
const refusals = (input: object) =>
  analyticsApiCall.input.safeParse(input).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ??
  [];

const question = {
  dateRanges: [{ startDate: "30daysAgo", endDate: "today" }],
  dimensions: [{ name: "country" }],
  metrics: [{ name: "sessions" }],
};
const pivots = [{ fieldNames: ["country"], limit: 5 }];
const stream = { type: "WEB_DATA_STREAM", displayName: "Web", webStreamData: { defaultUri: "https://shop.example" } };

/** What each row of the requirement is called with, what it does, and which API it goes to. */
const calls: Record<string, [effect: string, api: string, more?: object]> = {
  "POST v1beta/properties/{propertyId}:runReport": ["read", "data", { body: question }],
  "POST v1beta/properties/{propertyId}:runRealtimeReport": [
    "read",
    "data",
    { body: { dimensions: [{ name: "country" }], metrics: [{ name: "activeUsers" }] } },
  ],
  "POST v1beta/properties/{propertyId}:runPivotReport": ["read", "data", { body: { ...question, pivots } }],
  "POST v1beta/properties/{propertyId}:batchRunReports": ["read", "data", { body: { requests: [question, question] } }],
  "GET v1beta/properties/{propertyId}/metadata": ["read", "data"],
  "GET v1beta/properties?filter=parent:accounts/{accountId}": ["read", "admin"],
  "GET v1beta/properties/{propertyId}": ["read", "admin"],
  "POST v1beta/properties": [
    "create",
    "admin",
    { body: { parent: "accounts/100", displayName: "New", timeZone: "Etc/UTC", currencyCode: "EUR" } },
  ],
  "PATCH v1beta/properties/{propertyId}": [
    "update",
    "admin",
    { query: { updateMask: "displayName" }, body: { displayName: "Renamed" } },
  ],
  "DELETE v1beta/properties/{propertyId}": ["delete", "admin"],
  "GET v1beta/properties/{propertyId}/keyEvents": ["read", "admin"],
  "POST v1beta/properties/{propertyId}/keyEvents": [
    "create",
    "admin",
    { body: { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" } },
  ],
  "GET v1beta/properties/{propertyId}/keyEvents/{keyEventId}": ["read", "admin"],
  "DELETE v1beta/properties/{propertyId}/keyEvents/{keyEventId}": ["delete", "admin"],
  "GET v1beta/properties/{propertyId}/dataStreams": ["read", "admin"],
  "GET v1beta/properties/{propertyId}/dataStreams/{dataStreamId}": ["read", "admin"],
  "POST v1beta/properties/{propertyId}/dataStreams": ["create", "admin", { body: stream }],
  "PATCH v1beta/properties/{propertyId}/dataStreams/{dataStreamId}": [
    "update",
    "admin",
    { query: { updateMask: "displayName" }, body: { displayName: "Renamed" } },
  ],
  "GET v1beta/accountSummaries": ["read", "admin"],
  "POST v1beta/properties/{propertyId}:checkCompatibility": [
    "read",
    "data",
    { body: { dimensions: question.dimensions, metrics: question.metrics } },
  ],
};
const ids: Record<string, string> = { propertyId: "1000", accountId: "100", keyEventId: "71", dataStreamId: "5000" };

describe("every endpoint of the requirement", () => {
  test.each(knownEndpoints.map(({ method, endpoint }) => [method, endpoint]))(
    "%s %s",
    async (method = "", endpoint = "") => {
      const [effect, api, more] = calls[`${method} ${endpoint}`] ?? [];
      const filled = endpoint.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
      const { output, requests } = await call({ method, endpoint: filled, ...more });
      expect(output).toMatchObject({ status: 200, body: expect.any(Object) });
      expect(requests).toMatchObject([{ method, effect, api, idempotent: effect !== "create" }]);
    },
  );

  test("each of the table is called, and no other", () => {
    expect(Object.keys(calls).sort()).toEqual(
      knownEndpoints.map(({ method, endpoint }) => `${method} ${endpoint}`).sort(),
    );
  });
});

describe("a call", () => {
  test("a query in the endpoint and beside it are merged", async () => {
    const { requests } = await get("v1beta/properties?filter=parent:accounts/100", { query: { pageSize: 2 } });
    expect(requests[0]?.query).toEqual({ filter: "parent:accounts/100", pageSize: 2 });
  });

  test.each([
    ["GET", "v1beta/properties/1", "read"],
    ["POST", "v1beta/properties/1:runReport", "read"],
    ["POST", "v1alpha/properties/1:runFunnelReport", "read"],
    ["POST", "v1beta/properties/1/audienceExports/2:query", "read"],
    ["POST", "v1beta/properties/1/audienceExports", "create"],
    ["POST", "v1beta/properties/1/customDimensions/2:archive", "delete"],
    ["POST", "v1beta/properties/1:acknowledgeUserDataCollection", "update"],
    ["PUT", "v1beta/properties/1", "update"],
    ["DELETE", "v1beta/properties/1", "delete"],
  ])("%s %s will %s", (method, endpoint, effect) =>
    expect(analyticsApiCall.effectOf?.(analyticsApiCall.input.parse({ method, endpoint }))).toBe(effect),
  );

  test.each([
    ["GET", "v1beta/properties/1", true],
    ["POST", "v1beta/properties/1:runReport", true],
    ["PATCH", "v1beta/properties/1", true],
    ["DELETE", "v1beta/properties/1", true],
    ["DELETE", "v1beta/properties/1/dataStreams/2", true],
    ["DELETE", "v1beta/properties/1/dataStreams/2/measurementProtocolSecrets/3", true],
    ["DELETE", "v1alpha/properties/1/channelGroups/2", true],
    ["DELETE", "v1alpha/properties/1/calculatedMetrics/ratio", false],
    ["DELETE", "v1alpha/properties/1/calculatedMetrics/5", false],
    ["DELETE", "v1alpha/accounts/1/accessBindings/abc", false],
    ["DELETE", "v1beta/anything/1", false],
    ["PUT", "v1beta/properties/1", false],
    ["POST", "v1beta/properties/1/customDimensions/2:archive", false],
    ["POST", "v1beta/properties/1:acknowledgeUserDataCollection", false],
  ])("%s %s is repeatable: %s", async (method, endpoint, expected) => {
    const context = { intentId: "int_1", now: new Date(), identity: { label: "" } };
    const { value } = analyticsApiCall.work(analyticsApiCall.input.parse({ method, endpoint }), context).next();
    expect(value).toMatchObject({ idempotent: expected });
  });

  test.each<[string, object, RegExp]>([
    ["a leading slash", { endpoint: "/v1beta/properties" }, /leading slash/],
    ["an absolute address", { endpoint: "https://evil.example/v1beta/properties" }, /Leave out scheme/],
    ["another host", { endpoint: "//evil.example/v1beta" }, /slash/],
    ["climbing out", { endpoint: "v1beta/../token" }, /without `\.`/],
    ["climbing out, encoded", { endpoint: "v1beta/%2e%2e/token" }, /without `\.`/],
    ["an encoded slash", { endpoint: "v1beta/properties%2f1000" }, /encoded slash/],
    ["a line break", { endpoint: "v1beta/properties\r\nX: y" }, /line breaks/],
    ["another path", { endpoint: "token" }, /v1beta/],
    ["a token of one's own", { query: { access_token: "x" } }, /the connection signs/],
    ["another method in the query", { endpoint: "v1beta/properties?$httpMethod=DELETE" }, /step's/],
    ["another format", { query: { alt: "media" } }, /JSON/],
    ["a body of a GET", { body: {} }, /no body/],
    ["a method that does not exist", { method: "LIST" }, /GET/],
    ["pages of a single record", { endpoint: "v1beta/properties/1000", all_pages: true }, /Only lists/],
    ["pages of metadata", { endpoint: "v1beta/properties/1000/metadata", all_pages: true }, /Only lists/],
    ["a token of another list", { all_pages: true, after: "bm8" }, /earlier call/],
    ["headers", { headers: { host: "x" } }, /headers/],
  ])("%s is refused before anything is sent", (_, change, reason) =>
    expect(refusals({ method: "GET", endpoint: "v1beta/properties", ...change }).join("\n")).toMatch(reason),
  );

  test('"create key event: `eventName` (string)": the counting method that the vendor demands is added, and the run says so', async () => {
    const call = { method: "POST", endpoint: "v1beta/properties/1000/keyEvents", body: { eventName: "login" } };
    const { output, warnings } = await driveStep(analyticsApiCall, call, sandbox.as("editor"));
    expect(output).toMatchObject({ status: 200, body: { eventName: "login", countingMethod: "ONCE_PER_EVENT" } });
    expect(warnings).toEqual([expect.stringContaining("countingMethod")]);
  });

  test.each<[string, object, Role, object]>([
    ["a path that is missing", { method: "GET", endpoint: "v1beta/nothing" }, "viewer", { code: "not_found_there" }],
    [
      "a record that is missing",
      { method: "GET", endpoint: "v1beta/properties/1000/keyEvents/9" },
      "viewer",
      { code: "not_found_there" },
    ],
    [
      "a property out of reach",
      { method: "GET", endpoint: "v1beta/properties/2000" },
      "viewer",
      { code: "permission_denied" },
    ],
    [
      "a key that is unknown",
      { method: "POST", endpoint: "v1beta/properties/1000:runReport", body: { x: 1 } },
      "viewer",
      { code: "invalid_there" },
    ],
    [
      "a role that is too low",
      { method: "DELETE", endpoint: "v1beta/properties/1000" },
      "viewer",
      { code: "permission_denied" },
    ],
    [
      "a scope that is missing",
      { method: "DELETE", endpoint: "v1beta/properties/1000" },
      "read-scope-only",
      { remedy: expect.stringMatching(/permission to edit/) },
    ],
    [
      "a key event that stays",
      { method: "DELETE", endpoint: "v1beta/properties/1000/keyEvents/70" },
      "editor",
      { code: "conflict_there" },
    ],
  ])("%s", async (_, input, role, expected) => expect(await failureOf(call(input, role))).toMatchObject(expected));
});

test("the cost is known beforehand", () => {
  const cost = (input: object) => analyticsApiCall.cost?.(analyticsApiCall.input.parse(input));
  expect(cost({ method: "GET", endpoint: "v1beta/properties/1000" })).toEqual({ calls: 1 });
  const endpoint = "v1beta/properties/1000:batchRunReports";
  expect(cost({ method: "POST", endpoint, body: { requests: [question, question] } })).toEqual({ calls: 1, tokens: 2 });
});

describe("all pages", () => {
  const list = "v1beta/properties?filter=parent:accounts/100";

  test("a list is read to its end, whatever the size of its pages", async () => {
    const { output } = await get(list, { query: { pageSize: 2 }, all_pages: true });
    const { items } = output as { items: { name: string }[] };
    expect(output).toMatchObject({ pages: 3, next: null });
    expect(new Set(items.map(({ name }) => name)).size).toBe(6);
  });

  test("it stops at a cap and continues from there", async () => {
    const asked = { query: { pageSize: 2 }, all_pages: true, max_items: 3 };
    const first = (await get(list, asked)).output as { items: object[]; next: string };
    expect(first.items).toHaveLength(3);
    const second = (await get(list, { ...asked, after: first.next })).output as { items: object[]; next: null };
    expect(second).toMatchObject({ next: null });
    expect([...first.items, ...second.items]).toHaveLength(6);
    const { query } = asked;
    // "`after` resumes an `all_pages` that hit a cap", said again or not.
    expect((await get(list, { query, after: first.next })).output).toEqual(second);
  });

  test("an empty list has no items", async () => {
    const { output } = await get("v1beta/properties/1002/keyEvents", { all_pages: true });
    expect(output).toEqual({ items: [], pages: 1, next: null });
  });

  test("a report is read by offset, and warns if it has no order", async () => {
    const endpoint = "v1beta/properties/1000:runReport";
    const all = await call({ method: "POST", endpoint, body: { ...question, limit: 4 }, all_pages: true });
    const once = await call({ method: "POST", endpoint, body: question });
    const { rows, rowCount } = (once.output as { body: { rows: object[]; rowCount: number } }).body;
    expect(all.output).toEqual({ items: rows, pages: Math.ceil(rowCount / 4), next: null });
    expect(all.warnings.join()).toMatch(/orderBys/);
    const orderBys = [{ dimension: { dimensionName: "country" } }];
    const ordered = await call({ method: "POST", endpoint, body: { ...question, orderBys }, all_pages: true });
    expect(ordered.warnings).toEqual([]);
  });
});
