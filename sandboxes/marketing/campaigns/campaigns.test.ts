import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing, type Row } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";

describe("campaigns", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  let start: string;
  beforeEach(async () => {
    await marketing.reset();
    start = await marketing.activitiesFromNow();
  });
  afterAll(() => marketing.stop());

  async function written(types: string): Promise<Row[]> {
    const path = `/rest/v1/activities.json?activityTypeIds=${types}&nextPageToken=${encodeURIComponent(start)}`;
    const { success, result } = await marketing.get(path);
    expect(success).toBe(true);
    return result ?? [];
  }
  const typesOf = (rows: Row[]) => rows.map(({ activityTypeId }) => activityTypeId);

  test("eight campaigns of both kinds, filtered and one by one", async () => {
    const { result } = await marketing.get("/rest/v1/campaigns.json");
    expectShape(result, [shapes.campaign]);
    expect(result).toHaveLength(8);
    expect((await marketing.get("/rest/v1/campaigns.json?isTriggerable=true")).result).toHaveLength(3);
    expect((await marketing.get("/rest/v1/campaigns.json?isTriggerable=0")).result).toHaveLength(5);
    const named = await marketing.get("/rest/v1/campaigns.json?programName=Spring%20Send&name=Send%20Welcome");
    expect(named.result.map(({ id }) => id)).toEqual([marketing.ids.trigger_campaign_id]);
    const one = await marketing.get(`/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}.json`);
    expect(one.result).toEqual(named.result);
    const { errors } = await marketing.get("/rest/v1/campaigns/9999999.json");
    expect(errors).toEqual([{ code: "1013", message: "Campaign not found" }]);
    expect(await marketing.codeOf("GET", "/rest/v1/campaigns.json?isTriggerable=perhaps")).toBe("1001");
  });

  describe("trigger", () => {
    const path = (id = marketing.ids.trigger_campaign_id) => `/rest/v1/campaigns/${id}/trigger.json`;
    const input = (...ids: unknown[]) => ({ input: { leads: ids.map((id) => ({ id })) } });

    test("the lead is asked for at once, and the e-mail goes its way by the clock", async () => {
      const before = (await marketing.get("/rest/asset/v1/program/1001/stats.json")).result[0] as Row;
      const tokens = [{ name: "{{my.message}}", value: "Hello" }];
      const body = { input: { ...input(marketing.ids.lead_id).input, tokens } };
      expect((await marketing.post(path(), body)).result).toEqual([{ id: marketing.ids.trigger_campaign_id }]);
      expect(typesOf(await written("47,6,10,11"))).toEqual([47, 6]);
      await marketing.advance(600);
      const rows = await written("47,6,7,8,27,10,11");
      expectShape(rows, [shapes.activity]);
      expect(typesOf(rows)).toEqual([47, 6, 7, 10, 11]);
      expect(rows.every(({ campaignId }) => campaignId === marketing.ids.trigger_campaign_id)).toBe(true);
      const after = (await marketing.get("/rest/asset/v1/program/1001/stats.json")).result[0];
      const oneMore = ["sent", "delivered", "opened", "clicked"].map((name) => [name, (before[name] as number) + 1]);
      expect(after).toEqual({ ...before, ...Object.fromEntries(oneMore) });
    });

    test("addresses that begin with bounce or softbounce do, and nobody writes to those who asked not to", async () => {
      const rows = [
        { email: "bounce.me@example.com" },
        { email: "softbounce.me@example.com" },
        { email: "leave.me@example.com", unsubscribed: true },
      ];
      const { result } = await marketing.post("/rest/v1/leads.json", { input: rows });
      await marketing.post(path(), input(...result.map(({ id }) => id)));
      await marketing.advance(5);
      expect(typesOf(await written("47,6,7,8,27"))).toEqual([47, 47, 47, 6, 6, 8, 27]);
    });

    test("one unknown lead refuses the whole call, and nothing happens", async () => {
      const { errors } = await marketing.post(path(), input(marketing.ids.lead_id, 9_999_999));
      expect(errors).toEqual([{ code: "1004", message: "Lead [9999999] not found" }]);
      expect(await written("47")).toEqual([]);
    });

    test("only an active trigger campaign that can be requested is triggered", async () => {
      const {
        batch_campaign_id: batch,
        inactive_campaign_id: inactive,
        unrequestable_campaign_id: other,
      } = marketing.ids;
      const json = input(marketing.ids.lead_id);
      for (const id of [batch, inactive, other])
        expect(await marketing.codeOf("POST", path(id), { json })).toBe("1003");
      expect(await marketing.codeOf("POST", path(9_999_999), { json })).toBe("1013");
    });

    test("a hundred leads at most, and at least one", async () => {
      const ids = Array.from({ length: 101 }, (_, index) => 1001 + index);
      expect(await marketing.codeOf("POST", path(), { json: input(...ids) })).toBe("1003");
      expect((await marketing.post(path(), input(...ids.slice(1)))).success).toBe(true);
      expect(await marketing.codeOf("POST", path(), { json: input() })).toBe("1003");
      expect(await marketing.codeOf("POST", path(), { json: {} })).toBe("1002");
      expect(await marketing.codeOf("POST", path(), { json: input("abc") })).toBe("1001");
    });

    test("a token needs its braces, and must exist where the campaign stands", async () => {
      const { leads } = input(marketing.ids.lead_id).input;
      for (const name of ["my.message", "{{lead.x}}", "{{my.unknown}}"]) {
        const json = { input: { leads, tokens: [{ name, value: "x" }] } };
        expect(await marketing.codeOf("POST", path(), { json })).toBe("1003");
      }
    });
  });

  describe("schedule", () => {
    const path = (id = marketing.ids.batch_campaign_id) => `/rest/v1/campaigns/${id}/schedule.json`;
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const schedule = (input: object) => marketing.post(path(), { input });

    test("without a body it runs in five minutes, for everybody on its list", async () => {
      expect((await marketing.call("POST", path())).result).toEqual([{ id: marketing.ids.batch_campaign_id }]);
      await marketing.advance(290);
      expect(await written("6")).toEqual([]);
      await marketing.advance(20);
      const sent = await written("6");
      expect(sent.length).toBeGreaterThan(8);
      expect(sent.length).toBeLessThanOrEqual(12);
    });

    test("it runs when it was told to", async () => {
      await schedule({ runAt: inMinutes(30), tokens: [{ name: "{{my.message}}", value: "Hello" }] });
      await marketing.advance(29 * 60);
      expect(await written("6")).toEqual([]);
      await marketing.advance(90);
      expect((await written("6")).length).toBeGreaterThan(0);
    });

    test("too soon, too late and no time at all are refused, and so is a trigger campaign", async () => {
      const codeOf = (runAt: string) => marketing.codeOf("POST", path(), { json: { input: { runAt } } });
      expect(await codeOf(inMinutes(2))).toBe("1003");
      expect(await codeOf(inMinutes(3 * 365 * 1440))).toBe("1042");
      expect(await codeOf("tomorrow")).toBe("1001");
      expect(await marketing.codeOf("POST", path(marketing.ids.trigger_campaign_id), { json: {} })).toBe("1003");
      expect(await marketing.codeOf("POST", path(9_999_999))).toBe("1013");
    });

    test("a clone of the program runs instead, within the day's allowance", async () => {
      await marketing.setLimits({ schedule_clones_per_day: 1 });
      expect((await schedule({ cloneToProgramName: "Survey copy" })).success).toBe(true);
      const { result } = await marketing.get("/rest/asset/v1/program/byName.json?name=Survey%20copy");
      expect(result).toHaveLength(1);
      expect((await schedule({ cloneToProgramName: "Survey copy" })).errors[0]?.code).toBe("1003");
      expect((await schedule({ cloneToProgramName: "Another copy" })).errors[0]?.code).toBe("1020");
    });
  });
});
