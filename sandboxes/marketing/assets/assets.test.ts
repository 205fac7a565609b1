import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing, type Row } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";

describe("assets", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const asset = (path: string) => marketing.get(`/rest/asset/v1/${path}`);
  const nothing = ["No assets found for the given search criteria."];

  describe("programs", () => {
    test("twenty a page until nothing is left", async () => {
      const first = await asset("programs.json");
      expectShape(first.result, [shapes.program]);
      expect(first.result).toHaveLength(20);
      expect((await asset("programs.json?offset=20")).result).toHaveLength(6);
      const past = await asset("programs.json?offset=40");
      expect(past.warnings).toEqual(nothing);
      expect(past).not.toHaveProperty("result");
      expect((await asset("programs.json?maxReturn=5000")).result).toHaveLength(26);
    });

    test("type=email keeps the e-mail programs, while the switch for it is on", async () => {
      const { result } = await asset("programs.json?type=email");
      expect(result).toHaveLength(8);
      expect(new Set(result.map(({ type }) => type))).toEqual(new Set(["Email"]));
      await marketing.setLimits({ undocumented_paths: false });
      expect((await asset("programs.json?type=email")).result).toHaveLength(20);
    });

    test("filters by id, folder, status and time", async () => {
      expect((await asset("programs.json?filterType=id&filterValues=1001,1009")).result).toHaveLength(2);
      expect((await asset("programs.json?filterType=folderId&filterValues=5")).warnings).toEqual(nothing);
      expect((await asset("programs.json?status=on")).result.length).toBeGreaterThan(0);
      expect((await asset("programs.json?earliestUpdatedAt=2090-01-01T00:00:00Z")).warnings).toEqual(nothing);
      expect(await marketing.codeOf("GET", "/rest/asset/v1/programs.json?earliestUpdatedAt=soon")).toBe("704");
      expect(await marketing.codeOf("GET", "/rest/asset/v1/programs.json?offset=-1")).toBe("1001");
    });

    test("one program alone shows its tags", async () => {
      const { result } = await asset("program/1001.json");
      expectShape(result[0], { ...shapes.program, tags: [{ tagType: "string", tagValue: "string" }], costs: ["null"] });
    });
  });

  describe("e-mails", () => {
    test("thirty less the one under test, with and without drafts", async () => {
      const { result } = await asset("emails.json?maxReturn=200");
      expect(result).toHaveLength(29);
      expect((await asset("emails.json?status=draft&maxReturn=200")).result).toHaveLength(11);
      expect((await asset("emails.json?status=approved&maxReturn=200")).result).toHaveLength(24);
    });

    test("by name: exact, several folders may hold the same, and one under test is not shown", async () => {
      const { result } = await asset(`email/byName.json?name=${marketing.ids.email_name}`);
      expectShape(result, [shapes.email]);
      expect(result).toHaveLength(1);
      expect((await asset("email/byName.json?name=Welcome")).result).toHaveLength(2);
      const folder = encodeURIComponent('{"id":1001,"type":"Program"}');
      expect((await asset(`email/byName.json?name=Welcome&folder=${folder}`)).result).toHaveLength(1);
      expect((await asset("email/byName.json?name=Welcome&status=draft")).result).toHaveLength(1);
      expect((await asset("email/byName.json?name=welcome")).warnings).toEqual(nothing);
      expect((await asset(`email/${marketing.ids.email_under_test_id}.json`)).warnings).toEqual(nothing);
      expect(await marketing.codeOf("GET", "/rest/asset/v1/email/byName.json")).toBe("701");
      expect(await marketing.codeOf("GET", "/rest/asset/v1/email/byName.json?name=x&status=odd")).toBe("1003");
    });

    test("content is a row for each section, of the approved version or of the draft", async () => {
      const { result } = await asset(`email/${marketing.ids.email_id}/content.json`);
      expect(result.map(({ contentType }) => contentType)).toEqual(
        expect.arrayContaining(["Module", "Image", "Text", "DynamicContent"]),
      );
      expect(result.find(({ contentType }) => contentType === "Module")).not.toHaveProperty("value");
      const draft = await asset(`email/${marketing.ids.email_with_draft_id}/content.json?status=draft`);
      expect(JSON.stringify(draft.result)).toContain("(revised)");
      expect((await asset(`email/${marketing.ids.email_id}/content.json?status=draft`)).warnings).toEqual(nothing);
      expect(await marketing.codeOf("GET", "/rest/asset/v1/email/999/content.json")).toBe("702");
    });

    test("approval makes the draft the e-mail, once", async () => {
      const id = marketing.ids.email_with_draft_id;
      const path = `/rest/asset/v1/email/${id}/approveDraft.json`;
      expect((await marketing.call("POST", path)).result).toEqual([{ id }]);
      expect((await asset(`email/${id}.json`)).result[0]).toMatchObject({ status: "approved" });
      expect(JSON.stringify((await asset(`email/${id}/content.json`)).result)).toContain("(revised)");
      expect(await marketing.codeOf("POST", path)).toBe("709");
    });

    test("a draft alone can be approved; one without subject or reply address cannot, nor an unknown e-mail", async () => {
      const approve = (id: number | undefined) => `/rest/asset/v1/email/${id}/approveDraft.json`;
      const { ids } = marketing;
      expect((await marketing.call("POST", approve(ids.email_draft_only_id), { json: {} })).success).toBe(true);
      expect(await marketing.codeOf("POST", approve(ids.email_incomplete_draft_id))).toBe("709");
      expect(await marketing.codeOf("POST", approve(ids.email_under_test_id))).toBe("702");
      expect(await marketing.codeOf("POST", approve(9_999_999))).toBe("702");
    });

    test("a form changes one section, or the subject, in a draft that waits for approval", async () => {
      const id = marketing.ids.email_id;
      const path = `/rest/asset/v1/email/${id}/content`;
      const form = { type: "Text", value: "<p>Hi there</p>", textValue: "Hi there" };
      expect((await marketing.call("POST", `${path}/main-text.json`, { form })).result).toEqual([{ id }]);
      const subject = JSON.stringify({ type: "Text", value: "A new subject" });
      await marketing.call("POST", `${path}.json`, { form: { subject } });
      expect(JSON.stringify((await asset(`email/${id}/content.json`)).result)).not.toContain("Hi there");
      await marketing.call("POST", `/rest/asset/v1/email/${id}/approveDraft.json`, { form: "_method=POST" });
      expect(JSON.stringify((await asset(`email/${id}/content.json`)).result)).toContain("Hi there");
      expect((await asset(`email/${id}.json`)).result[0]?.subject).toEqual({ type: "Text", value: "A new subject" });
      expect(await marketing.codeOf("POST", `${path}/nowhere.json`, { form })).toBe("702");
      expect(await marketing.codeOf("POST", `${path}/main-text.json`, { json: form })).toBe("612");
    });

    test("a draft can be thrown away, and an approval taken back unless a campaign needs it", async () => {
      const email = `/rest/asset/v1/email/${marketing.ids.email_with_draft_id}`;
      expect((await marketing.call("POST", `${email}/discardDraft.json`)).success).toBe(true);
      expect(await marketing.codeOf("POST", `${email}/discardDraft.json`)).toBe("709");
      expect((await marketing.call("POST", `${email}/unapprove.json`)).success).toBe(true);
      expect((await marketing.get(`${email}.json`)).result[0]).toMatchObject({ status: "draft" });
      expect(await marketing.codeOf("POST", `/rest/asset/v1/email/${marketing.ids.email_id}/unapprove.json`)).toBe(
        "709",
      );
    });
  });

  describe("statistics", () => {
    async function count(types: string, more = ""): Promise<number> {
      let token = (await marketing.get("/rest/v1/activities/pagingtoken.json?sinceDatetime=2000-01-01")).nextPageToken;
      for (let total = 0; ; ) {
        const path = `/rest/v1/activities.json?activityTypeIds=${types}&nextPageToken=${encodeURIComponent(token)}${more}`;
        const page = await marketing.get(path);
        total += page.result?.length ?? 0;
        if (!page.moreResult) return total;
        token = page.nextPageToken;
      }
    }

    test("a program's figures are those of its e-mails' activities", async () => {
      const stats = (await asset(`program/${marketing.ids.email_program_id}/stats.json`)).result[0] as Row;
      expectShape(stats, shapes.programStats);
      const of = (type: number) => count(String(type), `&assetIds=${marketing.ids.email_id}`);
      const [sent, delivered, opened, clicked] = [await of(6), await of(7), await of(10), await of(11)];
      const bounced = (await of(8)) + (await of(27));
      expect(stats).toEqual({ id: 1001, sent, delivered, opened, clicked, bounced });
      expect(delivered + bounced).toBe(sent);
      expect(clicked).toBeGreaterThan(0);
    });

    test("a landing page's figures are its visits and filled forms", async () => {
      const id = marketing.ids.landing_page_id;
      const stats = (await asset(`landingPage/${id}/stats.json`)).result[0] as Row;
      expectShape(stats, shapes.landingPageStats);
      expect(stats.visits).toBe(await count("1", `&assetIds=${id}`));
      expect(stats.formFills).toBeGreaterThan(0);
    });

    test("an unknown program or page is 702, and without the switch there are no such paths", async () => {
      const paths = ["program/9999/stats.json", "landingPage/9999/stats.json"].map((path) => `/rest/asset/v1/${path}`);
      for (const path of paths) expect(await marketing.codeOf("GET", path)).toBe("702");
      await marketing.setLimits({ undocumented_paths: false });
      for (const path of paths) expect(await marketing.codeOf("GET", path)).toBe("610");
    });
  });

  describe("static lists, folders, landing pages and smart campaigns", () => {
    const create = (form: Record<string, string>) =>
      marketing.call("POST", "/rest/asset/v1/staticLists.json", { form });

    test("a list is made by a form with its folder as JSON, found by name, filled, and deleted", async () => {
      const folder = JSON.stringify({ type: "Folder", id: marketing.ids.folder_id });
      const { result } = await create({ name: "(test) High Value", folder });
      expectShape(result, [shapes.staticListAsset]);
      const id = result[0]?.id as number;
      expect((await asset("staticList/byName.json?name=(test)%20High%20Value")).result).toEqual(result);
      expect((await marketing.post(`/rest/v1/lists/${id}/leads.json`, { input: [{ id: 1001 }] })).success).toBe(true);
      expect((await create({ name: "(test) High Value", folder })).errors[0]?.code).toBe("709");
      expect((await marketing.call("POST", `/rest/asset/v1/staticList/${id}/delete.json`)).result).toEqual([{ id }]);
      expect(await marketing.codeOf("POST", `/rest/asset/v1/staticList/${id}/delete.json`)).toBe("702");
    });

    test("a list without name or folder, or in a folder that is none, is refused", async () => {
      const codeOf = async (form: Record<string, string>) => (await create(form)).errors[0]?.code;
      expect(await codeOf({ folder: '{"id":12,"type":"Folder"}' })).toBe("701");
      expect(await codeOf({ name: "x" })).toBe("701");
      expect(await codeOf({ name: "x", folder: '{"id":999,"type":"Folder"}' })).toBe("710");
      expect(await codeOf({ name: "x", folder: '{"id":12,"type":"Drawer"}' })).toBe("711");
      expect(await codeOf({ name: "x", folder: "{" })).toBe("609");
      const json = { name: "x" };
      expect(await marketing.codeOf("POST", "/rest/asset/v1/staticLists.json", { json })).toBe("612");
    });

    test("folders, landing pages and smart campaigns can be browsed and found", async () => {
      const [folder] = (await asset("folder/byName.json?name=Group%20Lists")).result;
      expect(folder).toMatchObject({
        id: 12,
        folderId: { id: 12, type: "Folder" },
        path: "/Lead Database/Group Lists",
      });
      expect((await asset("landingPages.json")).result).toHaveLength(12);
      expect((await asset("landingPage/501.json")).result[0]).toMatchObject({ id: 501, status: "approved" });
      expect((await asset("smartCampaigns.json")).result).toHaveLength(8);
      expect((await asset("smartCampaign/3001.json")).result[0]).toMatchObject({
        type: "trigger",
        isRequestable: true,
      });
    });
  });
});
