import { describe, expect, test } from "vitest";
import type { Answer, StepRequest } from "../define.ts";
import { effectOf } from "./endpoints.ts";
import { nextMidnightPacific } from "./exhausted.ts";
import { analytics } from "./system.ts";

const who = { label: "ann" };
const origin = "https://analyticsdata.googleapis.com";
const property = `analytics|${origin}|properties/1000`;

const request = (method: StepRequest["method"], path: string, more: Partial<StepRequest> = {}): StepRequest => ({
  method,
  api: /:|metadata/.test(path) ? "data" : "admin",
  path: `/v1beta/${path}`,
  effect: effectOf(method, `/v1beta/${path}`),
  idempotent: false,
  ...more,
});
const report = (body: object = {}) => request("POST", "properties/1000:runReport", { body });
const realtime = (body: object = {}) => request("POST", "properties/1000:runRealtimeReport", { body });

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body,
  bytes: 0,
});
const error = (code: number, status: string, message: string, reason?: string) =>
  answer(code, { error: { code, status, message, ...(reason ? { details: [{ reason }] } : {}) } });

describe("what a refusal costs", () => {
  // "An invalid request costs no tokens."
  test.each([400, 401, 403, 404])("a report that is refused with %s gives its tokens back", (status) => {
    expect(analytics.failure(error(status, "NO", "no"), report())).toMatchObject({ uncounted: true });
  });

  test.each([429, 500, 503])("one that is answered %s may have cost some", (status) => {
    expect(analytics.failure(error(status, "NO", "no"), report())).not.toHaveProperty("uncounted");
  });

  test("calls of the Admin API count, whatever comes of them", () => {
    expect(analytics.failure(error(403, "NO", "no"), request("GET", "properties/1000"))).not.toHaveProperty(
      "uncounted",
    );
  });
});

describe("what an answer means", () => {
  const dead = error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
  const scope = error(403, "PERMISSION_DENIED", "Request had insufficient scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT");
  const off = error(403, "PERMISSION_DENIED", "API has not been used in project 1.", "SERVICE_DISABLED");
  const role = error(403, "PERMISSION_DENIED", "The caller does not have permission");
  const hint = error(
    400,
    "INVALID_ARGUMENT",
    "Did you mean sessions? Field sesions is not a valid metric.  For a list",
  );
  const page = answer(404, "<!DOCTYPE html><title>Error 404</title>");

  test.each<[string, Answer, StepRequest, object]>([
    ["a dead token: one fresh one, then reconnect", dead, report(), { code: "needs_reconnect", cure: "fresh token" }],
    ["a scope that was not granted", scope, report(), { code: "permission_denied", remedy: /Reconnect it/ }],
    ["an API that is off", off, report(), { code: "permission_denied", remedy: /Turn on/ }],
    ["too low a role to read", role, report(), { code: "permission_denied", remedy: /Ask for Viewer/ }],
    ["too low a role to write", role, request("POST", "properties/1000/keyEvents"), { remedy: /Ask for Editor/ }],
    ["too low a role to create", role, request("POST", "properties"), { remedy: /Ask for Administrator/ }],
    ["an unknown metric", hint, report(), { code: "invalid_there", detail: /Did you mean sessions/, cure: "give up" }],
    [
      "a state that forbids it",
      error(400, "FAILED_PRECONDITION", "In the trash."),
      report(),
      { code: "conflict_there" },
    ],
    [
      "a record that is missing",
      error(404, "NOT_FOUND", "Requested entity was not found."),
      report(),
      { code: "not_found_there" },
    ],
    [
      "a path that is missing",
      page,
      request("GET", "nothing"),
      { code: "not_found_there", detail: /no GET \/v1beta\/nothing/ },
    ],
    [
      "a duplicate",
      error(409, "ALREADY_EXISTS", "Requested entity already exists"),
      report(),
      { code: "conflict_there" },
    ],
    [
      "an error of its own",
      error(500, "INTERNAL", "Internal error encountered."),
      report(),
      { code: "system_unavailable", cure: "try again", done: "maybe" },
    ],
    [
      "an outage",
      error(503, "UNAVAILABLE", "The service is currently unavailable."),
      report(),
      { code: "system_unavailable", cure: "try again" },
    ],
    ["a deadline", error(504, "DEADLINE_EXCEEDED", "Deadline expired."), report(), { code: "timed_out" }],
    [
      "a page of a proxy",
      answer(502, "<html>Bad gateway</html>"),
      report(),
      { code: "system_unavailable", detail: /status 502/ },
    ],
    [
      "a success that is no JSON",
      answer(200, "<html>Welcome</html>"),
      report(),
      { code: "system_unavailable", detail: /not JSON/ },
    ],
    ["a redirect", answer(302, ""), report(), { code: "system_unavailable" }],
  ])("%s", (_, given, asked, expected) => {
    const matching = Object.entries(expected).map(([name, value]) => [
      name,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]);
    expect(analytics.failure(given, asked)).toMatchObject(Object.fromEntries(matching));
  });

  test.each([
    ["rows", answer(200, { rows: [] })],
    ["an empty object", answer(200, {})],
    ["nothing at all", answer(204, "")],
  ])("%s is a success", (_, given) => expect(analytics.failure(given, report())).toBeNull());
});

