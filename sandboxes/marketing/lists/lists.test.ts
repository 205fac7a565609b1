import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";

describe("static lists", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const members = (list = marketing.ids.empty_list_id) => `/rest/v1/lists/${list}/leads.json`;

  test("twelve lists, by id, by name, and page by page", async () => {
    const { result } = await marketing.get("/rest/v1/lists.json?name=&programName=");
    expectShape(result, [shapes.list]);
    expect(result).toHaveLength(12);
    expect((await marketing.get("/rest/v1/lists.json?id=1001,1003")).result.map(({ id }) => id)).toEqual([1001, 1003]);
    expect((await marketing.get("/rest/v1/lists.json?id=1001&id=1003")).result).toHaveLength(2);
    expect((await marketing.get("/rest/v1/lists.json?name=Customers")).result).toHaveLength(1);
    const first = await marketing.get("/rest/v1/lists.json?batchSize=7");
    const token = encodeURIComponent(first.nextPageToken);
    const second = await marketing.get(`/rest/v1/lists.json?batchSize=7&nextPageToken=${token}`);
    expect([...first.result, ...second.result]).toEqual(result);
    expect(second).not.toHaveProperty("nextPageToken");
    expect((await marketing.get(`/rest/v1/lists/${marketing.ids.list_id}.json`)).result).toEqual([result[0]]);
  });

  test("members page by 300, through either spelling of the path", async () => {
    const first = await marketing.get(members(marketing.ids.list_id));
    expectShape(first.result, [shapes.defaultLead]);
    expect(first.result).toHaveLength(300);
    expect(first.nextPageToken).toBeTruthy();
    const old = await marketing.call("POST", `/rest/v1/list/${marketing.ids.list_id}/leads.json`, {
      form: { listId: String(marketing.ids.list_id), _method: "GET" },
    });
    expect(old.result).toEqual(first.result);
    expect((await marketing.get(members())).result).toEqual([]);
  });

  test("adding answers added, also for a member; an unknown lead is skipped and keeps its id", async () => {
    const { lead_id: lead } = marketing.ids;
    const json = { input: [{ id: lead }, { id: 9_999_999 }] };
    const { result } = await marketing.call("POST", members(), { json });
    expectShape(result, [shapes.rowResult]);
    expect(result).toEqual([
      { id: lead, status: "added" },
      { id: 9_999_999, status: "skipped", reasons: [{ code: "1004", message: "Lead not found" }] },
    ]);
    expect((await marketing.call("POST", `${members()}?id=${lead}`)).result).toEqual([{ id: lead, status: "added" }]);
    expect((await marketing.get(members())).result).toHaveLength(1);
  });

  test("removing works by query, by body and by a POST that means it; a stranger is skipped with 1015", async () => {
    const { lead_id: lead } = marketing.ids;
    const add = () => marketing.post(members(), { input: [{ id: lead }] });
    await add();
    expect((await marketing.call("DELETE", `${members()}?id=${lead}&id=1001`)).result).toEqual([
      { id: lead, status: "removed" },
      { id: 1001, status: "skipped", reasons: [{ code: "1015", message: "Lead not in list" }] },
    ]);
    const json = { input: [{ id: lead }] };
    await add();
    expect((await marketing.call("DELETE", members(), { json })).result).toEqual([{ id: lead, status: "removed" }]);
    await add();
    const posted = await marketing.call("POST", `${members()}?_method=DELETE`, { json });
    expect(posted.result).toEqual([{ id: lead, status: "removed" }]);
    await add();
    const byForm = await marketing.call("POST", members(), { form: { _method: "DELETE", id: String(lead) } });
    expect(byForm.result).toEqual([{ id: lead, status: "removed" }]);
  });

  test("ismember tells member, stranger and nobody apart", async () => {
    await marketing.post(members(), { input: [{ id: 1001 }] });
    const path = `/rest/v1/lists/${marketing.ids.empty_list_id}/leads/ismember.json`;
    expect((await marketing.get(`${path}?id=1001,1002,9999999`)).result.map(({ status }) => status)).toEqual([
      "memberof",
      "notmemberof",
      "skipped",
    ]);
  });

  test("an unknown list, no ids, too many ids and an id that is none are refused", async () => {
    expect(await marketing.codeOf("GET", members(9_999_999))).toBe("1013");
    expect(await marketing.codeOf("GET", "/rest/v1/lists/9999999.json")).toBe("1013");
    const { errors } = await marketing.post(members(), { input: [] });
    expect(errors).toEqual([{ code: "1003", message: "Lead ids not specified" }]);
    expect(await marketing.codeOf("DELETE", members())).toBe("1003");
    const input = Array.from({ length: 301 }, (_, index) => ({ id: 1001 + index }));
    expect(await marketing.codeOf("POST", members(), { json: { input } })).toBe("1003");
    expect(await marketing.codeOf("POST", `${members()}?id=abc`)).toBe("1001");
    expect(await marketing.codeOf("POST", members(), { form: { id: "1001" } })).toBe("612");
  });
});
