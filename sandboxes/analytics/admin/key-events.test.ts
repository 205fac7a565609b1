import { describe, expect, test } from "vitest";
import { tokens } from "../checks/sandbox-client.ts";
import { freshSandboxForEachTest } from "../checks/sandbox-for-tests.ts";

const sandbox = await freshSandboxForEachTest();

const { editor } = tokens;

describe("key events", () => {
  const path = "/v1beta/properties/1000/keyEvents";

  test("the event's name and the counting method are enough, and numbers stand for words", async () => {
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
