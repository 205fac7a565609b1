import { describe, expect, test } from "vitest";
import { names, september, text } from "../checks/questions.ts";
import { rowsOf } from "../checks/sandbox-client.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("filters", () => {
  const of = (dimensionFilter: object) => sandbox.one({ metrics: names("eventCount"), dimensionFilter, ...september });
  const france = text("country", "france");

  test("and, or and not fit together", async () => {
    const all = await sandbox.one({ metrics: names("eventCount"), ...september });
    const mobile = text("deviceCategory", "mobile");
    const [inFrance, onMobile] = [await of(france), await of(mobile)];
    const both = await of({ andGroup: { expressions: [france, mobile] } });
    const either = await of({ orGroup: { expressions: [france, mobile] } });
    expect(either).toBe(inFrance + onMobile - both);
    expect(await of({ notExpression: france })).toBe(all - inFrance);
  });

  test.each([
    ["BEGINS_WITH", "/shop/b", /^\/shop\/b/],
    ["ENDS_WITH", "bag", /bag$/],
    ["CONTAINS", "TENT", /tent/],
    ["FULL_REGEXP", "/shop/[a-z]+", /^\/shop\/[a-z]+$/],
    ["PARTIAL_REGEXP", "check|basket", /check|basket/],
  ])("%s %s", async (matchType, value, pattern) => {
    const found = await sandbox.rows({
      dimensions: names("pagePath"),
      metrics: names("eventCount"),
      dimensionFilter: text("pagePath", value, matchType),
      ...september,
    });
    expect(found.length).toBeGreaterThan(0);
    for (const [path] of found) expect(path).toMatch(pattern);
  });

  test("case counts only where asked", async () => {
    const exact = (caseSensitive: boolean) => ({
      filter: { fieldName: "country", stringFilter: { value: "france", caseSensitive } },
    });
    expect(
      (await sandbox.report({ metrics: names("sessions"), dimensionFilter: exact(true), ...september })).body.rows,
    ).toBeUndefined();
    expect(await of(exact(false))).toBeGreaterThan(0);
  });

  test("lists, empty values, numbers and ranges", async () => {
    const list = { filter: { fieldName: "country", inListFilter: { values: ["France", "SPAIN"] } } };
    expect(await of(list)).toBe((await of(france)) + (await of(text("country", "spain"))));
    const cities = await sandbox.rows({
      dimensions: names("city"),
      metrics: names("sessions"),
      dimensionFilter: { filter: { fieldName: "city", emptyFilter: {} } },
      ...september,
    });
    expect(cities.map(([city]) => city)).toEqual(["(not set)"]);
    const hours = {
      filter: { fieldName: "hour", betweenFilter: { fromValue: { int64Value: "9" }, toValue: { doubleValue: 11.5 } } },
    };
    const found = await sandbox.rows({
      dimensions: names("hour"),
      metrics: names("sessions"),
      dimensionFilter: hours,
      ...september,
    });
    expect(found.map(([hour]) => hour).sort()).toEqual(["09", "10", "11"]);
  });

  test("metric filters work on rows, on metrics not asked for too, and empty rows are dropped", async () => {
    const above = {
      filter: {
        fieldName: "transactions",
        numericFilter: { operation: "GREATER_THAN_OR_EQUAL", value: { int64Value: "5" } },
      },
    };
    const question = { dimensions: names("country"), metrics: names("transactions"), ...september };
    const all = await sandbox.rows(question);
    const kept = await sandbox.rows({ ...question, metrics: names("sessions"), metricFilter: above });
    expect(kept.map(([country]) => country).sort()).toEqual(
      all
        .filter(([, count]) => Number(count) >= 5)
        .map(([country]) => country)
        .sort(),
    );
    expect(all.every(([, count]) => Number(count) > 0)).toBe(true);
    expect((await sandbox.rows({ ...question, keepEmptyRows: true })).length).toBeGreaterThan(all.length);
  });

  test("nothing found is an answer without rows", async () => {
    const { status, body } = await sandbox.report({
      dimensions: names("city"),
      metrics: names("sessions"),
      dimensionFilter: text("city", "Atlantis"),
      ...september,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      dimensionHeaders: [{ name: "city" }],
      metricHeaders: [{ name: "sessions", type: "TYPE_INTEGER" }],
      metadata: { currencyCode: "EUR", timeZone: "Europe/Paris" },
      kind: "analyticsData#runReport",
    });
  });
});

