import { describe, expect, test } from "vitest";
import { driveWork } from "../../../../test/support/systems/drive-step.ts";
import { useMarketingSteps } from "../../../../test/support/systems/marketing-steps.ts";
import { marketingApiCall } from "../steps/marketing-api-call.ts";
import { marketing } from "../system.ts";

const sandbox = useMarketingSteps();

/** What looking finds out about a call whose answer was lost; nothing is sent that writes. */
async function lookFor(input: Record<string, unknown>) {
  const context = { intentId: "int_test", now: new Date(), identity: sandbox.at.identity, askedAt: new Date() };
  const work = marketingApiCall.reconcile?.(marketingApiCall.input.parse(input), context);
  if (!work) throw new Error("It has no way to look.");
  const { result, requests } = await driveWork(work, marketing, sandbox.at);
  expect(requests.every(({ effect }) => effect === "read")).toBe(true);
  return typeof result === "string" ? result : (result.output as { body: { result: object[] } }).body.result;
}

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
    expect(await lookFor(sync([{ ...ada, firstName: "Another" }]))).toBe("did not");
  });

  test("a partial match, or a call that allows duplicates, cannot tell", async () => {
    await sandbox.call(sync([ada]));
    expect(await lookFor(sync([ada, bob]))).toBe("cannot tell");
    expect(await lookFor(sync([ada], "createDuplicate"))).toBe("cannot tell");
    const old = (await sandbox.get(`/rest/v1/leads.json?filterType=id&filterValues=${sandbox.ids.lead_id}`)).output;
    const [lead] = (old as { body: { result: { email: string }[] } }).body.result;
    expect(await lookFor(sync([{ email: lead?.email }]))).toEqual([{ id: sandbox.ids.lead_id, status: "updated" }]);
    expect(await lookFor(sync([{ email: lead?.email }], "createOnly"))).toBe("cannot tell");
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
