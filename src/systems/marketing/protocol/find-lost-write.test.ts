import { describe, expect, test } from "vitest";
import { driveWork } from "../../../../test/support/systems/drive-step.ts";
import { useMarketingSteps } from "../../../../test/support/systems/marketing-steps.ts";
import { sentThen } from "../../../../test/support/systems/sent-then.ts";
import { marketingApiCall } from "../steps/marketing-api-call.ts";
import { marketing } from "../system.ts";

const sandbox = useMarketingSteps();

/** What looking finds out about a call whose answer was lost; nothing is sent that writes. */
async function lookFor(input: Record<string, unknown>, secondsBefore = 0) {
  const askedAt = new Date(Date.now() - secondsBefore * 1000);
  const context = { intentId: "int_test", now: new Date(), identity: sandbox.at.identity, ...sentThen(askedAt) };
  const work = marketingApiCall.reconcile?.(marketingApiCall.input.parse(input), context);
  if (!work) throw new Error("It has no way to look.");
  const { result, requests } = await driveWork(work, marketing, sandbox.at);
  expect(requests.every(({ effect }) => effect === "read")).toBe(true);
  return typeof result === "string" ? result : (result.output as { body: { result: object[] } }).body.result;
}

/** The vendor trims texts; the sandbox keeps them as they are. */
const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : value);

const sync = (rows: object[], action?: string) => ({
  method: "POST",
  endpoint: "/rest/v1/leads.json",
  body: { ...(action === undefined ? {} : { action }), input: rows },
});

describe("a write to leads whose answer was lost is read back", () => {
  const ada = { email: "Ada.Back@example.com", firstName: "Ada", lastName: null };
  const bob = { email: "bob.back@example.com", firstName: "Bob" };

  test("it has happened if every value is there, and has not if none is", async () => {
    expect(await lookFor(sync([ada]))).toBe("did not");
    await sandbox.call(sync([ada]));
    expect(await lookFor(sync([ada]))).toEqual([{ id: expect.any(Number), status: "created" }]);
    expect(await lookFor(sync([ada], "createOnly"))).toHaveLength(1);
    // It was there before the call: nobody has changed it since.
    expect(await lookFor(sync([{ ...ada, firstName: "Another" }]), -600)).toBe("did not");
  });

  // "failed only where it certainly did not happen"
  test("a lead that was made or changed just then, or cannot be looked for, may be what became of the call", async () => {
    await sandbox.call(sync([ada]));
    const other = { ...ada, firstName: "Another" };
    expect(await lookFor(sync([other]))).toBe("in part");
    expect(await lookFor(sync([other], "updateOnly"))).toBe("in part");
    const byNumber = (...input: object[]) => {
      const call = sync(input);
      return { ...call, body: { ...call.body, lookupField: "customerNumber" } };
    };
    expect(await lookFor(byNumber({ customerNumber: "X-2" }, { firstName: "Nobody" }))).toBe("did not");
    expect(await lookFor(byNumber({ customerNumber: "X-2" }, { customerNumber: "X,3" }))).toBe("in part");
  });

  test("a partial match is no answer, and a call that allows duplicates cannot tell", async () => {
    await sandbox.call(sync([ada]));
    expect(await lookFor(sync([ada, bob]))).toBe("in part");
    expect(await lookFor(sync([ada, { firstName: "Nobody" }]))).toBe("in part");
    expect(await lookFor(sync([ada, bob], "createOnly"))).toBe("cannot tell");
    expect(await lookFor(sync([ada], "createDuplicate"))).toBe("cannot tell");
    const old = (await sandbox.get(`/rest/v1/leads.json?filterType=id&filterValues=${sandbox.ids.lead_id}`)).output;
    const [lead] = (old as { body: { result: { email: string }[] } }).body.result;
    expect(await lookFor(sync([{ email: lead?.email }]))).toEqual([{ id: sandbox.ids.lead_id, status: "updated" }]);
    expect(await lookFor(sync([{ email: lead?.email }], "createOnly"))).toBe("cannot tell");
  });
});

