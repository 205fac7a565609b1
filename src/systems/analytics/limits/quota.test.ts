import { describe, expect, test } from "vitest";
import { answer, realtime, report, request } from "../../../../test/support/systems/analytics-answers.ts";
import type { StepRequest } from "../../work.ts";
import { analytics } from "../system.ts";
import { nextMidnightPacific } from "./exhausted-quota.ts";

const who = { label: "ann" };
const account = { settings: {}, identity: who, signInMethod: "service_account" };
const origin = "https://analyticsdata.googleapis.com";
const property = `analytics|${origin}|properties/1000`;

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

  test("the limiter learns that nothing is left, and until when", () => {
    const perDay = exhausted("Exhausted property tokens for a property per day.");
    const resetsAt = new Date("2026-10-15T07:00:00Z");
    expect(analytics.reportedLimits(perDay, report(), origin, who)).toEqual([
      { subject: property, name: "core tokens per day", remaining: 0, resetsAt },
    ]);
    // Nobody pauses: a slot is free as soon as any request of any tool ends.
    expect(analytics.reportedLimits(exhausted("Exhausted concurrent requests quota."), report(), origin, who)).toEqual([
      { subject: property, name: "core requests at once", remaining: 0 },
    ]);
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
    Object.fromEntries(analytics.demands(asked, origin, account).map(({ name, amount }) => [name, amount]));
  const fields = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}` }));
  const range = (startDate: string, endDate: string) => ({ dateRanges: [{ startDate, endDate }] });

  test("a request needs every limit of a property: per project, hour, day, and concurrent", () => {
    expect(analytics.demands(report(), origin, account)).toMatchObject([
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
    const limits = analytics.demands(realtime(), origin, account).map(({ name, max }) => [name, max]);
    expect(limits).toEqual([
      ["realtime requests at once", 10],
      ["realtime tokens per project and hour", 14_000],
      ["realtime tokens per hour", 15_000],
      ["realtime tokens per day", 75_000],
    ]);
  });

  test("a connection may allow fewer at once", () => {
    expect(analytics.demands(report(), origin, { ...account, settings: { concurrent_calls: 3 } })[0]).toMatchObject({
      max: 3,
    });
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
    expect(analytics.demands(request("GET", "properties/1000"), "https://admin", account)).toEqual([
      {
        subject: "analytics|https://admin|ann",
        name: "admin requests per minute",
        kind: "window",
        max: 600,
        amount: 1,
        windowSeconds: 60,
      },
    ]);
  });
});

describe("what the Admin API counts", () => {
  const asked = request("GET", "properties/1000");
  const ofClient = { ...account, signInMethod: "oauth" };
  const refused = (limit: string) =>
    answer(429, {
      error: { message: `Quota exceeded for quota metric 'Requests' and limit '${limit}' of service 'x'.` },
    });

  test("an account that was signed in with our own client also counts for all of that client", () => {
    expect(analytics.demands(asked, "https://admin", ofClient)).toMatchObject([
      { subject: "analytics|https://admin|ann", max: 600 },
      { subject: "analytics|https://admin|client", max: 1200, shared: true },
    ]);
  });

  test("an account refused for its own calls pauses alone; all pause if the system names the project", () => {
    const said = (limit: string) => analytics.reportedLimits(refused(limit), asked, "https://admin", who);
    expect(said("Requests per minute per user")).toEqual([
      { subject: "analytics|https://admin|ann", name: "admin requests per minute", remaining: 0 },
    ]);
    expect(said("Requests per minute")).toMatchObject([
      { subject: "analytics|https://admin|ann", remaining: 0 },
      { subject: "analytics|https://admin|client", name: "admin requests per project and minute", shared: true },
    ]);
  });
});

describe("the quota in an answer", () => {
  const quota = (consumed: number, left: number) => ({
    propertyQuota: {
      tokensPerDay: { consumed, remaining: left + 1000 },
      tokensPerHour: { consumed, remaining: left },
      concurrentRequests: { consumed: 0, remaining: 10 },
    },
  });

  test("what is left and what it took", () => {
    expect(analytics.reportedLimits(answer(200, quota(4, 39_000)), report(), origin, who)).toEqual([
      { subject: property, name: "core tokens per day", remaining: 40_000, taken: 4 },
      { subject: property, name: "core tokens per hour", remaining: 39_000, taken: 4 },
    ]);
    expect(analytics.reportedLimits(answer(200, quota(4, 9)), realtime(), origin, who)[1]).toMatchObject({
      name: "realtime tokens per hour",
    });
  });

  test("the reports of a batch are added up, those without a figure as estimated", () => {
    const batch = request("POST", "properties/1000:batchRunReports", { body: { requests: [{}, {}, {}] } });
    const told = analytics.reportedLimits(
      answer(200, { reports: [quota(4, 100), {}, quota(3, 97)] }),
      batch,
      origin,
      who,
    );
    expect(told[1]).toEqual({ subject: property, name: "core tokens per hour", remaining: 97, taken: 8 });
  });

  test("a property of the paid level is recognized", () => {
    expect(analytics.reportedLimits(answer(200, quota(1, 399_999)), report(), origin, who)[1]).toMatchObject({
      max: 400_000,
    });
  });

  test("an answer without quota reports nothing", () => {
    expect(analytics.reportedLimits(answer(200, {}), report(), origin, who)).toEqual([]);
    expect(analytics.reportedLimits(answer(200, {}), request("GET", "properties/1000"), origin, who)).toEqual([]);
  });
});
