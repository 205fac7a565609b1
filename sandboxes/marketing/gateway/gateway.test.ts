import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";

describe("what is refused before a call is carried out", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  afterAll(() => marketing.stop());

  const lists = "/rest/v1/lists.json";

  test("no token is 600, an unknown one 601, an ended one 602: each in HTTP 200", async () => {
    const bare = await fetch(marketing.url + lists);
    expect(bare.status).toBe(200);
    expect(await bare.json()).toMatchObject({ success: false, errors: [{ code: "600" }] });
    const { errors } = await marketing.call("GET", lists, { token: "nonsense" });
    expect(errors).toEqual([{ code: "601", message: "Access token invalid" }]);
    await marketing.advance(3600);
    expect((await marketing.get(lists)).errors).toEqual([{ code: "602", message: "Access token expired" }]);
    await marketing.renewToken();
    expect((await marketing.get(lists)).success).toBe(true);
    await marketing.setLimits({ revoke_tokens: true });
    expect(await marketing.codeOf("GET", lists)).toBe("601");
    await marketing.renewToken();
  });

  test("a token's life can be set", async () => {
    await marketing.setLimits({ token_life_seconds: 10, revoke_tokens: true });
    await marketing.renewToken();
    await marketing.advance(10);
    expect(await marketing.codeOf("GET", lists)).toBe("602");
    await marketing.setLimits({ token_life_seconds: 3600 });
    await marketing.renewToken();
  });

  test("a token in the address is not read, unless the switch for old clients is on", async () => {
    const address = `${marketing.url}${lists}?access_token=${await marketing.tokenOf()}`;
    expect(await (await fetch(address)).json()).toMatchObject({ errors: [{ code: "600" }] });
    await marketing.setLimits({ accept_query_token: true });
    expect(await (await fetch(address)).json()).toMatchObject({ success: true });
    await marketing.setLimits({ accept_query_token: false });
  });

  test("an unknown path is 610 and a wrong verb 605", async () => {
    expect((await marketing.get("/rest/v1/nothing.json")).errors[0]).toEqual({
      code: "610",
      message: "Requested resource not found",
    });
    expect(await marketing.codeOf("GET", "/rest//v1/lists.json")).toBe("610");
    expect((await marketing.call("PUT", lists)).errors[0]).toEqual({
      code: "605",
      message: "Request method 'PUT' not supported",
    });
    expect(await marketing.codeOf("GET", `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`)).toBe(
      "605",
    );
  });

  test("permissions decide: the reading client may not write, the powerless one may do nothing", async () => {
    const { read_only: readOnly, no_permissions: powerless } = marketing.description.credentials;
    const reader = await marketing.tokenOf(readOnly);
    const nobody = await marketing.tokenOf(powerless);
    const { ids } = marketing;
    expect((await marketing.call("GET", lists, { token: reader })).success).toBe(true);
    for (const path of [
      "/rest/v1/leads.json",
      `/rest/v1/lists/${ids.list_id}/leads.json`,
      `/rest/v1/campaigns/${ids.trigger_campaign_id}/trigger.json`,
      `/rest/v1/campaigns/${ids.batch_campaign_id}/schedule.json`,
      `/rest/asset/v1/email/${ids.email_with_draft_id}/approveDraft.json`,
    ]) {
      const { errors } = await marketing.call("POST", path, { json: {}, token: reader });
      expect(errors).toEqual([{ code: "603", message: "Access denied" }]);
    }
    for (const path of [lists, "/rest/v1/leads.json", "/rest/v1/activities.json", "/rest/asset/v1/programs.json"]) {
      expect(await marketing.codeOf("GET", path, { token: nobody })).toBe("603");
    }
  });

  test("an address over 8 KB is HTTP 414 and a body over 1 MB is HTTP 413, however far over", async () => {
    for (const length of [8200, 40_000]) {
      expect((await marketing.send("GET", `${lists}?name=${"x".repeat(length)}`)).status).toBe(414);
    }
    const long = { input: [{ email: "a@example.com", accountNotes: "x".repeat(1024 * 1024) }] };
    expect((await marketing.send("POST", "/rest/v1/leads.json", { json: long })).status).toBe(413);
  });

  test("the same long question is answered as a POST that means GET", async () => {
    const filterValues = Array.from({ length: 300 }, (_, index) => `somebody.with.a.long.name.${index}@example.com`);
    filterValues[299] = marketing.ids.lead_email;
    const form = { filterType: "email", filterValues: filterValues.join(",") };
    const path = "/rest/v1/leads.json";
    const byQuery = await marketing.call("POST", `${path}?_method=GET`, { form });
    expect(byQuery.result.map(({ id }) => id)).toEqual([marketing.ids.lead_id]);
    const byForm = await marketing.call("POST", path, { form: { ...form, _method: "GET" } });
    expect(byForm.result).toEqual(byQuery.result);
  });

  test("a lead write that is not JSON is 612, and broken JSON is 609", async () => {
    const path = "/rest/v1/leads.json";
    expect(await marketing.codeOf("POST", path, { raw: ["text/plain", "{}"] })).toBe("612");
    expect(await marketing.codeOf("POST", path, { form: "input=1" })).toBe("612");
    expect(await marketing.codeOf("POST", path, { raw: ["application/json", "{"] })).toBe("609");
    expect(await marketing.codeOf("POST", path, { raw: ["application/json", "[]"] })).toBe("609");
    expect(await marketing.codeOf("POST", path, { raw: ["application/json;charset=utf-8", "{}"] })).toBe("1002");
  });

  test("the request id ends in the time, in hexadecimal", async () => {
    const now = Date.parse("2030-01-02T03:04:05.678Z");
    await marketing.renewToken();
    const { now: set } = await marketing.control<{ now: string }>("/clock", { now });
    await marketing.renewToken();
    const envelope = (await marketing.get(lists)) as unknown as { requestId: string };
    const time = Number.parseInt(envelope.requestId.split("#")[1] ?? "", 16);
    expect(time).toBeGreaterThanOrEqual(Date.parse(set) - 1);
    expect(time).toBeLessThan(now + 600_000);
  });
});