// "Look the lead up, give its id": the system keeps some values in another form than they were sent in.
describe("a lead that was made by a call whose answer was lost is known again", () => {
  const made = [{ id: expect.any(Number), status: "created" }];

  test.each<[string, object]>([
    ["an address in other case, and with spaces around it", { email: " Known.Again@Example.com " }],
    ["another address in other case", { assistantEmail: "Help@Example.com" }],
    ["text with spaces around it", { firstName: " Ada ", lastName: "Lovelace  " }],
    ["numbers as text", { seats: "007", satisfaction: "5.40", contractValue: "34.660" }],
    ["numbers as numbers", { seats: 7, satisfaction: 5.4 }],
    ["yes or no in words", { betaTester: "Yes", unsubscribed: 0 }],
    ["a yes-or-no that is cleared", { betaTester: null, unsubscribed: "" }],
    ["times of another zone, and with fractions", { lastDemoAt: "2026-08-30T07:49:48.250+02:00" }],
    ["a day as a time", { renewalDate: "2026-08-30T10:00:00Z" }],
  ])("%s", async (_, values) => {
    const rows = [{ email: "known.again@example.com", ...values }];
    const kept = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, trimmed(value)])),
    );
    await sandbox.call(sync(kept, "createOnly"));
    expect(await lookFor(sync(rows, "createOnly"))).toEqual(made);
    expect(await lookFor(sync(rows))).toEqual(made);
  });

  test.each<[string, object]>([
    ["another text", { firstName: "ada" }],
    ["another number", { seats: 8 }],
    ["another yes-or-no", { betaTester: false }],
    ["another time", { lastDemoAt: "2026-08-30T05:49:49Z" }],
    ["another day", { renewalDate: "2026-08-31" }],
  ])("%s is another value", async (_, values) => {
    const there = {
      firstName: "Ada",
      seats: 7,
      betaTester: true,
      lastDemoAt: "2026-08-30T05:49:48Z",
      renewalDate: "2026-08-30",
    };
    await sandbox.call(sync([{ email: "other@example.com", ...there }]));
    expect(await lookFor(sync([{ email: "other@example.com", ...there, ...values }]), -600)).toBe("did not");
  });

  // "Sent again, and 'skipped, 1005' becomes the step's success without an id": nothing is sent again while the lead is there.
  test("one that `createOnly` finds with other values leaves it open: a repeat would be skipped", async () => {
    await sandbox.call(sync([{ email: "changed@example.com", firstName: "Changed" }]));
    expect(await lookFor(sync([{ email: "changed@example.com", firstName: "Ada" }], "createOnly"))).toBe("cannot tell");
    const twice = [{ email: "changed@example.com" }, { email: "Changed@example.com" }];
    expect(await lookFor(sync(twice, "createOnly"))).toBe("cannot tell");
  });

  test("one that was made once the system can no longer be at work on it is another's", async () => {
    await sandbox.call(sync([{ email: "later@example.com" }]));
    expect(await lookFor(sync([{ email: "later@example.com" }], "createOnly"), 600)).toBe("cannot tell");
    expect(await lookFor(sync([{ email: "later@example.com" }]), 600)).toEqual([
      { id: expect.any(Number), status: "updated" },
    ]);
    expect(await lookFor(sync([{ email: "later@example.com" }], "createOnly"), 60)).toEqual(made);
  });
});

describe("a change of a list whose answer was lost is read back", () => {
  const change = (method: string) => ({
    method,
    endpoint: `/rest/v1/lists/${sandbox.ids.empty_list_id}/leads.json`,
    body: { input: [{ id: sandbox.ids.lead_id }] },
  });

  test("by its members", async () => {
    expect(await lookFor(change("POST"))).toBe("did not");
    expect(await lookFor(change("DELETE"))).toEqual([{ id: sandbox.ids.lead_id, status: "removed" }]);
    await sandbox.call(change("POST"));
    expect(await lookFor(change("POST"))).toEqual([{ id: sandbox.ids.lead_id, status: "added" }]);
    expect(await lookFor(change("DELETE"))).toBe("did not");
    expect(await lookFor({ ...change("POST"), body: { input: [{ id: 99_999_999 }] } })).toBe("cannot tell");
  });
});

test("a triggered campaign cannot be reconciled: a person decides", async () => {
  const endpoint = `/rest/v1/campaigns/${sandbox.ids.trigger_campaign_id}/trigger.json`;
  const body = { input: { leads: [{ id: sandbox.ids.lead_id }] } };
  expect(await lookFor({ method: "POST", endpoint, body })).toBe("cannot tell");
});