describe("a used-up limit", () => {
  // Half past two in the afternoon, UTC, is half past seven in California.
  const date = "Wed, 14 Oct 2026 14:30:00 GMT";
  const exhausted = (message: string, headers: Record<string, string> = { date }) =>
    answer(429, { error: { code: 429, status: "RESOURCE_EXHAUSTED", message } }, headers);

  test.each([
    ["Exhausted property tokens for a property per day. These …", "quota_exhausted", 16.5 * 3600],
    ["Exhausted property tokens for a property per hour. These …", "quota_exhausted", 1800],
    ["Exhausted property tokens for a project per hour. These …", "quota_exhausted", 1800],
    ["Exhausted potentially thresholded requests quota. This …", "quota_exhausted", 1800],
    ["Exhausted server errors quota. This …", "quota_exhausted", 1800],
    ["Exhausted concurrent requests quota. Please …", "rate_limited", 2],
    ["Quota exceeded for quota metric 'Requests' and limit 'Requests per minute per user'", "rate_limited", 60],
    ["Something new.", "rate_limited", 60],
  ])("%s is %s for %d seconds", (message, code, waitSeconds) =>
    expect(analytics.failure(exhausted(message), report())).toMatchObject({
      code,
      cure: "wait",
      waitSeconds,
      done: "no",
    }),
  );

  test("without the system's time, the longest wait is said; a Retry-After is obeyed", () => {
    const hour = "Exhausted property tokens for a property per hour.";
    expect(analytics.failure(exhausted(hour, {}), report())).toMatchObject({ waitSeconds: 3600 });
    expect(analytics.failure(exhausted(hour, { "retry-after": "7" }), report())).toMatchObject({ waitSeconds: 7 });
  });

  test("the older form, a 403 with a reason, is the same", () => {
    const older = answer(403, { error: { message: "Rate Limit Exceeded", errors: [{ reason: "rateLimitExceeded" }] } });
    expect(analytics.failure(older, report())).toMatchObject({ code: "rate_limited", cure: "wait" });
  });

  test("the limiter is told that nothing is left, and until when", () => {
    const perDay = exhausted("Exhausted property tokens for a property per day.");
    const resetsAt = new Date("2026-10-15T07:00:00Z");
    expect(analytics.told(perDay, report(), origin, who)).toEqual([
      { subject: property, name: "core tokens per day", remaining: 0, resetsAt },
    ]);
    expect(analytics.told(exhausted("Exhausted concurrent requests quota."), report(), origin, who)).toEqual([]);
  });

  test.each([
    ["2026-10-14T14:30:00Z", "2026-10-15T07:00:00Z"],
    ["2026-11-01T06:59:59Z", "2026-11-01T07:00:00Z"],
    ["2026-11-01T12:00:00Z", "2026-11-02T08:00:00Z"],
    ["2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"],
  ])("after %s, midnight in California is at %s", (now, midnight) =>
    expect(nextMidnightPacific(new Date(now))).toEqual(new Date(midnight)),
  );
});

