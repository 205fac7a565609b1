import { describe, expect, test } from "vitest";
import { days, names, september, sumOf, text } from "../checks/questions.ts";
import { rowsOf } from "../checks/sandbox-client.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("dimensions", () => {
  test.each([
    ["date", /^20260910$/],
    ["year", /^2026$/],
    ["month", /^09$/],
    ["week", /^37$/],
    ["yearWeek", /^202637$/],
    ["isoYearIsoWeek", /^202637$/],
    ["dayOfWeek", /^4$/],
    ["dayOfWeekName", /^Thursday$/],
    ["dateHour", /^20260910\d\d$/],
    ["dateHourMinute", /^20260910\d{4}$/],
    ["nthDay", /^0000$/],
    ["hour", /^([01]\d|2[0-3])$/],
    ["sessionSourceMedium", /^.+ \/ .+$/],
    ["hostName", /^www\.fieldwork\.example$/],
    ["platformDeviceCategory", /^web \/ /],
    ["landingPage", /^\//],
    ["streamId", /^5000$/],
    ["firstSessionDate", /^\d{8}$/],
  ])("%s has values as documented", async (name, pattern) => {
    const found = await sandbox.rows({
      dimensions: names(name),
      metrics: names("eventCount"),
      ...days("2026-09-10", "2026-09-10"),
    });
    expect(found.length).toBeGreaterThan(0);
    for (const [value] of found) expect(value).toMatch(pattern);
  });

  test("older names and custom fields are accepted", async () => {
    const [channel] = await sandbox.rows({
      dimensions: names("sessionDefaultChannelGrouping"),
      metrics: names("sessions"),
      ...september,
    });
    expect(channel?.[0]).toBe("Organic Search");
    const plans = await sandbox.rows({
      dimensions: names("customEvent:plan"),
      metrics: names("eventCount"),
      dimensionFilter: text("eventName", "sign_up"),
      ...september,
    });
    expect(plans.map(([plan]) => plan).sort()).toEqual(["basic", "plus", "pro"]);
  });

  test("expressions make new dimensions", async () => {
    const dimensions = [
      { name: "shout", dimensionExpression: { upperCase: { dimensionName: "country" } } },
      {
        name: "pair",
        dimensionExpression: { concatenate: { dimensionNames: ["country", "deviceCategory"], delimiter: " | " } },
      },
    ];
    const { body } = await sandbox.report({ dimensions, metrics: names("sessions"), ...september, limit: 1 });
    expect(body.dimensionHeaders).toEqual([{ name: "shout" }, { name: "pair" }]);
    expect(rowsOf(body)[0]?.slice(0, 2)).toEqual(["FRANCE", expect.stringMatching(/^France \| /)]);
  });

  test("item fields go with item metrics", async () => {
    const items = await sandbox.rows({
      dimensions: names("itemName"),
      metrics: names("itemsPurchased", "itemRevenue"),
      ...september,
    });
    const revenue = await sandbox.one({ metrics: names("purchaseRevenue"), ...september });
    expect(sumOf(items, 2)).toBeCloseTo(revenue, 6);
  });

  test("rare query strings are folded into one row, and the answer says so", async () => {
    const { body } = await sandbox.report({
      dimensions: names("pagePathPlusQueryString"),
      metrics: names("screenPageViews"),
      ...september,
    });
    expect(rowsOf(body).filter(([path]) => path === "(other)")).toHaveLength(1);
    expect(body.metadata.dataLossFromOtherRow).toBe(true);
  });
});
