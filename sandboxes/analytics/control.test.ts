import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type SandboxClient, startSandbox, testTime, tokens } from "./checks/sandbox-client.ts";

let sandbox: SandboxClient;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(async () => {
  await sandbox.control("/reset", {});
  await sandbox.control("/clock", { now: testTime });
});
afterAll(() => sandbox.stop());

const path = "/v1beta/properties/1000";
const question = { metrics: [{ name: "sessions" }], dateRanges: [{ startDate: "yesterday", endDate: "yesterday" }] };

test("lists what works", async () => {
  const listed = await sandbox.control("");
  expect(listed).toMatchObject({
    system: "analytics",
    credentials: {
      tokens: { viewer: expect.any(String), editor: expect.any(String), administrator: expect.any(String) },
      oauth: {
        client_id: expect.any(String),
        client_secret: expect.any(String),
        refresh_tokens: { viewer: expect.any(String) },
      },
      service_account: { type: "service_account", private_key: expect.stringContaining("PRIVATE KEY") },
    },
    ids: { account: "accounts/100", property: "properties/1000" },
    limits: { tokens_per_day: 200_000, concurrent_requests: 10 },
  });
  const { credentials } = listed as { credentials: { tokens: Record<string, string> } };
  for (const token of Object.values(credentials.tokens))
    expect((await sandbox.call("GET", path, undefined, token)).status).toBe(200);
});

test("a fault answers instead of the service, as often as ordered", async () => {
  const body = { error: { code: 503, message: "The service is currently unavailable.", status: "UNAVAILABLE" } };
  await sandbox.control("/faults", { match: { method: "GET", path }, times: 2, status: 503, body });
  const statuses = [];
  for (let time = 0; time < 3; time++) statuses.push((await sandbox.call("GET", `${path}?fields=name`)).status);
  expect(statuses).toEqual([503, 503, 200]);
});

test("a write can be carried out and its answer lost", async () => {
  const keyEvents = `${path}/keyEvents`;
  await sandbox.control("/faults", { match: { method: "POST", path: keyEvents }, drop: "after" });
  await expect(
    sandbox.call("POST", keyEvents, { eventName: "login", countingMethod: "ONCE_PER_EVENT" }, tokens.editor),
  ).rejects.toThrow();
  expect(
    (await sandbox.call("POST", keyEvents, { eventName: "login", countingMethod: "ONCE_PER_EVENT" }, tokens.editor))
      .status,
  ).toBe(409);
});

test("reset brings back records, limits, quota, faults and the log", async () => {
  await sandbox.call("PATCH", `${path}?updateMask=displayName`, { displayName: "Changed" }, tokens.editor);
  await sandbox.call(
    "POST",
    "/v1beta/properties",
    { parent: "accounts/100", displayName: "x", timeZone: "Etc/UTC" },
    tokens.administrator,
  );
  await sandbox.control("/limits", { tokens_per_hour: 0 });
  await sandbox.control("/faults", { match: {}, times: 9, status: 500 });
  await sandbox.control("/reset", {});
  expect((await sandbox.call("GET", path)).body.displayName).toBe("Shop");
  expect((await sandbox.call("GET", "/v1beta/properties?filter=parent:accounts/100")).body.properties).toHaveLength(6);
  expect(
    (await sandbox.report({ ...question, returnPropertyQuota: true })).body.propertyQuota.tokensPerHour.remaining,
  ).toBe(39_999);
  const { requests } = (await sandbox.control("/requests")) as { requests: object[] };
  expect(requests).toHaveLength(3);
});

test("a reset lets reports go that are still counted as concurrent", async () => {
  await sandbox.control("/limits", { report_milliseconds: 600_000, concurrent_requests: 1 });
  const both = [sandbox.report(question), sandbox.report(question)];
  expect((await Promise.race(both)).status).toBe(429);
  await sandbox.control("/reset", {});
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 429]);
});

test("the log names who called", async () => {
  await sandbox.call("GET", path);
  await sandbox.call("GET", path, undefined, "ya29.nobody");
  const { requests } = (await sandbox.control("/requests")) as {
    requests: { identity: string | null; status: number }[];
  };
  expect(requests.map(({ identity, status }) => [identity, status])).toEqual([
    ["viewer@analytics-sandbox.example", 200],
    [null, 401],
  ]);
});

test.each([[{ nothing: 1 }], [{ tokens_per_day: -1 }], [{ tokens_per_day: "many" }]])(
  "limits refuse %o",
  async (limits) => {
    expect(await sandbox.control("/limits", limits)).toHaveProperty("error");
  },
);

test("dates follow the property's own time zone", async () => {
  // Already tomorrow in Paris, still today in New York.
  await sandbox.control("/clock", { now: "2026-10-14T23:30:00Z" });
  const today = {
    dimensions: [{ name: "date" }],
    metrics: [{ name: "eventCount" }],
    dateRanges: [{ startDate: "7daysAgo", endDate: "today" }],
    orderBys: [{ dimension: { dimensionName: "date" }, desc: true }],
  };
  const newest = async (property: string) =>
    (await sandbox.report(today, property)).body.rows[0].dimensionValues[0].value;
  expect(["20261014", "20261015"]).toContain(await newest("1000"));
  expect(await newest("1001")).toBe("20261014");
});
