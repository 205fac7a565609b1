import { describe, expect, test } from "vitest";
import type { Answer, Method, StepRequest } from "../work.ts";
import { nextCentralMidnight } from "./central-midnight.ts";
import { effectOf } from "./protocol/endpoints.ts";
import { marketing } from "./system.ts";

const asked = (path = "/rest/v1/leads.json", method: Method = "GET", query = {}): StepRequest => ({
  method,
  api: "main",
  path,
  query,
  ...effectOf(method, path, undefined),
});

const answered = (body: unknown, status = 200, headers = {}): Answer => ({ status, headers, body, bytes: 0 });
const refusedWith = (code: string, message = "text") =>
  answered({ requestId: "14e9#17d4f04b9d9", success: false, errors: [{ code, message }] });

describe("what an answer means", () => {
  test("success is what the body calls so", () => {
    expect(marketing.failure(answered({ requestId: "a#1", success: true, result: [] }), asked())).toBe(null);
    expect(marketing.failure(answered({ success: true, errors: [], warnings: ["none"] }), asked())).toBe(null);
  });

  test.each([
    ["600", "authentication_failed", "fresh token", "no"],
    ["601", "authentication_failed", "fresh token", "no"],
    ["602", "authentication_failed", "fresh token", "no"],
    ["603", "permission_denied", "give up", "no"],
    ["604", "system_unavailable", "try again", "maybe"],
    ["605", "invalid_there", "give up", "no"],
    ["606", "rate_limited", "wait", "no"],
    ["607", "quota_exhausted", "give up", "no"],
    ["608", "system_unavailable", "try again", "no"],
    ["609", "invalid_there", "give up", "no"],
    ["610", "not_found_there", "give up", "no"],
    ["611", "system_unavailable", "try again", "maybe"],
    ["612", "invalid_there", "give up", "no"],
    ["613", "invalid_there", "give up", "no"],
    ["614", "system_unavailable", "try again", "no"],
    ["615", "rate_limited", "wait", "no"],
    ["701", "invalid_there", "give up", "no"],
    ["702", "not_found_there", "give up", "no"],
    ["704", "invalid_there", "give up", "no"],
    ["709", "conflict_there", "give up", "no"],
    ["710", "not_found_there", "give up", "no"],
    ["711", "invalid_there", "give up", "no"],
    ["713", "system_unavailable", "try again", "maybe"],
    ["719", "system_unavailable", "try again", "no"],
    ["1001", "invalid_there", "give up", "no"],
    ["1002", "invalid_there", "give up", "no"],
    ["1003", "invalid_there", "give up", "no"],
    ["1004", "not_found_there", "give up", "no"],
    ["1005", "conflict_there", "give up", "no"],
    ["1006", "invalid_there", "give up", "no"],
    ["1007", "conflict_there", "give up", "no"],
    ["1008", "invalid_there", "give up", "no"],
    ["1011", "invalid_there", "give up", "no"],
    ["1013", "not_found_there", "give up", "no"],
    ["1015", "invalid_there", "give up", "no"],
    ["1020", "quota_exhausted", "give up", "no"],
    ["1029", "rate_limited", "wait", "no"],
    ["1042", "invalid_there", "give up", "no"],
    ["9999", "invalid_there", "give up", "no"],
  ] as const)("%s in a 200 is %s: %s, done: %s", (systemCode, code, cure, done) => {
    const failure = marketing.failure(refusedWith(systemCode), asked());
    expect(failure).toMatchObject({ code, cure, done, systemCode });
  });

  test.each([
    [400, "invalid_there", "give up", "no"],
    [401, "authentication_failed", "fresh token", "no"],
    [403, "permission_denied", "give up", "no"],
    [404, "not_found_there", "give up", "no"],
    [413, "invalid_there", "give up", "no"],
    [414, "invalid_there", "give up", "no"],
    [429, "rate_limited", "wait", "no"],
    [500, "system_unavailable", "try again", "maybe"],
    [502, "system_unavailable", "try again", "maybe"],
    [503, "system_unavailable", "try again", "maybe"],
    [200, "system_unavailable", "give up", "maybe"],
  ] as const)("HTTP %s with a page instead of an envelope is %s", (status, code, cure, done) => {
    const failure = marketing.failure(answered("<html>no envelope</html>", status), asked());
    expect(failure).toMatchObject({ code, cure, done });
  });

  test("an envelope in an HTTP error is read as usual", () => {
    const { body } = refusedWith("602");
    expect(marketing.failure(answered(body, 401), asked())?.systemCode).toBe("602");
  });

  test("code, message and request id are in the detail", () => {
    const detail = marketing.failure(refusedWith("1006", "Field 'x' not found"), asked())?.detail;
    expect(detail).toBe("The marketing system returned 1006 Field 'x' not found (request 14e9#17d4f04b9d9).");
  });

  test("only 702 says that the record itself is not there", () => {
    const codes = ["610", "702", "710", "1004", "1013"];
    const isAbsent = (answer: Answer) => marketing.failure(answer, asked())?.recordIsAbsent === true;
    expect(codes.filter((code) => isAbsent(refusedWith(code)))).toEqual(["702"]);
    expect(isAbsent(answered("<html></html>", 404))).toBe(false);
  });

  test("603 names the permission that is missing", () => {
    const failure = marketing.failure(refusedWith("603"), asked("/rest/v1/campaigns/1/trigger.json", "POST"));
    expect(failure?.remedy).toContain("Execute Campaign");
    const members = marketing.failure(refusedWith("603"), asked("/rest/v1/programs/1/members/status.json", "POST"));
    expect(members?.remedy).toContain("Read-Write Lead");
  });

  test("606 waits out the window", () => {
    expect(marketing.failure(refusedWith("606"), asked())?.waitSeconds).toBe(20);
  });

  test("607 says when the quota starts anew: the next midnight in Chicago, by the system's own clock", () => {
    // 0x17d4f04b9d9 is 2021-11-23T22:57:29Z; Chicago is six hours behind in winter.
    const failure = marketing.failure(refusedWith("607"), asked());
    expect(failure?.detail).toContain("2021-11-24T06:00:00.000Z");
    expect(failure?.waitSeconds).toBe(25_351);
    expect(marketing.failure(refusedWith("1029", "Export daily quota 500MB exceeded"), asked())).toMatchObject({
      code: "quota_exhausted",
      systemCode: "1029",
    });
  });

  test.each([
    ["/rest/asset/v1/program/1/stats.json", "members.json"],
    ["/rest/asset/v1/landingPage/1/stats.json", "activityTypeIds=1"],
    ["/rest/v1/activities/emailbounced.json", "activityTypeIds=8,27"],
    ["/rest/v1/activities/emailopened.json", "activityTypeIds=10"],
  ])("%s may be missing, and then the message says how to get the figures", (path, instead) => {
    for (const answer of [refusedWith("610"), answered("<html></html>", 404)]) {
      const failure = marketing.failure(answer, asked(path));
      expect(failure).toMatchObject({
        code: "not_found_there",
        detail: expect.stringContaining("not available on this instance"),
      });
      expect(failure?.remedy).toContain(instead);
    }
  });
});

