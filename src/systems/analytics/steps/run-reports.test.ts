import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf, type Role, startAnalytics } from "../../../../test/support/systems/analytics-sandbox.ts";
import { driveStep } from "../../../../test/support/systems/drive-step.ts";
import { runReports } from "./run-reports.ts";

let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
beforeAll(async () => {
  sandbox = await startAnalytics();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

interface Output {
  rows: Record<string, string | number>[];
  row_count: number;
  totals?: Record<string, never>;
  quota: Record<string, { consumed: number; remaining: number }>;
  next: string | null;
}

const week = { date_range: { start_date: "2026-09-07", end_date: "2026-09-13" } };
const asked = { property_id: "1000", metrics: ["sessions"], ...week };

async function run(input: Record<string, unknown>, role: Role = "viewer") {
  const driven = await driveStep(runReports, { ...asked, ...input }, sandbox.as(role));
  return { ...driven, output: driven.output as Output };
}

describe("a report", () => {
  test("rows are objects: dimensions as text, metrics as numbers, with totals and quota", async () => {
    const { output, warnings } = await run({ metrics: ["sessions", "engagementRate"], dimensions: ["country"] });
    expect(output.rows.length).toBeGreaterThan(3);
    expect(output.rows[0]).toEqual({
      country: expect.any(String),
      sessions: expect.any(Number),
      engagementRate: expect.any(Number),
    });
    expect(output.row_count).toBe(output.rows.length);
    const summed = output.rows.reduce((sum, row) => sum + Number(row.sessions), 0);
    expect(output.totals).toMatchObject({ sessions: summed });
    expect(output.quota.tokens_per_hour).toEqual({ consumed: 1, remaining: 39_999 });
    expect(output).toMatchObject({ time_zone: "Europe/Paris", currency_code: "EUR", next: null });
    expect(warnings).toEqual([]);
  });

  test("without dimensions there is one row", async () => {
    const { output } = await run({ metrics: ["sessions", "conversions"] });
    expect(output.rows).toEqual([{ sessions: expect.any(Number), conversions: expect.any(Number) }]);
  });

  test("several ranges say which each row is of, and have totals each", async () => {
    const { output } = await run({
      date_range: undefined,
      date_ranges: [
        { start_date: "2026-09-07", end_date: "2026-09-13", name: "later" },
        { start_date: "2026-08-31", end_date: "2026-09-06" },
      ],
    });
    expect(output.rows.map((row) => row.date_range).sort()).toEqual(["date_range_1", "later"]);
    expect(Object.keys(output.totals ?? {}).sort()).toEqual(["date_range_1", "later"]);
  });

  test("filters of both kinds, order and limit reach the system", async () => {
    const { output } = await run({
      metrics: ["screenPageViews"],
      dimensions: ["pagePath"],
      filters: [
        { field: "pagePath", operator: "begins_with", value: "/shop/" },
        { field: "screenPageViews", operator: "greater_than", value: 2 },
        { field: "sessions", operator: "greater_than", value: 1 },
        { field: "country", operator: "not_equals", value: "Germany" },
      ],
      order_by: [{ field: "pagePath" }],
      limit: 3,
    });
    const paths = output.rows.map((row) => String(row.pagePath));
    expect(paths).toHaveLength(3);
    expect(paths).toEqual([...paths].sort());
    expect(paths.every((path) => path.startsWith("/shop/"))).toBe(true);
    expect(output.row_count).toBeGreaterThan(3);
    expect(output.next).toBeNull();
  });

  test.each([
    ["equals", "France"],
    ["not_equals", "France"],
    ["contains", "ran"],
    ["begins_with", "Fr"],
    ["ends_with", "ce"],
    ["matches", "^Fr"],
    ["in", ["France", "Spain"]],
    ["is_empty", undefined],
  ])("the system understands %s on a dimension", async (operator, value) => {
    const { output } = await run({ dimensions: ["country"], filters: [{ field: "country", operator, value }] });
    const countries = output.rows.map((row) => row.country);
    if (operator === "is_empty") expect(countries.filter((each) => each !== "(not set)")).toEqual([]);
    else expect(countries.includes("France")).toBe(operator !== "not_equals");
  });

  test.each([
    ["equals", 2],
    ["not_equals", 2],
    ["greater_than", 1],
    ["less_than", 3],
    ["between", [1, 2]],
    ["in", [1, 2]],
  ])("the system understands %s on a metric", async (operator, value) => {
    const { output } = await run({ dimensions: ["city"], filters: [{ field: "sessions", operator, value }] });
    const holds = {
      equals: (count: number) => count === 2,
      not_equals: (count: number) => count !== 2,
      greater_than: (count: number) => count > 1,
      less_than: (count: number) => count < 3,
      between: (count: number) => count === 1 || count === 2,
      in: (count: number) => count === 1 || count === 2,
    }[operator as string];
    expect(output.rows.length).toBeGreaterThan(0);
    expect(output.rows.every((row) => holds?.(Number(row.sessions)))).toBe(true);
  });

  test("all rows are read, page by page, none twice", async () => {
    const dimensions = ["date", "city", "pagePath", "deviceCategory", "browser", "sessionSourceMedium", "eventName"];
    const wide = { metrics: ["eventCount"], dimensions };
    const { output, requests, warnings } = await run({
      ...wide,
      date_range: { start_date: "2026-08-01", end_date: "2026-09-13" },
    });
    expect(requests.length).toBeGreaterThan(1);
    expect(output.rows).toHaveLength(output.row_count);
    const keys = output.rows.map((row) => dimensions.map((name) => row[name]).join("|"));
    expect(new Set(keys).size).toBe(output.row_count);
    expect(output.quota.tokens_per_hour?.consumed).toBe(2 * requests.length);
    expect(warnings).toEqual([]);
  });

  test("realtime covers the last half hour and says what it leaves out", async () => {
    const { output, warnings, requests } = await run({
      metrics: ["activeUsers"],
      dimensions: ["country"],
      date_range: undefined,
      realtime: true,
    });
    expect(requests.map(({ path }) => path)).toEqual(["/v1beta/properties/1000:runRealtimeReport"]);
    expect(output.quota.tokens_per_hour?.remaining).toBe(14_999);
    expect(warnings.join()).toMatch(/last 30 minutes/);
  });

  test("no matching data is an answer, not an error", async () => {
    const { output, warnings } = await run({ property_id: "1002", dimensions: ["country"] });
    expect(output).toMatchObject({ rows: [], row_count: 0 });
    expect(warnings.join()).toMatch(/not an error/);
  });
});

describe("what to know before trusting the rows", () => {
  const warningsOf = async (input: Record<string, unknown>, role?: Role) =>
    (await run(input, role)).warnings.join("\n");

  test("figures of the last 48 hours still change", async () => {
    const until = (end_date: string) => warningsOf({ date_range: { start_date: "2026-10-01", end_date } });
    expect(await until("today")).toMatch(/48 hours/);
    expect(await until("2026-10-12")).toMatch(/48 hours/);
    expect(await until("2026-10-11")).toBe("");
  });

  test("a sample is called one", async () => {
    await sandbox.control("/limits", { sampling_events_max: 100 });
    expect(await warningsOf({})).toMatch(/from a sample: [\d.]+ % of the events/);
  });

  test("rows that may be withheld", async () => {
    expect(await warningsOf({ metrics: ["activeUsers"], dimensions: ["userGender"] })).toMatch(/privacy/);
  });

  test("values folded into (other)", async () => {
    expect(await warningsOf({ dimensions: ["pagePathPlusQueryString"] })).toMatch(/\(other\)/);
  });

  test("a range that was cut", async () => {
    expect(await warningsOf({ date_range: { start_date: "2023-02-01", end_date: "2026-09-13" } })).toMatch(/was cut/);
  });

  test("metrics that the account's role hides", async () => {
    expect(await warningsOf({ metrics: ["totalRevenue"] }, "no-revenue")).toMatch(/Hidden .*totalRevenue/);
  });
});

describe("what the system refuses", () => {
  test("an unknown metric is refused with the nearest real names", async () => {
    const failure = await failureOf(run({ metrics: ["sesions"] }));
    expect(failure).toMatchObject({ code: "invalid_there", systemCode: "INVALID_ARGUMENT" });
    expect(failure.detail).toMatch(/Field sesions is not a valid metric.*nearest are: sessions/s);
  });

  test("an unknown dimension too, also by what people call it", async () => {
    expect((await failureOf(run({ dimensions: ["pagepaths"] }))).detail).toMatch(/nearest are: pagePath/);
    expect((await failureOf(run({ metrics: ["views"] }))).detail).toMatch(/nearest are: .*screenPageViews/);
    expect((await failureOf(run({ metrics: ["zzzzzzzz"] }))).detail).toMatch(/No metric has a name like it/);
  });

  test("in realtime, the names are those that realtime knows", async () => {
    const realtime = { realtime: true, date_range: undefined };
    const failure = await failureOf(run({ ...realtime, metrics: ["activeUser"] }));
    expect(failure.detail).toMatch(/nearest are: activeUsers\./);
  });

  test.each<[string, Record<string, unknown>, Role, object]>([
    [
      "a property out of reach",
      { property_id: "2000" },
      "viewer",
      { code: "permission_denied", remedy: expect.stringMatching(/Viewer/) },
    ],
    ["an account without any role", {}, "outsider", { code: "permission_denied" }],
    [
      "a scope that was not granted",
      {},
      "edit-scope-only",
      { code: "permission_denied", remedy: expect.stringMatching(/Reconnect/) },
    ],
    [
      "a used-up hour",
      { property_id: "1429" },
      "viewer",
      { code: "quota_exhausted", cure: "wait", waitSeconds: expect.any(Number) },
    ],
    ["an error there", { property_id: "1500" }, "viewer", { code: "system_unavailable", cure: "try again" }],
    ["an outage", { property_id: "1503" }, "viewer", { code: "system_unavailable", cure: "try again" }],
    [
      "fields that do not go together",
      { metrics: ["itemViewEvents"], dimensions: ["itemId"] },
      "viewer",
      { code: "invalid_there", detail: expect.stringMatching(/incompatible/) },
    ],
  ])("%s", async (_, input, role, expected) => expect(await failureOf(run(input, role))).toMatchObject(expected));
});