describe("what a request takes", () => {
  const amounts = (asked: StepRequest) =>
    Object.fromEntries(analytics.demands(asked, origin, {}, who).map(({ name, amount }) => [name, amount]));
  const fields = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}` }));
  const range = (startDate: string, endDate: string) => ({ dateRanges: [{ startDate, endDate }] });

  test("every limit of a property is asked for: per project, hour, day, and at once", () => {
    expect(analytics.demands(report(), origin, {}, who)).toEqual([
      { subject: property, name: "core requests at once", kind: "concurrent", max: 10, amount: 1 },
      {
        subject: property,
        name: "core tokens per project and hour",
        kind: "calendar",
        max: 14_000,
        amount: 1,
        resets: "hourly",
      },
      { subject: property, name: "core tokens per hour", kind: "calendar", max: 40_000, amount: 1, resets: "hourly" },
      {
        subject: property,
        name: "core tokens per day",
        kind: "calendar",
        max: 200_000,
        amount: 1,
        resets: { daily: "America/Los_Angeles" },
      },
    ]);
  });

  test("realtime has limits of its own", () => {
    const limits = analytics.demands(realtime(), origin, {}, who).map(({ name, max }) => [name, max]);
    expect(limits).toEqual([
      ["realtime requests at once", 10],
      ["realtime tokens per project and hour", 14_000],
      ["realtime tokens per hour", 15_000],
      ["realtime tokens per day", 75_000],
    ]);
  });

  test("a connection may allow fewer at once", () => {
    expect(analytics.demands(report(), origin, { concurrent_calls: 3 }, who)[0]).toMatchObject({ max: 3 });
  });

  // Recorded of the system: 1, 2, 4 and 7 tokens.
  test.each([
    ["short and narrow", { ...range("7daysAgo", "yesterday"), dimensions: fields(1), metrics: fields(1) }, 1],
    ["1 dimension by 10 metrics", { ...range("7daysAgo", "today"), dimensions: fields(1), metrics: fields(10) }, 2],
    ["9 by 10 over 30 days", { ...range("30daysAgo", "yesterday"), dimensions: fields(9), metrics: fields(10) }, 4],
    ["1 by 1 over a year", { ...range("2025-01-01", "2025-12-31"), dimensions: fields(1), metrics: fields(1) }, 7],
    ["the same in the other spelling", { date_ranges: [{ start_date: "2025-01-01", end_date: "2025-12-31" }] }, 7],
    ["a fixed day until today, as a year", range("2026-01-01", "today"), 7],
    [
      "several ranges, added up",
      {
        dateRanges: [range("60daysAgo", "1daysAgo"), range("60daysAgo", "1daysAgo")].map((each) => each.dateRanges[0]),
      },
      3,
    ],
    ["dates that are none", range("soon", "later"), 1],
  ])("%s", (_, body, tokens) => expect(amounts(report(body))["core tokens per hour"]).toBe(tokens));

  test("the reports of a batch add up", () => {
    const requests = [range("2025-01-01", "2025-12-31"), range("2025-01-01", "2025-12-31")];
    const batch = request("POST", "properties/1000:batchRunReports", { body: { requests } });
    expect(amounts(batch)).toMatchObject({ "core tokens per hour": 14, "core requests at once": 1 });
  });

  test("metadata costs one token of the core", () => {
    expect(amounts(request("GET", "properties/1000/metadata"))).toMatchObject({ "core tokens per day": 1 });
  });

  test("questions about people's traits are counted beside", () => {
    const traits = report({ dimensions: [{ name: "userGender" }], metrics: [{ name: "activeUsers" }] });
    expect(amounts(traits)).toMatchObject({ "core potentially thresholded requests per hour": 1 });
  });

  test("the Admin API counts calls a minute", () => {
    expect(analytics.demands(request("GET", "properties/1000"), "https://admin", {}, who)).toEqual([
      {
        subject: "analytics|https://admin",
        name: "admin requests per minute",
        kind: "window",
        max: 600,
        amount: 1,
        windowSeconds: 60,
      },
    ]);
  });
});

describe("what an answer tells of the quota", () => {
  const quota = (consumed: number, left: number) => ({
    propertyQuota: {
      tokensPerDay: { consumed, remaining: left + 1000 },
      tokensPerHour: { consumed, remaining: left },
      concurrentRequests: { consumed: 0, remaining: 10 },
    },
  });

  test("what is left and what it took", () => {
    expect(analytics.told(answer(200, quota(4, 39_000)), report(), origin, who)).toEqual([
      { subject: property, name: "core tokens per day", remaining: 40_000, taken: 4 },
      { subject: property, name: "core tokens per hour", remaining: 39_000, taken: 4 },
    ]);
    expect(analytics.told(answer(200, quota(4, 9)), realtime(), origin, who)[1]).toMatchObject({
      name: "realtime tokens per hour",
    });
  });

  test("the reports of a batch are added up, those without a figure as estimated", () => {
    const batch = request("POST", "properties/1000:batchRunReports", { body: { requests: [{}, {}, {}] } });
    const told = analytics.told(answer(200, { reports: [quota(4, 100), {}, quota(3, 97)] }), batch, origin, who);
    expect(told[1]).toEqual({ subject: property, name: "core tokens per hour", remaining: 97, taken: 8 });
  });

  test("a property of the paid level gives itself away", () => {
    expect(analytics.told(answer(200, quota(1, 399_999)), report(), origin, who)[1]).toMatchObject({ max: 400_000 });
  });

  test("an answer without quota tells nothing", () => {
    expect(analytics.told(answer(200, {}), report(), origin, who)).toEqual([]);
    expect(analytics.told(answer(200, {}), request("GET", "properties/1000"), origin, who)).toEqual([]);
  });
});

describe("what a request touches", () => {
  const account = (id: string) => ({ kind: "account", id });
  const named = (id: string) => ({ kind: "property", id });

  test.each<[string, StepRequest, object[] | null]>([
    ["a report", report(), [named("1000")]],
    ["a verb in another spelling", request("POST", "properties/%31000%3ArunReport"), [named("1000")]],
    ["a child of a property", request("DELETE", "properties/1000/keyEvents/7"), [named("1000")]],
    ["another property in the body", report({ property: "properties/2000" }), [named("1000"), named("2000")]],
    [
      "a batch",
      request("POST", "properties/1000:batchRunReports", { body: { requests: [{ property: "properties/9" }] } }),
      [named("1000"), named("9")],
    ],
    ["a new property", request("POST", "properties", { body: { parent: "accounts/100" } }), [account("100")]],
    [
      "a list of properties",
      request("GET", "properties", { query: { filter: "parent:accounts/100" } }),
      [account("100")],
    ],
    ["a list of who knows what", request("GET", "properties", { query: { filter: "firebase_project:x" } }), null],
    ["an account", request("GET", "accounts/100"), [account("100")]],
    ["everything", request("GET", "accountSummaries"), null],
    ["any property", request("GET", "properties/-/keyEvents"), null],
    [
      "any property, whatever the body says",
      request("POST", "properties/-:runReport", { body: { property: "properties/1000" } }),
      null,
    ],
    ["a list without a filter", request("GET", "properties"), null],
  ])("%s", (_, asked, expected) => expect(analytics.resources(asked, { label: "" })).toEqual(expected));

  test("a property is known by its account too", () => {
    const work = analytics.resolve?.({ kind: "property", id: "1000" });
    expect(work?.next().value).toMatchObject({ method: "GET", api: "admin", path: "/v1beta/properties/1000" });
    const found = work?.next(answer(200, { name: "properties/1000", account: "accounts/100" }));
    expect(found?.value).toEqual([named("1000"), account("100")]);
  });
});
