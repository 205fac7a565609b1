import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf, type Role, startAnalytics, testTime } from "../../../../test/support/systems/analytics-sandbox.ts";
import { driveStep, driveWork } from "../../../../test/support/systems/drive-step.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { analytics } from "../system.ts";
import { createProperties } from "./create-properties.ts";

let sandbox: Awaited<ReturnType<typeof startAnalytics>>;
beforeAll(async () => {
  sandbox = await startAnalytics();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const wish = { account_id: "100", display_name: "Shop", time_zone: "Europe/Paris", currency_code: "EUR" };
const create = (input: object = wish, role: Role = "administrator") =>
  driveStep(createProperties, input, sandbox.as(role));

function reconcile(askedAt: string) {
  const context = {
    intentId: "int_1",
    now: new Date(testTime),
    ...sentThen(new Date(askedAt)),
    identity: { label: "x" },
  };
  const work = createProperties.reconcile?.(createProperties.input.parse(wish), context);
  if (!work) throw new Error("It cannot be looked for.");
  return driveWork(work, analytics, sandbox.as("administrator"));
}

describe("create a property", () => {
  test("it returns the property's id, and that a data stream is still needed", async () => {
    const { output, requests } = await create({ ...wish, industry_category: "SHOPPING" });
    const { property_id: id } = output as { property_id: string };
    expect(output).toEqual({
      property_id: expect.stringMatching(/^\d+$/),
      display_name: "Shop",
      next_step: expect.stringMatching(new RegExp(`data stream.*properties/${id}/dataStreams`)),
    });
    expect(requests.map(({ body }) => body)).toEqual([
      {
        parent: "accounts/100",
        displayName: "Shop",
        timeZone: "Europe/Paris",
        currencyCode: "EUR",
        industryCategory: "SHOPPING",
      },
    ]);
  });

  test.each<Role>(["viewer", "editor", "outsider"])(
    "the message for %s says that Administrator on the account is needed",
    async (role) => {
      const failure = await failureOf(create(wish, role));
      expect(failure).toMatchObject({ code: "permission_denied", remedy: expect.stringMatching(/Administrator/) });
    },
  );

  test("an account out of reach reads the same", async () => {
    expect(await failureOf(create({ ...wish, account_id: "accounts/200" }))).toMatchObject({
      code: "permission_denied",
    });
  });

  test.each([
    [{ display_name: "" }, /Give it a name/],
    [{ display_name: "  " }, /Give it a name/],
    [{ display_name: "x".repeat(101) }, /100/],
    [{ display_name: "😀".repeat(51) }, /100/],
    [{ time_zone: "Europe/Pariss" }, /did you mean Europe\/Paris\?/],
    [{ time_zone: "europe/paris" }, /did you mean Europe\/Paris\?/],
    [{ time_zone: "+01:00" }, /IANA/],
    [{ time_zone: "Mars/Olympus" }, /IANA/],
    [{ currency_code: "eur" }, /did you mean EUR\?/],
    [{ currency_code: "EURO" }, /ISO 4217/],
    [{ industry_category: "SHOPS" }, /SHOPPING/],
    [{ account_id: "my account" }, /account id/],
    [{ account_id: "properties/1000" }, /account id/],
  ])("%j is refused, and nothing is sent", (change, reason) =>
    expect(createProperties.input.safeParse({ ...wish, ...change }).error?.message).toMatch(reason),
  );

  test.each(["Etc/UTC", "America/Argentina/Buenos_Aires", "Asia/Calcutta", "Asia/Kolkata"])(
    "%s is a time zone",
    (zone) => expect(createProperties.input.safeParse({ ...wish, time_zone: zone }).success).toBe(true),
  );
});

describe("after a lost answer", () => {
  test("one of that name and time is the one; an older one of the same name is not", async () => {
    expect((await reconcile(testTime)).result).toBe("did not");
    const { output } = await create();
    expect((await reconcile(testTime)).result).toMatchObject({ output });
    expect((await reconcile("2026-10-14T18:00:00Z")).result).toBe("did not");
  });

  // "A probe may take a record for its own only if nothing else could have made it: name, time window."
  test("one that was made once the system can no longer be at work on it is another's, and just after that nobody knows", async () => {
    await create();
    const minutesBefore = (minutes: number) => new Date(Date.parse(testTime) - minutes * 60_000).toISOString();
    expect((await reconcile(minutesBefore(2))).result).toMatchObject({ output: { display_name: "Shop" } });
    expect((await reconcile(minutesBefore(4))).result).toBe("cannot tell");
    expect((await reconcile(minutesBefore(10))).result).toBe("did not");
  });

  test("two of that name and time leave it open", async () => {
    await create();
    await create();
    expect((await reconcile(testTime)).result).toBe("cannot tell");
  });
});
