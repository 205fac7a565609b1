import { describe, expect, test } from "vitest";
import { tokens } from "../checks/sandbox-client.ts";
import { freshSandboxForEachTest } from "../checks/sandbox-for-tests.ts";

const sandbox = await freshSandboxForEachTest();

const { viewer, editor, administrator } = tokens;
const wish = { parent: "accounts/100", displayName: "Shop two", timeZone: "Europe/Madrid" };
const denied = { code: 403, message: "The caller does not have permission", status: "PERMISSION_DENIED" };

describe("roles", () => {
  test.each<[string, string, object | undefined, string, boolean]>([
    ["GET", "/v1beta/properties/1000", undefined, viewer, true],
    [
      "POST",
      "/v1beta/properties/1000/keyEvents",
      { eventName: "login", countingMethod: "ONCE_PER_EVENT" },
      viewer,
      false,
    ],
    [
      "POST",
      "/v1beta/properties/1000/keyEvents",
      { eventName: "login", countingMethod: "ONCE_PER_EVENT" },
      editor,
      true,
    ],
    ["PATCH", "/v1beta/properties/1000?updateMask=displayName", { displayName: "X" }, viewer, false],
    ["PATCH", "/v1beta/properties/1000?updateMask=displayName", { displayName: "X" }, editor, true],
    ["POST", "/v1beta/properties", wish, viewer, false],
    ["POST", "/v1beta/properties", wish, editor, false],
    ["POST", "/v1beta/properties", wish, administrator, true],
    ["POST", "/v1beta/properties", { ...wish, parent: "accounts/200" }, administrator, false],
    ["DELETE", "/v1beta/properties/1002", undefined, viewer, false],
    ["DELETE", "/v1beta/properties/1002", undefined, editor, true],
  ])("%s %s %o as %s: %s", async (method, path, body, token, isAllowed) => {
    const answer = await sandbox.call(method, path, body, token);
    expect(answer.status).toBe(isAllowed ? 200 : 403);
    if (!isAllowed) expect(answer.body.error).toEqual(denied);
  });
});

