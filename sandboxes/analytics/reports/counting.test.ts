import { describe, expect, test } from "vitest";
import { days, names, september, sumOf, text } from "../checks/questions.ts";
import { rowsOf, startSandbox, testTime } from "../checks/sandbox-client.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("counting", () => {
  test("the same question has the same answer, on another day and in another sandbox", async () => {
    const question = {
      dimensions: names("country"),
      metrics: names("sessions", "activeUsers", "totalRevenue"),
      ...september,
    };
    const first = await sandbox.rows(question);
    await sandbox.control("/clock", { now: "2026-11-03T09:00:00Z" });
    const later = await sandbox.rows(question);
    await sandbox.control("/clock", { now: testTime });
    const other = await startSandbox();
    await other.control("/clock", { now: testTime });
    expect(later).toEqual(first);
    expect(rowsOf((await other.report(question)).body)).toEqual(first);
    await other.stop();
  });

  test("sessions and events of days add up to the month; users do not, because they come back", async () => {
    const metrics = names("sessions", "eventCount", "totalUsers", "newUsers");
    const byDay = await sandbox.rows({ dimensions: names("date"), metrics, ...september });
    const [month = []] = await sandbox.rows({ metrics, ...september });
    expect(byDay).toHaveLength(30);
    expect(sumOf(byDay, 1)).toBe(month[0]);
    expect(sumOf(byDay, 2)).toBe(month[1]);
    expect(sumOf(byDay, 3)).toBeGreaterThan(Number(month[2]));
    expect(sumOf(byDay, 4)).toBe(month[3]);
  });

  test("totals are computed over the data, not by adding rows", async () => {
    const { body } = await sandbox.report({
      dimensions: names("pagePath"),
      metrics: names("sessions", "totalUsers", "screenPageViews"),
      metricAggregations: ["TOTAL", "MAXIMUM", "MINIMUM"],
      ...september,
    });
    const [total] = rowsOf({ rows: body.totals });
    const [whole = []] = await sandbox.rows({
      metrics: names("sessions", "totalUsers", "screenPageViews"),
      ...september,
    });
    expect(total).toEqual(["RESERVED_TOTAL", ...whole]);
    expect(sumOf(rowsOf(body), 1)).toBeGreaterThan(Number(whole[0]));
    expect(rowsOf({ rows: body.maximums })[0]).toEqual([
      "RESERVED_MAX",
      ...[1, 2, 3].map((at) => Math.max(...rowsOf(body).map((row) => Number(row[at])))),
    ]);
  });

  test("rates follow from the counts", async () => {
    const metrics = names(
      "sessions",
      "engagedSessions",
      "engagementRate",
      "bounceRate",
      "screenPageViews",
      "screenPageViewsPerSession",
    );
    const [[sessions = 0, engaged = 0, rate = 0, bounced = 0, views = 0, perSession = 0] = []] = await sandbox.rows({
      metrics,
      ...september,
    });
    expect(rate).toBe(Number(engaged) / Number(sessions));
    expect(Number(rate) + Number(bounced)).toBeCloseTo(1, 12);
    expect(perSession).toBe(Number(views) / Number(sessions));
  });

  test("new users, first visits and first session dates agree", async () => {
    const day = days("2026-09-10", "2026-09-10");
    const newUsers = await sandbox.one({ metrics: names("newUsers"), ...day });
    expect(
      await sandbox.one({ metrics: names("eventCount"), dimensionFilter: text("eventName", "first_visit"), ...day }),
    ).toBe(newUsers);
    expect(
      await sandbox.one({
        metrics: names("totalUsers"),
        dimensionFilter: text("firstSessionDate", "20260910"),
        ...day,
      }),
    ).toBe(newUsers);
    expect(
      await sandbox.one({ metrics: names("totalUsers"), dimensionFilter: text("newVsReturning", "new"), ...day }),
    ).toBe(newUsers);
  });

  test("revenue is what was bought less what was given back, in any currency", async () => {
    const metrics = names("purchaseRevenue", "grossPurchaseRevenue", "refundAmount", "transactions");
    const [[net = 0, gross = 0, refunds = 0] = []] = await sandbox.rows({ metrics, ...september });
    expect(Number(gross) - Number(refunds)).toBeCloseTo(Number(net), 6);
    const { body } = await sandbox.report({ metrics, currencyCode: "USD", ...september });
    expect(Number(rowsOf(body)[0]?.[0])).toBeCloseTo(Number(net) * 1.08, 6);
    expect(body.metadata.currencyCode).toBe("USD");
  });

  test("active users of 7 and 28 days are distinct counts as of each day", async () => {
    const rolling = await sandbox.rows({
      dimensions: names("date"),
      metrics: names("active1DayUsers", "active7DayUsers", "active28DayUsers"),
      orderBys: [{ dimension: { dimensionName: "date" } }],
      ...days("2026-09-20", "2026-09-21"),
    });
    expect(rolling[1]?.[1]).toBe(
      await sandbox.one({ metrics: names("activeUsers"), ...days("2026-09-21", "2026-09-21") }),
    );
    expect(rolling[1]?.[2]).toBe(
      await sandbox.one({ metrics: names("activeUsers"), ...days("2026-09-15", "2026-09-21") }),
    );
    expect(rolling[0]?.[3]).toBe(
      await sandbox.one({ metrics: names("activeUsers"), ...days("2026-08-24", "2026-09-20") }),
    );
  });

  test("conversions is the older name of key events, and one key event has fields of its own", async () => {
    const metrics = names(
      "conversions",
      "keyEvents",
      "keyEvents:purchase",
      "keyEvents:generate_lead",
      "transactions",
      "sessionKeyEventRate:purchase",
    );
    const { body } = await sandbox.report({ metrics, ...september });
    const [[conversions, keyEvents, purchases = 0, leads = 0, transactions] = []] = rowsOf(body);
    expect(conversions).toBe(keyEvents);
    expect(Number(purchases) + Number(leads)).toBe(keyEvents);
    expect(purchases).toBe(transactions);
    expect(body.metricHeaders[0]).toEqual({ name: "conversions", type: "TYPE_FLOAT" });
  });

  test("a key event counts from the moment it was marked", async () => {
    const created = await sandbox.call(
      "POST",
      "/v1beta/properties/1000/keyEvents",
      { eventName: "login", countingMethod: "ONCE_PER_EVENT" },
      "ya29.sandbox-editor",
    );
    const question = { metrics: names("keyEvents:login", "eventCount"), keepEmptyRows: true };
    expect((await sandbox.rows({ ...question, ...september }))[0]?.[0]).toBe(0);
    await sandbox.control("/clock", { advance_seconds: 5 * 86_400 });
    const loginsAfter = await sandbox.one({
      metrics: names("eventCount"),
      dimensionFilter: text("eventName", "login"),
      ...days("4daysAgo", "yesterday"),
    });
    expect((await sandbox.rows({ metrics: names("keyEvents:login"), ...days("4daysAgo", "yesterday") }))[0]?.[0]).toBe(
      loginsAfter,
    );
    await sandbox.control("/clock", { now: testTime });
    await sandbox.call("DELETE", `/v1beta/${created.body.name}`, undefined, "ya29.sandbox-editor");
  });
});
