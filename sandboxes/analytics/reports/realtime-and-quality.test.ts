import { describe, expect, test } from "vitest";
import { days, names, september } from "../checks/questions.ts";
import { rowsOf, testTime } from "../checks/sandbox-client.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("realtime", () => {
  const path = "/v1beta/properties/1000:runRealtimeReport";
  const question = { dimensions: names("minutesAgo"), metrics: names("eventCount", "activeUsers") };

  test("covers the last thirty minutes and moves with the clock", async () => {
    const before = rowsOf((await sandbox.call("POST", path, question)).body);
    expect(before.length).toBeGreaterThan(0);
    for (const [minute] of before) expect(Number(minute)).toBeLessThan(30);
    await sandbox.control("/clock", { advance_seconds: 600 });
    const after = rowsOf((await sandbox.call("POST", path, question)).body);
    const moved = before
      .filter(([minute]) => Number(minute) >= 1 && Number(minute) < 20)
      .map(([minute, events]) => [String(Number(minute) + 10), events]);
    for (const [minute, events] of moved) expect(after.find(([each]) => each === minute)?.[1]).toBe(events);
    await sandbox.control("/clock", { now: testTime });
  });

  test("what is still to come today is in no report yet", async () => {
    const today = { metrics: names("eventCount"), ...days("today", "today") };
    const before = await sandbox.one(today);
    const realtime = rowsOf((await sandbox.call("POST", path, { metrics: names("eventCount") })).body)[0]?.[0];
    await sandbox.control("/clock", { advance_seconds: 3600 });
    expect(await sandbox.one(today)).toBeGreaterThan(before);
    expect(Number(realtime)).toBeLessThanOrEqual(before);
    await sandbox.control("/clock", { now: testTime });
  });

  test("two ranges of minutes add a column; no metadata block", async () => {
    const minuteRanges = [
      { name: "new", startMinutesAgo: 14 },
      { name: "old", startMinutesAgo: 29, endMinutesAgo: 15 },
    ];
    const { body } = await sandbox.call("POST", path, { metrics: names("eventCount"), minuteRanges });
    expect(body.dimensionHeaders).toEqual([{ name: "dateRange" }]);
    expect(body.metadata).toBeUndefined();
  });
});

describe("data quality", () => {
  test("a role that hides revenue reads zeros and is told so", async () => {
    const question = { metrics: names("sessions", "totalRevenue"), ...september };
    const { body } = await sandbox.call(
      "POST",
      "/v1beta/properties/1000:runReport",
      question,
      "ya29.sandbox-no-revenue",
    );
    expect(rowsOf(body)[0]?.[1]).toBe(0);
    expect(body.metadata.schemaRestrictionResponse.activeMetricRestrictions).toEqual([
      { metricName: "totalRevenue", restrictedMetricTypes: ["REVENUE_DATA"] },
    ]);
  });

  test("rows of few people are withheld where they could be recognized", async () => {
    const question = {
      dimensions: names("userAgeBracket", "city"),
      metrics: names("totalUsers"),
      ...days("yesterday", "yesterday"),
    };
    const { body } = await sandbox.report(question);
    expect(body.metadata.subjectToThresholding).toBe(true);
    expect(body.rows).toBeUndefined();
    await sandbox.control("/limits", { threshold_users_min: 1 });
    expect((await sandbox.rows(question)).length).toBeGreaterThan(0);
    await sandbox.control("/limits", { threshold_users_min: 10 });
  });

  test("a sampled answer is near the whole one", async () => {
    const question = { metrics: names("sessions"), ...days("365daysAgo", "yesterday") };
    const whole = await sandbox.one(question);
    await sandbox.control("/limits", { sampling_events_max: 20_000 });
    const { body } = await sandbox.report(question);
    await sandbox.control("/limits", { sampling_events_max: 10_000_000 });
    const [{ samplesReadCount, samplingSpaceSize }] = body.metadata.samplingMetadatas;
    expect(Number(samplesReadCount)).toBeLessThan(Number(samplingSpaceSize));
    expect(Math.abs(Number(rowsOf(body)[0]?.[0]) / whole - 1)).toBeLessThan(0.1);
  });
});

describe("a property of one's own", () => {
  test("has no data until a stream is set up, and then from that moment on", async () => {
    const wish = { parent: "accounts/100", displayName: "Fresh", timeZone: "Europe/Paris" };
    const { body: property } = await sandbox.call("POST", "/v1beta/properties", wish, "ya29.sandbox-administrator");
    const id = property.name.split("/")[1];
    const question = { dimensions: names("date"), metrics: names("sessions"), ...days("30daysAgo", "today") };
    await sandbox.control("/clock", { advance_seconds: 86_400 });
    expect((await sandbox.report(question, id)).body.rows).toBeUndefined();
    const stream = {
      type: "WEB_DATA_STREAM",
      displayName: "Site",
      webStreamData: { defaultUri: "https://fresh.example" },
    };
    expect(
      (await sandbox.call("POST", `/v1beta/${property.name}/dataStreams`, stream, "ya29.sandbox-editor")).status,
    ).toBe(200);
    await sandbox.control("/clock", { advance_seconds: 3 * 86_400 });
    const found = rowsOf((await sandbox.report(question, id)).body)
      .map(([day]) => day)
      .sort();
    expect(found[0]).toBe("20261015");
    expect(found.at(-1)).toBe("20261018");
    await sandbox.control("/clock", { now: testTime });
  });
});