describe("properties", () => {
  test("a created property has what was asked and the service's own fields", async () => {
    const { body } = await sandbox.call(
      "POST",
      "/v1beta/properties",
      { ...wish, name: "properties/1", serviceLevel: 2 },
      administrator,
    );
    expect(body).toEqual({
      name: expect.stringMatching(/^properties\/\d+$/),
      parent: "accounts/100",
      account: "accounts/100",
      propertyType: "PROPERTY_TYPE_ORDINARY",
      displayName: "Shop two",
      timeZone: "Europe/Madrid",
      currencyCode: "USD",
      serviceLevel: "GOOGLE_ANALYTICS_STANDARD",
      createTime: expect.stringMatching(/^2026-10-14T14:30:0/),
      updateTime: body.createTime,
    });
  });

  test.each<[object, RegExp]>([
    [{ ...wish, displayName: "" }, /display_name is required/],
    [{ ...wish, displayName: "x".repeat(101) }, /100 characters/],
    [{ displayName: "x", timeZone: "Etc/UTC" }, /parent is required/],
    [{ ...wish, timeZone: "Mars/Base" }, /Invalid time_zone/],
    [{ ...wish, currencyCode: "euro" }, /Invalid currency_code/],
    [{ ...wish, propertyType: "PROPERTY_TYPE_ROLLUP" }, /cannot be created/],
    [
      { ...wish, industryCategory: "SPACE" },
      /Invalid value at 'property\.industry_category' \(type\.googleapis\.com\/google\.analytics\.admin\.v1beta\.IndustryCategory\)/,
    ],
    [{ ...wish, colour: "red" }, /Unknown name "colour" at 'property': Cannot find field\./],
  ])("%o is refused", async (body, message) => {
    const answer = await sandbox.call("POST", "/v1beta/properties", body, administrator);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
  });

  test("lists need a filter, take both spellings of it, and page", async () => {
    expect((await sandbox.call("GET", "/v1beta/properties")).status).toBe(400);
    for (const filter of [
      "parent:accounts/100",
      "parent%3Aaccounts/100",
      "parent%3Aaccounts%2F100",
      "ancestor:accounts/100",
    ]) {
      expect((await sandbox.call("GET", `/v1beta/properties?filter=${filter}`)).body.properties).toHaveLength(6);
    }
    expect((await sandbox.call("GET", "/v1beta/properties?filter=parent:accounts/200")).body).toEqual({});
    const path = "/v1beta/properties?filter=parent:accounts/100&pageSize=4";
    const first = await sandbox.call("GET", path);
    const second = await sandbox.call("GET", `${path}&pageToken=${first.body.nextPageToken}`);
    expect(first.body.properties).toHaveLength(4);
    expect(second.body.properties).toHaveLength(2);
    expect(second.body.nextPageToken).toBeUndefined();
    const mixed = await sandbox.call(
      "GET",
      `/v1beta/properties?filter=ancestor:accounts/100&pageToken=${first.body.nextPageToken}`,
    );
    expect(mixed.status).toBe(400);
    expect((await sandbox.call("GET", "/v1beta/properties?filter=parent:accounts/100&pageSize=9999")).status).toBe(200);
  });

  test("a mask in either spelling changes what it names and nothing else", async () => {
    const change = { displayName: "Renamed", timeZone: "Asia/Tokyo", currencyCode: "JPY" };
    const patch = (mask: string) => sandbox.call("PATCH", `/v1beta/properties/1000?updateMask=${mask}`, change, editor);
    expect((await patch("display_name,time_zone")).body).toMatchObject({
      displayName: "Renamed",
      timeZone: "Asia/Tokyo",
      currencyCode: "EUR",
    });
    expect((await patch("currencyCode")).body).toMatchObject({ currencyCode: "JPY", industryCategory: "SHOPPING" });
    expect((await patch("*")).body.industryCategory).toBeUndefined();
    expect((await patch("")).status).toBe(400);
    expect((await patch("parent")).body.error.message).toMatch(/immutable/);
    expect((await patch("colour")).body.error.message).toMatch(/^Invalid value at 'update_mask'/);
  });

  test("a trashed property leaves the lists, answers for 35 days, and has no reports", async () => {
    const { body } = await sandbox.call("DELETE", "/v1beta/properties/1001", undefined, editor);
    expect(Date.parse(body.expireTime) - Date.parse(body.deleteTime)).toBe(35 * 86_400_000);
    const list = async (more: string) =>
      (await sandbox.call("GET", `/v1beta/properties?filter=parent:accounts/100${more}`)).body.properties.map(
        (each: { name: string }) => each.name,
      );
    expect(await list("")).not.toContain("properties/1001");
    expect(await list("&showDeleted=true")).toContain("properties/1001");
    expect((await sandbox.call("GET", "/v1beta/properties/1001")).body.deleteTime).toBe(body.deleteTime);
    expect((await sandbox.report({ metrics: [{ name: "sessions" }] }, "1001")).status).toBe(403);
    expect((await sandbox.call("DELETE", "/v1beta/properties/1001", undefined, editor)).body.error.status).toBe(
      "FAILED_PRECONDITION",
    );
    for (const child of ["keyEvents/72", "dataStreams/5001"]) {
      const answer = await sandbox.call("DELETE", `/v1beta/properties/1001/${child}`, undefined, editor);
      expect(answer.body.error.message).toMatch(/in the trash/);
    }
    await sandbox.control("/clock", { advance_seconds: 36 * 86_400 });
    expect((await sandbox.call("GET", "/v1beta/properties/1001")).status).toBe(403);
  });
});

test("the summaries say what the caller may edit", async () => {
  const canEdit = async (token: string) =>
    (await sandbox.call("GET", "/v1beta/accountSummaries", undefined, token)).body.accountSummaries[0]
      .propertySummaries[0].canEdit;
  expect(await canEdit(viewer)).toBeUndefined();
  expect(await canEdit(editor)).toBe(true);
  expect((await sandbox.call("GET", "/v1beta/accountSummaries", undefined, "ya29.sandbox-outsider")).body).toEqual({});
});
