import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf, type Role, startAnalytics, testTime } from "../../../../test/support/systems/analytics-sandbox.ts";
import { driveStep, driveWork } from "../../../../test/support/systems/drive-step.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { analytics } from "../system.ts";
import { createKeyEvents } from "./create-key-events.ts";

let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
beforeAll(async () => {
  sandbox = await startAnalytics();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const signUp = { property_id: "1000", event_name: "sign_up" };
const create = (input: object, role: Role = "editor") => driveStep(createKeyEvents, input, sandbox.as(role));

function reconcile(input: object, minutesBefore = 0) {
  const askedAt = new Date(Date.parse(testTime) - minutesBefore * 60_000);
  const context = { intentId: "int_1", now: new Date(testTime), ...sentThen(askedAt), identity: { label: "x" } };
  const work = createKeyEvents.reconcile?.(createKeyEvents.input.parse(input), context);
  if (!work) throw new Error("It cannot be looked for.");
  return driveWork(work, analytics, sandbox.as("editor"));
}

describe("create a key event", () => {
  test("a collected event becomes a key event, after a check of the collected events", async () => {
    const { output, requests, warnings } = await create(signUp);
    expect(output).toEqual({ key_event_id: expect.stringMatching(/^\d+$/), event_name: "sign_up" });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1beta/properties/1000:runReport",
      "POST /v1beta/properties/1000/keyEvents",
    ]);
    expect(requests.at(-1)).toMatchObject({ effect: "create", idempotent: false });
    expect(warnings).toEqual([]);
  });

  test("it may count once in a session", async () => {
    const { requests } = await create({ ...signUp, counting_method: "ONCE_PER_SESSION" });
    expect(requests.at(-1)?.body).toEqual({ eventName: "sign_up", countingMethod: "ONCE_PER_SESSION" });
  });

  test("an event that was never collected is refused, and similar collected ones are named", async () => {
    const work = create({ ...signUp, event_name: "signup" });
    const failure = await failureOf(work);
    expect(failure).toMatchObject({ code: "invalid_there", done: "no" });
    expect(failure.detail).toMatch(/collects no event signup.*sign_up/);
    const { requests } = (await sandbox.control("/requests")) as unknown as { requests: { path: string }[] };
    expect(requests.filter(({ path }) => path.endsWith("/keyEvents"))).toEqual([]);
  });

  test("one that is a key event already is a conflict, with its id", async () => {
    const failure = await failureOf(create({ ...signUp, event_name: "generate_lead" }));
    expect(failure).toMatchObject({ code: "conflict_there" });
    expect(failure.detail).toMatch(/properties\/1000\/keyEvents\/71/);
  });

  test("the message says that a viewer needs Editor", async () => {
    const failure = await failureOf(create(signUp, "viewer"));
    expect(failure).toMatchObject({ code: "permission_denied", remedy: expect.stringMatching(/Editor/) });
  });

  test("if reports are unavailable, the system decides, and a warning says so", async () => {
    const { output, warnings } = await create(signUp, "edit-scope-only");
    expect(output).toMatchObject({ event_name: "sign_up" });
    expect(warnings.join()).toMatch(/could not be checked/);
    expect(await failureOf(create({ ...signUp, event_name: "signup" }, "edit-scope-only"))).toMatchObject({
      code: "conflict_there",
      systemCode: "FAILED_PRECONDITION",
    });
  });

  test.each([
    [{ ...signUp, event_name: "1st_visit" }, /A letter first/],
    [{ ...signUp, event_name: "sign up" }, /A letter first/],
    [{ ...signUp, event_name: "x".repeat(41) }, /at most 40/],
    [{ ...signUp, property_id: "UA-1-1" }, /previous generation/],
    [{ ...signUp, counting_method: "TWICE" }, /ONCE_PER_EVENT/],
    [{ property_id: "1000" }, /event_name|expected string/],
  ])("%j is refused, and nothing is sent", (input, reason) =>
    expect(createKeyEvents.input.safeParse(input).error?.message).toMatch(reason),
  );
});

describe("after a lost answer", () => {
  test("what was made is found, what was not is not", async () => {
    expect((await reconcile(signUp)).result).toBe("did not");
    const { output } = await create(signUp);
    expect((await reconcile(signUp)).result).toEqual({ output });
  });

  test.each(["ONCE_PER_EVENT", "ONCE_PER_SESSION"])(
    "one that was there before is another's, whatever it counts: %s",
    async (counting_method) => {
      const there = { ...signUp, event_name: "generate_lead", counting_method };
      expect((await reconcile(there)).result).toBe("did not");
    },
  );

  test("one that was made once the system can no longer be at work on it is another's", async () => {
    await create(signUp);
    expect((await reconcile(signUp, 4)).result).toBe("cannot tell");
    expect((await reconcile(signUp, 10)).result).toBe("did not");
  });

  test("one that was made since, and counts otherwise, is another's", async () => {
    await create({ ...signUp, counting_method: "ONCE_PER_SESSION" });
    expect((await reconcile(signUp)).result).toBe("did not");
  });
});
