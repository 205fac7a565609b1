import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";

describe("leads", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  afterAll(() => marketing.stop());

  const leads = "/rest/v1/leads.json";
  const query = (type: string, values: string | number, more = "") =>
    marketing.get(`${leads}?filterType=${type}&filterValues=${values}${more}`);

  describe("query", () => {
    test("one lead by e-mail, in either case, with the usual fields", async () => {
      const { result, ...rest } = await query("email", marketing.ids.lead_email.toUpperCase());
      expectShape(result, [shapes.defaultLead]);
      expect(result.map(({ id }) => id)).toEqual([marketing.ids.lead_id]);
      expect(Object.keys(rest).sort()).toEqual(["requestId", "success"]);
    });

    test("no match is an empty list", async () => {
      expect((await query("email", "nobody@example.com")).result).toEqual([]);
    });

    test("one address can belong to several leads", async () => {
      expect((await query("email", marketing.ids.duplicate_email)).result).toHaveLength(2);
    });

    test("fields asked for come with the id, custom ones too; unset is null, an unset yes-or-no is false", async () => {
      await marketing.post(leads, { input: [{ email: "fields@example.com", seats: 5 }] });
      const { result } = await query("email", "fields@example.com", "&fields=email,seats,betaTester,fax,renewalDate");
      expect(result).toEqual([
        {
          id: expect.any(Number),
          email: "fields@example.com",
          seats: 5,
          betaTester: false,
          fax: null,
          renewalDate: null,
        },
      ]);
    });

    test("custom fields of the right type can be searched", async () => {
      const { result } = await query("customerNumber", "c-10001,C-10002", "&fields=customerNumber");
      expect(result).toEqual([
        { id: 1001, customerNumber: "C-10001" },
        { id: 1002, customerNumber: "C-10002" },
      ]);
    });

    test("more than a page goes on with a token, and ends without one", async () => {
      const ids = Array.from({ length: 250 }, (_, index) => 1001 + index);
      const seen: unknown[] = [];
      let token = "";
      do {
        const page: Awaited<ReturnType<typeof query>> = await query("id", ids.join(","), `&batchSize=100${token}`);
        seen.push(...page.result.map(({ id }) => id));
        expect(page).not.toHaveProperty("moreResult");
        token = page.nextPageToken ? `&nextPageToken=${encodeURIComponent(page.nextPageToken)}` : "";
      } while (token);
      expect(seen).toEqual(ids);
    });

    test.each([
      ["no filter type", "filterValues=1", "1002"],
      ["no filter values", "filterType=id&filterValues=", "1002"],
      ["an unknown field to search by", "filterType=shoeSize&filterValues=1", "1006"],
      ["a field that cannot be searched", "filterType=firstName&filterValues=Ada", "1011"],
      ["a custom field of a type that cannot be searched", "filterType=renewalDate&filterValues=2026-01-01", "1011"],
      ["an id that is no number", "filterType=id&filterValues=abc", "1001"],
      ["an unknown field to show", "filterType=id&filterValues=1&fields=shoeSize", "1006"],
      ["too many matches", "filterType=leadPartitionId&filterValues=1", "1003"],
      ["too many values", `filterType=id&filterValues=${Array.from({ length: 301 }, () => 1).join(",")}`, "1003"],
      ["a token that was never given out", "filterType=id&filterValues=1&nextPageToken=AAAA", "1003"],
      ["a page size that is no number", "filterType=id&filterValues=1&batchSize=many", "1001"],
    ])("%s is refused", async (_, parameters, code) => {
      expect(await marketing.codeOf("GET", `${leads}?${parameters}`)).toBe(code);
    });

    test("one lead by its id in the path", async () => {
      const { result } = await marketing.get(`/rest/v1/lead/${marketing.ids.lead_id}.json`);
      expectShape(result, [shapes.defaultLead]);
      expect(await marketing.codeOf("GET", "/rest/v1/lead/9999999.json")).toBe("1004");
      expect(await marketing.codeOf("GET", "/rest/v1/lead/abc.json")).toBe("1001");
    });
  });

  describe("sync", () => {
    const sync = (body: object) => marketing.post(leads, body);
    const firstReason = async (body: object) => {
      const { result } = await sync(body);
      expectShape(result, [shapes.rowResult]);
      expect(result[0]).not.toHaveProperty("id");
      const [row] = result as { reasons: { code: string }[] }[];
      return row?.reasons[0];
    };

    test("rows are answered in order: created, updated, skipped without an id", async () => {
      const { result } = await sync({
        input: [
          { email: "new@example.com", firstName: "Ada" },
          { email: marketing.ids.lead_email, lastName: "Changed" },
          { email: "bad@example.com", seats: 14.1 },
        ],
      });
      expect(result).toEqual([
        { id: expect.any(Number), status: "created" },
        { id: marketing.ids.lead_id, status: "updated" },
        {
          status: "skipped",
          reasons: [{ code: "1003", message: "Invalid value for field 'seats' and value '14.1'" }],
        },
      ]);
      expect((await query("email", "new@example.com")).result[0]).toMatchObject({ firstName: "Ada", lastName: null });
      expect((await query("email", "bad@example.com")).result).toEqual([]);
    });

    test("every type of custom field comes back in its own type", async () => {
      const values = {
        customerNumber: "X-1",
        accountNotes: "text is here",
        betaTester: true,
        assistantEmail: "help@example.com",
        seats: 5,
        satisfaction: 5.4,
        lastDemoAt: "2020-08-30T05:49:48Z",
        renewalDate: "2020-08-30",
        engagementScore: 10,
        discountPercent: 99,
        contractValue: 34.66,
      };
      await sync({ input: [{ email: "typed@example.com", ...values }] });
      const { result } = await query("email", "typed@example.com", `&fields=${Object.keys(values).join(",")}`);
      expect(result[0]).toEqual({ id: expect.any(Number), ...values });
    });

    test("null and the empty text clear a field", async () => {
      await sync({ input: [{ email: "clear@example.com", firstName: "Ada", lastName: "B", betaTester: true }] });
      await sync({ input: [{ email: "clear@example.com", firstName: null, lastName: "", betaTester: null }] });
      const { result } = await query("email", "clear@example.com", "&fields=firstName,lastName,betaTester");
      expect(result[0]).toMatchObject({ firstName: null, lastName: null, betaTester: false });
    });

    test("createOnly refuses a known lead, updateOnly an unknown one, createDuplicate makes another", async () => {
      const email = "twice@example.com";
      await sync({ input: [{ email }] });
      expect(await firstReason({ action: "createOnly", input: [{ email }] })).toEqual({
        code: "1005",
        message: "Lead already exists",
      });
      expect(await firstReason({ action: "updateOnly", input: [{ email: "none@example.com" }] })).toMatchObject({
        code: "1004",
      });
      const { result } = await sync({ action: "createDuplicate", input: [{ email }] });
      expect(result).toEqual([{ id: expect.any(Number), status: "created" }]);
      expect(await firstReason({ input: [{ email, firstName: "Who" }] })).toMatchObject({ code: "1007" });
    });

    test("the id is a key for updateOnly alone", async () => {
      const input = [{ id: marketing.ids.lead_id, firstName: "ById" }];
      expect((await sync({ action: "updateOnly", lookupField: "id", input })).result[0]).toMatchObject({
        status: "updated",
      });
      expect(await marketing.codeOf("POST", leads, { json: { lookupField: "id", input } })).toBe("1011");
    });

    test("a custom field can be the key", async () => {
      const { result } = await sync({
        lookupField: "customerNumber",
        input: [{ customerNumber: "C-10001", seats: 7 }],
      });
      expect(result).toEqual([{ id: 1001, status: "updated" }]);
    });

    test("a company's fields are saved with the lead, unless the company comes from a CRM (1021)", async () => {
      const row = { email: "of-a-company@example.com", company: "Elsewhere", numberOfEmployees: 5 };
      const { result } = await sync({ input: [row] });
      expect(result).toMatchObject([{ status: "created" }]);
      const { result: found } = await marketing.get(
        `/rest/v1/leads.json?filterType=id&filterValues=${result[0]?.id}&fields=company,numberOfEmployees`,
      );
      expect(found).toMatchObject([{ company: "Elsewhere", numberOfEmployees: 5 }]);
      await sync({ input: [{ email: row.email, externalCompanyId: "crm-1" }] });
      expect(await firstReason({ input: [{ email: row.email, company: "Other" }] })).toMatchObject({ code: "1021" });
      expect((await sync({ input: [{ email: row.email, firstName: "Ada" }] })).result).toMatchObject([
        { status: "updated" },
      ]);
    });

    test.each([
      ["an unknown field", { shoeSize: 1 }, "1006"],
      ["a read-only field", { createdAt: "2020-01-01" }, "1003"],
      ["a yes-or-no that is neither", { betaTester: "other" }, "1003"],
      ["a date that is none", { lastDemoAt: "yesterday" }, "1003"],
      ["an address that is none", { assistantEmail: "bademail" }, "1003"],
      ["an address with other than ASCII", { email: "jürgen@example.com" }, "1003"],
      ["no key", { email: "" }, "1002"],
    ])("a row with %s is skipped", async (_, change, code) => {
      expect(await firstReason({ input: [{ email: "row@example.com", ...change }] })).toMatchObject({ code });
    });

    test.each([
      ["no input", {}, "1002"],
      ["an empty input", { input: [] }, "1002"],
      ["301 rows", { input: Array.from({ length: 301 }, (_, row) => ({ email: `row${row}@example.com` })) }, "1003"],
      ["an unknown action", { action: "replace", input: [{}] }, "1003"],
      ["an unknown key", { lookupField: "shoeSize", input: [{}] }, "1006"],
      ["a key that cannot be one", { lookupField: "firstName", input: [{}] }, "1011"],
      ["another partition", { partitionName: "Elsewhere", input: [{}] }, "1008"],
    ])("%s is refused as a whole", async (_, body, code) => {
      expect(await marketing.codeOf("POST", leads, { json: body })).toBe(code);
    });

    test("300 rows are a batch", async () => {
      const input = Array.from({ length: 300 }, (_, row) => ({ email: `row${row}@example.com` }));
      expect((await sync({ input })).result).toHaveLength(300);
    });
  });

  describe("delete", () => {
    test.each([
      ["its own path", 2001, "POST", "/rest/v1/leads/delete.json"],
      ["POST that means DELETE", 2002, "POST", "/rest/v1/leads.json?_method=DELETE"],
      ["the verb itself", 2003, "DELETE", "/rest/v1/leads.json"],
    ])("by %s", async (_, id, method, path) => {
      const json = { input: [{ id }, { id: 9_999_999 }] };
      const { result } = await marketing.call(method, path, { json });
      expect(result[0]).toEqual({ id, status: "deleted" });
      expect(result[1]).toMatchObject({ id: 9_999_999, status: "skipped", reasons: [{ code: "1004" }] });
      expect((await query("id", id)).result).toEqual([]);
    });
  });

  test("describe tells every field, custom ones included, in both forms", async () => {
    const { result } = await marketing.get("/rest/v1/leads/describe.json");
    expectShape(result, [shapes.field]);
    const names = result.map(({ rest }) => (rest as { name: string }).name);
    expect(names).toEqual(expect.arrayContaining(["email", "company", "customerNumber"]));
    const [object] = (await marketing.get("/rest/v1/leads/describe2.json")).result;
    expect(object).toMatchObject({ name: "API Lead", searchableFields: expect.arrayContaining([["email"], ["id"]]) });
    expect((await marketing.get("/rest/v1/leads/partitions.json")).result[0]).toMatchObject({ name: "Default" });
  });
});