describe("limits", () => {
  const who = { label: "ann" };
  const account = { settings: {}, identity: who, signInMethod: "client_credentials" };
  const origin = "https://123-abc-456.mktorest.com";
  const subject = `marketing|${origin}`;

  test("100 calls per 20 seconds, 10 at once, 10,000 a day until midnight in Chicago", () => {
    const daily = { name: "daily", kind: "calendar", max: 10_000, resets: { daily: "America/Chicago" }, amount: 1 };
    expect(marketing.demands(asked(), origin, account)).toEqual([
      { subject, name: "burst", kind: "window", max: 100, windowSeconds: 20, amount: 1, systemCode: "606" },
      { subject, name: "concurrent", kind: "concurrent", max: 10, amount: 1, systemCode: "615" },
      { subject, ...daily, isAssumed: true, advice: expect.stringContaining("daily_quota"), systemCode: "607" },
    ]);
  });

  test("what all tools have used today is known from `usage.json`, if it speaks of today", () => {
    const usage = (date: string) =>
      answered({ success: true, requestId: "1#19caddd2b80", result: [{ date, total: 7 }] });
    const path = asked("/rest/v1/stats/usage.json");
    expect(marketing.reportedLimits(usage("2026-03-02"), path, origin, who)).toMatchObject([
      { subject, name: "daily", usedSoFar: 7 },
    ]);
    expect(marketing.reportedLimits(usage("2026-03-01"), path, origin, who)).toEqual([]);
  });

  // "A place stays taken until the vendor can no longer be working on the call": 30 s, lead queries 60, lead sync 90.
  test("the time that the system may work on a call depends on the call", () => {
    const seconds = (method: "GET" | "POST", path: string) => marketing.worksSecondsOf?.({ method, path });
    expect(seconds("POST", "/rest/v1/leads.json")).toBe(90);
    expect(seconds("GET", "/rest/v1/leads.json")).toBe(60);
    expect(seconds("GET", "/rest/v1/lists/7/leads.json")).toBe(60);
    expect(seconds("POST", "/rest/v1/campaigns/7/trigger.json")).toBe(30);
  });

  test("settings of the connection change all three, and the identity service counts for none", () => {
    const settings = { burst_calls: 50, concurrent_calls: 5, daily_quota: 50_000 };
    expect(marketing.demands(asked(), origin, { ...account, settings }).map(({ max }) => max)).toEqual([50, 5, 50_000]);
    expect(marketing.demands(asked("/identity/oauth/token"), origin, account)).toEqual([]);
  });

  test("a limit that another tool used up is known from the refusal", () => {
    expect(marketing.reportedLimits(refusedWith("606"), asked(), origin, who)).toEqual([
      { subject, name: "burst", remaining: 0, resetsInSeconds: 20 },
    ]);
    expect(marketing.reportedLimits(refusedWith("607"), asked(), origin, who)).toEqual([
      { subject, name: "daily", remaining: 0, resetsInSeconds: 7 * 3600 + 151 },
    ]);
    expect(marketing.reportedLimits(refusedWith("615"), asked(), origin, who)).toEqual([
      { subject, name: "concurrent", remaining: 0 },
    ]);
    expect(marketing.reportedLimits(answered({ success: true }), asked(), origin, who)).toEqual([]);
  });

  test.each([
    ["2026-03-07T12:00:00Z", "2026-03-08T06:00:00.000Z"],
    ["2026-03-08T06:00:00Z", "2026-03-09T05:00:00.000Z"], // clocks go forward that day
    ["2026-07-01T04:59:59.999Z", "2026-07-01T05:00:00.000Z"],
    ["2026-11-01T05:00:00Z", "2026-11-02T06:00:00.000Z"], // and back on that one
  ])("after %s midnight in Chicago is %s", (now, midnight) => {
    expect(nextCentralMidnight(new Date(now)).toISOString()).toBe(midnight);
  });
});

