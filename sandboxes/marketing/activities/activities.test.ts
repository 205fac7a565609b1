import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Envelope, type OpenMarketing, openMarketing, type Row } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";

describe("activities", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const since = async (moment: string) =>
    (await marketing.get(`/rest/v1/activities/pagingtoken.json?sinceDatetime=${encodeURIComponent(moment)}`))
      .nextPageToken;
  const fromNow = () => marketing.activitiesFromNow();
  const page = (path: string, token: string, more = "") =>
    marketing.get(`/rest/v1/${path}?nextPageToken=${encodeURIComponent(token)}${more}`);

  async function readAll(path: string, token: string, more: string): Promise<Row[]> {
    const rows: Row[] = [];
    let next: Envelope;
    do {
      next = await page(path, token, more);
      rows.push(...(next.result ?? []));
      token = next.nextPageToken;
    } while (next.moreResult);
    return rows;
  }

  test("a paging token comes alone, for a moment in any spelling", async () => {
    for (const moment of [
      "2026-03-01T00:00:00Z",
      "2026-03-01",
      "2026-03-01T00:00:00+0000",
      "2026-03-01T01:00:00+01:00",
    ]) {
      const path = `/rest/v1/activities/pagingtoken.json?sinceDatetime=${encodeURIComponent(moment)}`;
      expect(Object.keys(await marketing.get(path)).sort()).toEqual(["nextPageToken", "requestId", "success"]);
    }
  });

  test("an empty page has a token and no result, and the token goes on from there", async () => {
    const empty = await page("activities.json", await fromNow(), "&activityTypeIds=12&leadIds=&assetIds=");
    expect(empty).not.toHaveProperty("result");
    expect(empty.moreResult).toBe(false);
    await marketing.post("/rest/v1/leads.json", { input: [{ email: "late@example.com" }] });
    const next = await page("activities.json", empty.nextPageToken, "&activityTypeIds=12");
    expectShape(next.result, [shapes.activity]);
    expect(next.result).toHaveLength(1);
  });

  test("what the API does to a lead can be read back as lead changes", async () => {
    const token = await fromNow();
    const sync = (row: object) =>
      marketing.post("/rest/v1/leads.json", { input: [{ email: "ada@example.com", ...row }] });
    await sync({ firstName: "A." });
    await sync({ firstName: "Ada", lastName: "B" });
    await sync({ firstName: "Ada" });
    const { result, moreResult } = await page("activities/leadchanges.json", token, "&fields=firstName");
    expectShape(result, [shapes.leadChange]);
    expect(moreResult).toBe(false);
    expect(result.map(({ activityTypeId }) => activityTypeId)).toEqual([12, 13]);
    expect(result[1]).toMatchObject({
      leadId: 6001,
      fields: [{ name: "firstName", oldValue: "A.", newValue: "Ada" }],
      attributes: [
        { name: "Reason", value: "Web service API" },
        { name: "Source", value: "Web service API" },
      ],
    });
  });

  test("list changes and deletions leave their activities", async () => {
    const token = await fromNow();
    const path = `/rest/v1/lists/${marketing.ids.empty_list_id}/leads.json`;
    await marketing.post(path, { input: [{ id: 1001 }] });
    await marketing.post(path, { input: [{ id: 1001 }] });
    await marketing.call("DELETE", `${path}?id=1001`);
    await marketing.post("/rest/v1/leads/delete.json", { input: [{ id: 1001 }] });
    const { result } = await page("activities.json", token, "&activityTypeIds=24,25,37&leadIds=1001");
    expect(result.map(({ activityTypeId }) => activityTypeId)).toEqual([24, 25, 37]);
    expect(result[0]).toMatchObject({ primaryAttributeValueId: 1012, primaryAttributeValue: "Empty List" });
    expect((await page("activities/deletedleads.json", token)).result).toMatchObject([{ leadId: 1001 }]);
  });

  test("types are told with their attributes", async () => {
    const { result } = await marketing.get("/rest/v1/activities/types.json");
    expectShape(result, [shapes.activityType]);
    expect(result.map(({ id }) => id)).toEqual(
      expect.arrayContaining([1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 24, 25, 27, 37, 47]),
    );
  });

  test("bounces and opens have paths of their own, which agree with the documented one", async () => {
    const token = await since("2000-01-01");
    const bounced = await readAll("activities/emailbounced.json", token, "");
    expectShape(bounced.slice(0, 50), [shapes.activity]);
    expect(new Set(bounced.map(({ activityTypeId }) => activityTypeId))).toEqual(new Set([8, 27]));
    expect(bounced).toEqual(await readAll("activities.json", token, "&activityTypeIds=8,27"));
    const opened = await readAll("activities/emailopened.json", token, "");
    expect(opened).toEqual(await readAll("activities.json", token, "&activityTypeIds=10"));
    expect((await marketing.get("/rest/v1/activities/emailbounced.json")).result[0]).toEqual(bounced[0]);
    await marketing.setLimits({ undocumented_paths: false });
    for (const path of ["emailbounced", "emailopened"]) {
      expect(await marketing.codeOf("GET", `/rest/v1/activities/${path}.json`)).toBe("610");
    }
  });

  test("a narrow filter can meet empty pages with more to come", async () => {
    await marketing.setLimits({ activity_scan_rows: 500 });
    const first = await page("activities.json", await since("2000-01-01"), "&activityTypeIds=11");
    expect(first).not.toHaveProperty("result");
    expect(first.moreResult).toBe(true);
  });

  test("assets, leads and lists narrow the answer", async () => {
    const token = await since("2000-01-01");
    const sent = await readAll("activities.json", token, `&activityTypeIds=6&assetIds=${marketing.ids.email_id}`);
    expect(new Set(sent.map(({ primaryAttributeValueId }) => primaryAttributeValueId))).toEqual(new Set([1101]));
    const listed = await readAll("activities.json", token, "&activityTypeIds=24&listId=1011");
    expect(new Set(listed.map(({ leadId }) => leadId)).size).toBe(12);
  });

  test.each([
    ["no moment for a token", "activities/pagingtoken.json?sinceDatetime=", "1002"],
    ["a moment that is none", "activities/pagingtoken.json?sinceDatetime=yesterday", "1001"],
    ["no token", "activities.json?activityTypeIds=6", "1002"],
    ["no token for changes", "activities/leadchanges.json?fields=email", "1002"],
    ["a made-up token", "activities.json?activityTypeIds=6&nextPageToken=WQV2VQ%3D%3D", "1003"],
    ["a type that is no number", "activities/emailbounced.json?assetIds=abc", "1001"],
    ["an unknown list", "activities/emailopened.json?listId=9999999", "1013"],
  ])("%s is refused", async (_, path, code) => {
    expect(await marketing.codeOf("GET", `/rest/v1/${path}`)).toBe(code);
  });

  test("too many types, too many leads, several types with assets, and changes of no field are refused", async () => {
    const token = encodeURIComponent(await fromNow());
    const codeOf = (path: string) => marketing.codeOf("GET", `/rest/v1/${path}&nextPageToken=${token}`);
    expect(await codeOf("activities.json?activityTypeIds=1,2,6,7,8,9,10,11,12,13,24")).toBe("1003");
    const leadIds = Array.from({ length: 31 }, (_, index) => 1001 + index).join(",");
    expect(await codeOf(`activities.json?activityTypeIds=6&leadIds=${leadIds}`)).toBe("1003");
    expect(await codeOf("activities.json?activityTypeIds=6,7&assetIds=1101")).toBe("1003");
    expect(await codeOf("activities.json?x=")).toBe("1002");
    expect(await codeOf("activities/leadchanges.json?x=")).toBe("1002");
    expect(await codeOf("activities/leadchanges.json?fields=shoeSize")).toBe("1006");
    await marketing.setLimits({ activity_list_leads: 100 });
    expect(await codeOf("activities.json?activityTypeIds=6&listId=1001")).toBe("1003");
  });
});