describe("order and pages", () => {
  test("without an order the first metric decides, largest first", async () => {
    const counts = (await sandbox.rows({ dimensions: names("city"), metrics: names("sessions"), ...september })).map(
      (row) => Number(row[1]),
    );
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  test("numeric order puts what is no number first", async () => {
    const orderBys = [{ dimension: { dimensionName: "operatingSystemVersion", orderType: "NUMERIC" } }];
    const versions = (
      await sandbox.rows({
        dimensions: names("operatingSystemVersion"),
        metrics: names("sessions"),
        orderBys,
        ...september,
      })
    ).map(([version]) => version);
    expect(versions.indexOf("(not set)")).toBe(0);
    expect(versions.indexOf("7.0")).toBeLessThan(versions.indexOf("13"));
  });

  test("pages follow each other and the count stays whole", async () => {
    const question = {
      dimensions: names("city"),
      metrics: names("sessions"),
      orderBys: [{ dimension: { dimensionName: "city" } }],
      ...september,
    };
    const all = await sandbox.report(question);
    const first = await sandbox.report({ ...question, limit: "10" });
    const second = await sandbox.report({ ...question, limit: 10, offset: "10" });
    expect(first.body.rowCount).toBe(all.body.rowCount);
    expect([...rowsOf(first.body), ...rowsOf(second.body)]).toEqual(rowsOf(all.body).slice(0, 20));
  });

  test("invisible metrics can be ordered on and computed with", async () => {
    const metrics = [
      { name: "perUser", expression: "eventCount / totalUsers" },
      { name: "totalUsers", invisible: true },
    ];
    const { body } = await sandbox.report({
      dimensions: names("country"),
      metrics,
      orderBys: [{ metric: { metricName: "totalUsers" }, desc: true }],
      ...september,
    });
    expect(body.metricHeaders).toEqual([{ name: "perUser", type: "TYPE_FLOAT" }]);
    expect(rowsOf(body)[0]).toHaveLength(2);
    expect(rowsOf(body)[0]?.[0]).toBe("France");
  });
});

// "the field need not be among the requested ones"; "only requested fields" may be ordered by
describe("a filter on a metric that was not asked for", () => {
  const metricFilter = {
    filter: { fieldName: "totalUsers", numericFilter: { operation: "GREATER_THAN", value: { int64Value: "0" } } },
  };
  const ten = names(
    "sessions",
    "activeUsers",
    "newUsers",
    "eventCount",
    "keyEvents",
    "bounceRate",
    "engagementRate",
    "eventValue",
    "transactions",
    "checkouts",
  );

  test("is not one of the ten, and makes the report no dearer", async () => {
    const question = { dimensions: names("country"), metrics: ten, returnPropertyQuota: true, ...september };
    const plain = (await sandbox.report(question)).body;
    const { status, body } = await sandbox.report({ ...question, metricFilter });
    expect(status).toBe(200);
    expect(body.metricHeaders).toHaveLength(10);
    expect(body.propertyQuota.tokensPerDay.consumed).toBe(plain.propertyQuota.tokensPerDay.consumed);
  });

  test("is no question by itself", async () => {
    const { status, body } = await sandbox.report({ metricFilter, ...september });
    expect([status, body.error?.message]).toEqual([
      400,
      "Requests require dimensions and/or metrics. Most requests include both.",
    ]);
  });

  test("gives nothing to order by", async () => {
    const orderBys = [{ metric: { metricName: "totalUsers" } }];
    const { body } = await sandbox.report({ metrics: names("sessions"), metricFilter, orderBys, ...september });
    expect(body.error.message).toBe(
      "Field totalUsers exists in OrderBy but is not defined in input Dimensions/Metrics list",
    );
  });
});
