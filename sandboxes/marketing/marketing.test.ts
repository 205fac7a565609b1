import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Field, fieldsByName } from "./leads/fields.ts";
import type { Lead } from "./leads/lead-table.ts";
import { seedInstance } from "./seed/seed-instance.ts";
import { type OpenMarketing, openMarketing } from "./testing/open-marketing.ts";

describe("the marketing sandbox at the control API", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const leads = "/rest/v1/leads.json";

  test("tells credentials, ids and limits", () => {
    const { system, credentials, ids, limits } = marketing.description;
    expect(system).toBe("marketing");
    expect(credentials).toMatchObject({
      client_id: expect.any(String),
      client_secret: expect.any(String),
      rest_endpoint: `${marketing.url}/rest`,
    });
    expect(ids).toMatchObject({
      list_id: expect.any(Number),
      trigger_campaign_id: expect.any(Number),
      lead_id: expect.any(Number),
    });
    expect(limits).toMatchObject({ rate_calls: 100, rate_seconds: 20, concurrent_calls: 10, daily_calls: 50_000 });
  });

  test("a fault takes the place of the next calls, and only of those", async () => {
    const body = { requestId: "1#1", success: false, errors: [{ code: "604", message: "Request time-out" }] };
    await marketing.control("/faults", { match: { method: "GET", path: leads }, times: 2, status: 200, body });
    const path = `${leads}?filterType=id&filterValues=1001`;
    for (const success of [false, false, true]) {
      expect(await (await marketing.send("GET", path)).json()).toMatchObject({ success });
    }
  });

  test("a connection cut after the write leaves the write done", async () => {
    await marketing.control("/faults", { match: { method: "POST", path: leads }, times: 1, drop: "after" });
    const json = { input: [{ email: "cut@example.com" }] };
    await expect(marketing.send("POST", leads, { json })).rejects.toThrow();
    expect((await marketing.get(`${leads}?filterType=email&filterValues=cut@example.com`)).result).toHaveLength(1);
  });

  test("a reset brings back records, limits and clock", async () => {
    const { lead_id: id, list_id: list } = marketing.ids;
    const before = await marketing.get(`${leads}?filterType=id&filterValues=${id}`);
    await marketing.post(leads, { input: [{ email: marketing.ids.lead_email, firstName: "Other" }] });
    await marketing.post("/rest/v1/leads/delete.json", { input: [{ id: 1001 }] });
    await marketing.call("POST", `/rest/asset/v1/staticList/${list}/delete.json`);
    await marketing.setLimits({ token_life_seconds: 5, undocumented_paths: false });
    await marketing.advance(1000);
    await marketing.reset();
    expect((await marketing.get(`${leads}?filterType=id&filterValues=${id}`)).result).toEqual(before.result);
    expect((await marketing.get(`${leads}?filterType=id&filterValues=1001`)).result).toHaveLength(1);
    expect((await marketing.get(`/rest/v1/lists/${list}.json`)).success).toBe(true);
    const { limits } = await marketing.control<{ limits: object }>("");
    expect(limits).toEqual({ ...marketing.description.limits, rate_calls: null });
  });

  test("the request log names the client", async () => {
    await marketing.get("/rest/v1/lists.json");
    const { requests } = await marketing.control<{ requests: object[] }>("/requests");
    const { client_id: identity } = marketing.description.credentials;
    expect(requests).toEqual([
      { at: expect.any(String), method: "GET", path: "/rest/v1/lists.json", status: 200, identity },
    ]);
  });
});

describe("the seed", () => {
  const moment = Date.parse("2026-03-02T10:00:00Z");

  test("is the same every time, whatever happens to an earlier instance", () => {
    const { instance, ids } = seedInstance(moment);
    const before = structuredClone([
      [...instance.leads.all()],
      instance.programMembers,
      instance.lists,
      instance.emails,
    ]);
    const lead = instance.leads.find(1001) as Lead;
    for (const [name, value] of [
      ["firstName", "Other"],
      ["lastName", null],
    ] as const)
      instance.leads.change(lead, fieldsByName.get(name) as Field, value);
    for (const members of instance.programMembers.values()) {
      const [id] = members.keys();
      for (const member of members.values()) member.status = "Other";
      members.delete(Number(id));
    }
    for (const list of instance.lists.values()) list.members.clear();
    for (const email of instance.emails.values()) email.approved = null;
    const { instance: next, ids: nextIds } = seedInstance(moment + 3_600_000);
    expect(nextIds).toEqual(ids);
    expect([[...next.leads.all()], next.programMembers, next.lists, next.emails]).toEqual(before);
    expect(next.activities.length).toBe(instance.activities.length);
  });

  test("holds what was promised, in an order that can have happened", () => {
    const { instance } = seedInstance(moment);
    expect(instance.leads.size).toBe(5000);
    expect([instance.lists.size, instance.campaigns.size, instance.emails.size]).toEqual([12, 8, 30]);
    let before = 0;
    for (let index = 0; index < instance.activities.length; index++) {
      const activity = instance.activities.at(index);
      const { at = 0, leadId = 0 } = activity ?? {};
      expect(at >= before && at < moment && at >= (instance.leads.find(leadId)?.createdAt ?? 0) - 60_000).toBe(true);
      before = at;
    }
  });
});
