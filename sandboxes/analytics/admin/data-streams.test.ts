import { describe, expect, test } from "vitest";
import { tokens } from "../checks/sandbox-client.ts";
import { freshSandboxForEachTest } from "../checks/sandbox-for-tests.ts";

const sandbox = await freshSandboxForEachTest();

const { editor } = tokens;

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
