import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type SandboxClient, startSandbox, testTime, tokens } from "../checks/sandbox-client.ts";

let sandbox: SandboxClient;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(async () => {
  await sandbox.control("/reset", {});
  await sandbox.control("/clock", { now: testTime });
});
afterAll(() => sandbox.stop());
afterEach(() => expect(sandbox.problems).toEqual([]));

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

describe("key events", () => {
  const path = "/v1beta/properties/1000/keyEvents";

  test("the event name alone is enough, and numbers stand for words", async () => {
    const { body } = await sandbox.call(
      "POST",
      path,
      { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" },
      editor,
    );
    expect(body).toMatchObject({
      eventName: "sign_up",
      countingMethod: "ONCE_PER_EVENT",
      deletable: true,
      custom: true,
    });
    expect(
      (await sandbox.call("POST", path, { event_name: "login", counting_method: 2 }, editor)).body.countingMethod,
    ).toBe("ONCE_PER_SESSION");
  });

  test.each<[object, number, string]>([
    [{ eventName: "purchase", countingMethod: "ONCE_PER_EVENT" }, 409, "ALREADY_EXISTS"],
    [{ eventName: "never_sent", countingMethod: "ONCE_PER_EVENT" }, 400, "FAILED_PRECONDITION"],
    [{ eventName: "1st" }, 400, "INVALID_ARGUMENT"],
    // "countingMethod: Required."
    [{ eventName: "login" }, 400, "INVALID_ARGUMENT"],
    [{}, 400, "INVALID_ARGUMENT"],
    [
      { eventName: "login", countingMethod: "ONCE_PER_EVENT", defaultValue: { numericValue: 3 } },
      400,
      "INVALID_ARGUMENT",
    ],
    [{ eventName: "login", countingMethod: "TWICE" }, 400, "INVALID_ARGUMENT"],
  ])("%o answers %i %s", async (body, status, word) => {
    const answer = await sandbox.call("POST", path, body, editor);
    expect(answer.status).toBe(status);
    expect(answer.body.error.status).toBe(word);
  });

  test("a property that collects nothing has no event to mark", async () => {
    const answer = await sandbox.call(
      "POST",
      "/v1beta/properties/1002/keyEvents",
      { eventName: "purchase", countingMethod: "ONCE_PER_EVENT" },
      editor,
    );
    expect(answer.body.error).toMatchObject({
      code: 400,
      status: "FAILED_PRECONDITION",
      message: expect.stringContaining("purchase"),
    });
  });

  test("at most so many", async () => {
    await sandbox.control("/limits", { key_events_per_property: 2 });
    expect(
      (await sandbox.call("POST", path, { eventName: "login", countingMethod: "ONCE_PER_EVENT" }, editor)).body.error
        .status,
    ).toBe("FAILED_PRECONDITION");
  });

  test("deleting needs the number, answers {}, and the built-in one stays", async () => {
    expect((await sandbox.call("DELETE", `${path}/71`, undefined, editor)).body).toEqual({});
    expect((await sandbox.call("GET", `${path}/71`)).body.error).toEqual({
      code: 404,
      message: "Requested entity was not found.",
      status: "NOT_FOUND",
    });
    expect((await sandbox.call("DELETE", `${path}/70`, undefined, editor)).body.error.status).toBe(
      "FAILED_PRECONDITION",
    );
  });

  test("the older name still answers", async () => {
    const older = "/v1beta/properties/1000/conversionEvents";
    const { body } = await sandbox.call("GET", older);
    expect(body.conversionEvents[1]).toMatchObject({
      name: "properties/1000/conversionEvents/71",
      defaultConversionValue: { value: 10, currencyCode: "EUR" },
    });
    const created = await sandbox.call("POST", older, { eventName: "login" }, editor);
    expect(
      (await sandbox.call("GET", `/v1beta/${created.body.name.replace("conversionEvents", "keyEvents")}`)).body
        .eventName,
    ).toBe("login");
    // The lists have no entry for the older name.
    sandbox.problems.length = 0;
  });
});

describe("data streams", () => {
  const path = "/v1beta/properties/1002/dataStreams";
  const site = {
    type: "WEB_DATA_STREAM",
    displayName: "Site",
    webStreamData: { defaultUri: "https://site.example", measurementId: "G-MINE" },
  };

  test("a stream gets a measurement id of its own, and a second one for the site is refused", async () => {
    const { body } = await sandbox.call("POST", path, site, editor);
    expect(body.webStreamData).toEqual({
      measurementId: expect.stringMatching(/^G-[A-Z0-9]{10}$/),
      defaultUri: "https://site.example",
    });
    expect((await sandbox.call("POST", path, site, editor)).status).toBe(409);
    expect((await sandbox.call("DELETE", `/v1beta/${body.name}`, undefined, editor)).body).toEqual({});
    expect((await sandbox.call("GET", path)).body).toEqual({});
  });

  test.each<[object, RegExp]>([
    [{ ...site, type: undefined }, /type is required/],
    [{ ...site, displayName: "" }, /display_name is required/],
    [{ ...site, displayName: "x".repeat(256) }, /255/],
    [{ type: "WEB_DATA_STREAM", displayName: "x", iosAppStreamData: { bundleId: "a" } }, /must have webStreamData/],
    [{ type: 2, displayName: "x", androidAppStreamData: {} }, /package_name is required/],
  ])("%o is refused", async (body, message) => {
    const answer = await sandbox.call("POST", path, body, editor);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
  });

  test("a changed address is checked like a new one, and the measurement id stays", async () => {
    const stream = "/v1beta/properties/1000/dataStreams/5000";
    const before = (await sandbox.call("GET", stream)).body.webStreamData;
    const patch = (defaultUri: string) =>
      sandbox.call("PATCH", `${stream}?updateMask=webStreamData`, { webStreamData: { defaultUri } }, editor);
    const refused = await patch("not an address");
    expect([refused.status, refused.body.error.message]).toEqual([400, "Invalid default_uri: not an address."]);
    expect((await patch("https://new.example")).body.webStreamData).toEqual({
      measurementId: before.measurementId,
      defaultUri: "https://new.example",
    });
  });

  test("the type cannot be changed", async () => {
    const answer = await sandbox.call(
      "PATCH",
      "/v1beta/properties/1000/dataStreams/5000?updateMask=type",
      { type: 3 },
      editor,
    );
    expect(answer.body.error.message).toMatch(/immutable/);
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
