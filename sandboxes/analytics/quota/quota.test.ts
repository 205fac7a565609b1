import { expect, test } from "vitest";
import { tokens } from "../checks/sandbox-client.ts";
import { freshSandboxForEachTest } from "../checks/sandbox-for-tests.ts";
import { tokenCost } from "./property-quota.ts";

const sandbox = await freshSandboxForEachTest();

const question = {
  metrics: [{ name: "sessions" }],
  dateRanges: [{ startDate: "yesterday", endDate: "yesterday" }],
  returnPropertyQuota: true,
};
const realtime = { metrics: [{ name: "activeUsers" }], returnPropertyQuota: true };
const runRealtime = () => sandbox.call("POST", "/v1beta/properties/1000:runRealtimeReport", realtime);

test.each([
  [{ days: 7, dimensions: 1, metrics: 1 }, 1],
  [{ days: 30, dimensions: 1, metrics: 10 }, 2],
  [{ days: 30, dimensions: 9, metrics: 10 }, 4],
  [{ days: 365, dimensions: 1, metrics: 1 }, 7],
])("%o costs %i", (report, cost) => expect(tokenCost(report)).toBe(cost));

test("each report is charged once, core and realtime apart; refused ones are free", async () => {
  await sandbox.report({ metrics: [{ name: "nonsense" }] });
  const { propertyQuota } = (await sandbox.report(question)).body;
  expect(propertyQuota).toEqual({
    tokensPerDay: { consumed: 1, remaining: 199_999 },
    tokensPerHour: { consumed: 1, remaining: 39_999 },
    concurrentRequests: { consumed: 0, remaining: 10 },
    serverErrorsPerProjectPerHour: { consumed: 0, remaining: 10 },
    potentiallyThresholdedRequestsPerHour: { consumed: 0, remaining: 120 },
    tokensPerProjectPerHour: { consumed: 1, remaining: 13_999 },
  });
  const live = (await runRealtime()).body.propertyQuota;
  expect(live.tokensPerDay).toEqual({ consumed: 1, remaining: 74_999 });
  expect(live.tokensPerHour).toEqual({ consumed: 1, remaining: 14_999 });
  expect((await sandbox.report(question, "1001")).body.propertyQuota.tokensPerDay.remaining).toBe(199_999);
});

test.each([
  ["tokens_per_day", "Exhausted property tokens for a property per day."],
  ["tokens_per_hour", "Exhausted property tokens for a property per hour."],
  ["tokens_per_project_per_hour", "Exhausted property tokens for a project per hour."],
])("%s used up is a 429 without Retry-After", async (limit, message) => {
  await sandbox.control("/limits", { [limit]: 1 });
  expect((await sandbox.report(question)).status).toBe(200);
  const { status, body, headers } = await sandbox.report(question);
  expect(status).toBe(429);
  expect(body.error.status).toBe("RESOURCE_EXHAUSTED");
  expect(body.error.message.startsWith(message)).toBe(true);
  expect(headers.get("retry-after")).toBeNull();
  expect((await runRealtime()).status).toBe(200);
});

test("the hour returns with the hour, the day at midnight Pacific", async () => {
  await sandbox.control("/limits", { tokens_per_hour: 1, tokens_per_day: 2 });
  expect((await sandbox.report(question)).status).toBe(200);
  expect((await sandbox.report(question)).status).toBe(429);
  await sandbox.control("/clock", { advance_seconds: 3600 });
  expect((await sandbox.report(question)).status).toBe(200);
  await sandbox.control("/clock", { advance_seconds: 3600 });
  expect((await sandbox.report(question)).body.error.message).toMatch(/per day/);
  await sandbox.control("/clock", { now: "2026-10-15T07:00:01Z" });
  expect((await sandbox.report(question)).status).toBe(200);
});

test("realtime has buckets of its own", async () => {
  await sandbox.control("/limits", { realtime_tokens_per_hour: 1 });
  expect((await runRealtime()).status).toBe(200);
  expect((await runRealtime()).status).toBe(429);
  expect((await sandbox.report(question)).status).toBe(200);
});

test("ten reports at once, not eleven", async () => {
  await sandbox.control("/limits", { report_milliseconds: 60_000 });
  const running = Array.from({ length: 11 }, () => sandbox.report(question));
  // Ten hold their slots until the clock moves, so only the eleventh can answer.
  const refused = await Promise.race(running);
  expect(refused.status).toBe(429);
  expect(refused.body.error.message).toMatch(/^Exhausted concurrent requests quota\./);
  await sandbox.control("/clock", { advance_seconds: 61 });
  const statuses = (await Promise.all(running)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});

test("reports that could tell who people are have a limit of their own", async () => {
  await sandbox.control("/limits", { thresholded_requests_per_hour: 1 });
  const gender = { ...question, dimensions: [{ name: "userGender" }] };
  expect((await sandbox.report(gender)).body.propertyQuota.potentiallyThresholdedRequestsPerHour).toEqual({
    consumed: 1,
    remaining: 0,
  });
  expect((await sandbox.report(gender)).body.error.message).toMatch(
    /^Exhausted potentially thresholded requests quota\./,
  );
  expect((await sandbox.report(question)).status).toBe(200);
});

test("a failing property counts server errors until the project is blocked", async () => {
  for (let time = 0; time < 10; time++) expect((await sandbox.report(question, "1503")).status).toBe(503);
  expect((await sandbox.report(question, "1503")).body.error.message).toMatch(/^Exhausted server errors quota\./);
  expect((await sandbox.report(question, "1500")).body.error.status).toBe("INTERNAL");
  expect((await sandbox.report(question, "1429")).status).toBe(429);
});

test("the Admin API has a rate of its own", async () => {
  await sandbox.control("/limits", { admin_requests_per_user_per_minute: 2, admin_writes_per_minute: 0 });
  const read = () => sandbox.call("GET", "/v1beta/properties/1000");
  expect([(await read()).status, (await read()).status, (await read()).status]).toEqual([200, 200, 429]);
  const write = await sandbox.call("DELETE", "/v1beta/properties/1000", undefined, tokens.editor);
  expect(write.body.error.details[0].reason).toBe("RATE_LIMIT_EXCEEDED");
  await sandbox.control("/clock", { advance_seconds: 60 });
  expect((await read()).status).toBe(200);
});