describe("what a request touches", () => {
  test.each([
    ["/rest/v1/lists/1001/leads.json", {}, [{ kind: "list", id: "1001" }]],
    ["/rest/v1/lists/1001.json", {}, [{ kind: "list", id: "1001" }]],
    ["/rest/v1/list/007/leads.json", {}, [{ kind: "list", id: "7" }]],
    ["/rest/asset/v1/staticList/5/delete.json", {}, [{ kind: "list", id: "5" }]],
    ["/rest/asset/v1/staticList/byName.json", {}, null],
    ["/rest/v1/lists.json", {}, null],
    [
      "/rest/v1/lists.json",
      { id: "1,2" },
      [
        { kind: "list", id: "1" },
        { kind: "list", id: "2" },
      ],
    ],
    ["/rest/v1/activities.json", { listId: 9 }, [{ kind: "list", id: "9" }]],
    ["/rest/v1/campaigns/3001/trigger.json", {}, [{ kind: "campaign", id: "3001" }]],
    ["/rest/v1/campaigns/3001.json", {}, [{ kind: "campaign", id: "3001" }]],
    ["/rest/v1/campaigns/+3001.json", {}, null],
    ["/rest/asset/v1/smartCampaign/3001.json", {}, [{ kind: "campaign", id: "3001" }]],
    ["/rest/v1/leads.json", {}, null],
    ["/rest/v1/stats/usage.json", {}, []],
    ["/rest/v1/activities/types.json", {}, []],
  ] as const)("%s %j", (path, query, expected) => {
    expect(marketing.resources(asked(path, "GET", query), { label: "" })).toEqual(expected);
  });

  test.each([
    ["GET", "/rest/v1/leads.json", undefined, "read", true],
    // "Two upserts of the same key in flight can create duplicates."
    ["POST", "/rest/v1/leads.json", {}, "update", false],
    ["POST", "/rest/v1/leads.json", { action: "updateOnly" }, "update", true],
    ["POST", "/rest/v1/leads.json", { action: "createOnly" }, "create", false],
    ["POST", "/rest/v1/leads.json", { action: "createDuplicate" }, "create", false],
    ["POST", "/rest/v1/leads/delete.json", {}, "delete", true],
    ["POST", "/rest/v1/programs/1/members/delete.json", {}, "delete", true],
    // By names or keys: another record may have them by then.
    ["POST", "/rest/v1/opportunities/roles/delete.json", {}, "delete", false],
    ["POST", "/rest/v1/customobjects/car_c/delete.json", {}, "delete", false],
    ["POST", "/rest/v1/companies/delete.json", {}, "delete", false],
    ["POST", "/rest/v1/activities/external/type/visit_c/delete.json", {}, "delete", false],
    ["POST", "/rest/v1/activities/external/type/visit_c/attributes/delete.json", {}, "delete", false],
    ["POST", "/rest/asset/v1/folder/22/tokens/delete.json", {}, "delete", false],
    ["POST", "/rest/asset/v1/form/701/field/leadSource/delete.json", undefined, "delete", false],
    ["POST", "/rest/asset/v1/redirectRule/7/delete.json", undefined, "delete", false],
    ["DELETE", "/rest/v1/anything/1.json", undefined, "delete", false],
    ["DELETE", "/rest/v1/leads.json", {}, "delete", true],
    ["POST", "/rest/asset/v1/staticList/7/delete.json", undefined, "delete", true],
    ["POST", "/rest/asset/v1/folder/22/delete.json", {}, "delete", true],
    ["POST", "/rest/asset/v1/program/7/unapprove.json", undefined, "update", false],
    ["POST", "/rest/v1/programs/1/members/status.json", {}, "update", true],
    ["POST", "/rest/v1/programs/1/members.json", {}, "update", true],
    ["POST", "/rest/v1/leads/programs/1/status.json", {}, "update", true],
    ["POST", "/rest/v1/campaigns/1/trigger.json", {}, "send", false],
    ["POST", "/rest/v1/campaigns/1/schedule.json", {}, "send", false],
    ["POST", "/rest/v1/lists/1/leads.json", {}, "update", true],
    ["DELETE", "/rest/v1/lists/1/leads.json", undefined, "delete", true],
    ["POST", "/rest/asset/v1/email/1/approveDraft.json", undefined, "update", true],
    ["POST", "/rest/asset/v1/email/1/sendSample.json", {}, "send", false],
    ["POST", "/rest/asset/v1/email/1/content.json", {}, "update", false],
    ["POST", "/rest/asset/v1/staticLists.json", {}, "create", false],
    ["POST", "/rest/v1/something/new.json", {}, "create", false],
  ] as const)("%s %s %j is %s, repeatable: %s", (method, path, body, effect, idempotent) => {
    expect(effectOf(method, path, body)).toEqual({ effect, idempotent });
  });
});
