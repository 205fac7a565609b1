import { describe, expect, test } from "vitest";
import { good, reportPath } from "./checks/questions.ts";
import { sandboxForTests } from "./checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("paths", () => {
  test.each([
    ["GET", reportPath],
    ["PUT", "/v1beta/properties/1000"],
    ["POST", "/v1beta/properties/1000:runNothing"],
    ["GET", "/v1beta/nothing"],
    ["GET", "/v1alpha/properties/1000/metadata"],
    ["GET", "/v1beta/properties/1000/audiences"],
    ["GET", "/v2/properties/1000"],
    ["GET", "/"],
    ["DELETE", "/v1beta/accounts/100/properties"],
  ])("%s %s is a page", async (method, path) => {
    const { status, headers, text } = await sandbox.call(method, path);
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("text/html; charset=UTF-8");
    expect(text).toContain("404");
  });

  test("a path cannot write into the page", async () => {
    const { text } = await sandbox.call("GET", "/v1beta/<script>alert(1)</script>");
    expect(text).not.toContain("<script>");
  });

  test("unknown query parameters are refused, the vendor's own are not", async () => {
    const { status, body } = await sandbox.call("GET", "/v1beta/properties/1000?colour=red");
    expect(status).toBe(400);
    expect(body.error.message).toBe(
      `Invalid JSON payload received. Unknown name "colour": Cannot bind query parameter. Field 'colour' could not be found in request message.`,
    );
    expect(
      (await sandbox.call("GET", "/v1beta/properties/1000?$alt=json;enum-encoding=int&prettyPrint=false")).status,
    ).toBe(200);
  });

  test("fields= selects a part", async () => {
    const { body } = await sandbox
      .call("POST", `${reportPath}?fields=rows(metricValues),metadata/timeZone`, good)
      .catch(() => ({ body: null }));
    expect(Object.keys(body)).toEqual(["rows", "metadata"]);
    expect(body.metadata).toEqual({ timeZone: "Europe/Paris" });
    // A part has no kind, which the lists expect of a whole.
    sandbox.problems.length = 0;
  });
});
