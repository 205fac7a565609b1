import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";

/** What clients of the vendor expect of the rest of the Asset API. Folders are given in the loose form that most of them send. */
describe("the library of assets", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const folder = "{'id': 23, 'type': Folder}";
  const read = (path: string) => marketing.get(`/rest/asset/v1/${path}`);
  const write = (path: string, form: Record<string, string> = {}) =>
    marketing.call("POST", `/rest/asset/v1/${path}`, Object.keys(form).length > 0 ? { form } : {});
  const codeOf = (path: string, form?: Record<string, string>) =>
    marketing.codeOf("POST", `/rest/asset/v1/${path}`, form ? { form } : {});

  test.each([
    ["emailTemplate", { content: "<html>new</html>" }],
    ["landingPageTemplate", { content: "<html>new</html>" }],
    ["form", { language: "German" }],
    ["snippet", { type: "HTML", content: "<p>new</p>" }],
  ])("a %s is made, found, changed in a draft, approved, copied and deleted", async (word, change) => {
    const [made] = (await write(`${word}s.json`, { name: "Mine", folder })).result;
    const id = made?.id as number;
    expect(made).toMatchObject({ name: "Mine", status: "draft", folder: { type: "Folder", value: 23 } });
    expect(await codeOf(`${word}s.json`, { name: "Mine", folder })).toBe("709");
    expect((await read(`${word}/byName.json?name=Mine`)).result).toEqual([made]);
    expect((await write(`${word}/${id}/approveDraft.json`)).result).toEqual([{ id }]);
    expect(await codeOf(`${word}/${id}/approveDraft.json`)).toBe("709");
    await write(word === "form" ? `form/${id}.json` : `${word}/${id}/content.json`, change);
    expect((await read(`${word}/${id}.json?status=draft`)).result).toMatchObject([{ status: "draft" }]);
    expect((await read(`${word}s.json?status=draft`)).result.map((row) => row.id)).toEqual([id]);
    expect((await write(`${word}/${id}/discardDraft.json`)).success).toBe(true);
    expect((await write(`${word}/${id}/unapprove.json`)).success).toBe(true);
    const [copy] = (await write(`${word}/${id}/clone.json`, { name: "Copy", folder })).result;
    expect((await write(`${word}/${copy?.id}/delete.json`)).result).toEqual([{ id: copy?.id }]);
    expect(await codeOf(`${word}/${copy?.id}/delete.json`)).toBe("702");
  });

  test("a file and a template's content come as multipart forms", async () => {
    const body = [
      "--x",
      'Content-Disposition: form-data; name="name"',
      "",
      "logo.svg",
      "--x",
      'Content-Disposition: form-data; name="folder"',
      "",
      '{"id":23,"type":"Folder"}',
      "--x",
      'Content-Disposition: form-data; name="file"; filename="logo.svg"',
      "Content-Type: image/svg+xml",
      "",
      "<svg/>",
      "--x--",
      "",
    ].join("\r\n");
    const sent = { raw: ["multipart/form-data; boundary=x", body] as [string, string] };
    const [made] = (await marketing.call("POST", "/rest/asset/v1/files.json", sent)).result;
    expect(made).toMatchObject({ name: "logo.svg", mimeType: "image/svg+xml", size: 6, folder: { id: 23 } });
    expect((await read("file/byName.json?name=logo.svg")).result).toEqual([made]);
    expect(await codeOf("files.json", { name: "x", folder })).toBe("701");
  });

  test("fields of a form are added, changed and removed", async () => {
    expect((await read("form/701/fields.json")).result).toHaveLength(3);
    expect((await write("form/701/fields.json", { fieldId: "leadSource", label: "From" })).result).toMatchObject([
      { id: "leadSource", label: "From", rowNumber: 3 },
    ]);
    await write("form/701/field/leadSource.json", { label: "Source", required: "true" });
    expect((await read("form/701/fields.json?status=draft")).result[3]).toMatchObject({
      label: "Source",
      required: true,
    });
    await write("form/701/field/leadSource/delete.json");
    expect((await read("form/701/fields.json?status=draft")).result).toHaveLength(3);
    expect(await codeOf("form/701/fields.json", { fieldId: "shoeSize" })).toBe("702");
  });

  test("folders are made below others, show what stands in them, and are deleted once empty", async () => {
    const [made] = (await write("folders.json", { name: "Mine", parent: "{'id': 22, 'type': Folder}" })).result;
    expect(made).toMatchObject({ name: "Mine", path: "/Marketing Activities/Programs/Mine" });
    expect((await read("folder/22/content.json?maxReturn=200")).result).toContainEqual({
      id: made?.id,
      type: "Folder",
    });
    expect((await read("folder/1001/content.json?type=Program")).result).toContainEqual({ id: 1101, type: "Email" });
    expect(await codeOf("folder/22/delete.json")).toBe("709");
    expect((await write(`folder/${made?.id}/delete.json`)).success).toBe(true);
  });

  test("tokens of a program or folder are read, set and deleted", async () => {
    const [before] = (await read("folder/1001/tokens.json?folderType=Program")).result;
    expect(before?.tokens).toHaveLength(4);
    const token = { folderType: "Folder", name: "{{my.city}}", type: "text", value: "Oslo" };
    expect((await write("folder/22/tokens.json", token)).result).toMatchObject([
      { tokens: [{ name: "city", value: "Oslo" }] },
    ]);
    expect((await write("folder/22/tokens/delete.json", token)).success).toBe(true);
    expect(await codeOf("folder/22/tokens/delete.json", token)).toBe("702");
    expect(await codeOf("folder/22/tokens.json", { ...token, type: "riddle" })).toBe("1003");
  });

  test("an e-mail is made from a template, read as a whole, sent as a sample, copied and deleted", async () => {
    const head = { subject: "Hi", fromName: "A", fromEmail: "a@example.com", replyEmail: "a@example.com" };
    const [made] = (await write("emails.json", { name: "Mine", folder, template: "31", ...head })).result;
    const email = `email/${made?.id}`;
    await write(`${email}/content/main-text.json`, { type: "Text", value: "<p>Hello</p>" });
    expect((await read(`${email}/fullContent.json`)).result).toMatchObject([
      { content: expect.stringContaining("Hello") },
    ]);
    expect((await write(`${email}/sendSample.json`, { emailAddress: "a@example.com" })).result).toEqual([
      { service: "sendTestEmail", result: true },
    ]);
    expect(await codeOf(`${email}/sendSample.json`, { emailAddress: "nowhere" })).toBe("709");
    await write(`${email}/variable/headerColor.json`, { value: "#fff" });
    expect((await read(`${email}/variables.json`)).result[0]).toMatchObject({ name: "headerColor", value: "#fff" });
    expect((await write(`${email}/approveDraft.json`)).success).toBe(true);
    expect((await write(`${email}/clone.json`, { name: "Copy", folder })).result).toMatchObject([{ status: "draft" }]);
    expect((await write(`${email}/delete.json`)).success).toBe(true);
    expect(await codeOf("email/1101/delete.json")).toBe("709");
  });

  test("programs, channels, tags and segmentations", async () => {
    const tags = "[{'tagType': 'Region', 'tagValue': 'EMEA'}]";
    const wish = { name: "Mine", folder: "{'id': 22, 'type': Folder}", type: "Event", channel: "Tradeshow", tags };
    const [made] = (await write("programs.json", wish)).result;
    expect(made).toMatchObject({ type: "Event", tags: [{ tagType: "Region", tagValue: "EMEA" }] });
    expect((await read("program/byTag.json?tagType=Region&tagValue=EMEA")).result.length).toBeGreaterThan(1);
    expect((await write(`program/${made?.id}/delete.json`)).success).toBe(true);
    expect(await codeOf("program/1001/delete.json")).toBe("709");
    expect((await read("channels.json")).result).toHaveLength(5);
    expect((await read("tagType/byName.json?name=Region")).result).toMatchObject([
      { allowableValues: "[EMEA, AMER, APAC]" },
    ]);
    expect((await read("segmentation/1001/segments.json")).result).toHaveLength(4);
  });

  test("smart campaigns are switched on and off, and a lead knows those it has been through", async () => {
    const { lead_id: lead, trigger_campaign_id: campaign } = marketing.ids;
    const memberships = () => marketing.get(`/rest/v1/leads/${lead}/smartCampaignMembership.json`);
    expect(await memberships()).toMatchObject({ result: [], moreResult: false });
    await marketing.post(`/rest/v1/campaigns/${campaign}/trigger.json`, { input: { leads: [{ id: lead }] } });
    expect((await memberships()).result).toMatchObject([{ smartCampaignId: campaign }]);
    expect((await write(`smartCampaign/${campaign}/deactivate.json`)).result).toEqual([{ id: campaign }]);
    const trigger = { json: { input: { leads: [{ id: lead }] } } };
    expect(await marketing.codeOf("POST", `/rest/v1/campaigns/${campaign}/trigger.json`, trigger)).toBe("1003");
    expect(await codeOf(`smartCampaign/${campaign}/deactivate.json`)).toBe("709");
    expect((await write(`smartCampaign/${campaign}/activate.json`)).success).toBe(true);
    expect(await codeOf(`smartCampaign/${marketing.ids.batch_campaign_id}/activate.json`)).toBe("709");
  });

  test("a custom kind of activity is approved before it is written, and then read back", async () => {
    const types = "/rest/v1/activities/external/type";
    const primaryAttribute = { apiName: "what", name: "What" };
    const type = { apiName: "seen_c", name: "Seen", triggerName: "Sees", filterName: "Saw", primaryAttribute };
    const [made] = (await marketing.post(`${types}.json`, type)).result;
    const { lead_id: leadId } = marketing.ids;
    const row = { leadId, activityTypeId: made?.id, primaryAttributeValue: "A film", activityDate: "2026-01-01" };
    const add = async () => (await marketing.post("/rest/v1/activities/external.json", { input: [row] })).result[0];
    expect(await add()).toMatchObject({ status: "skipped", reasons: [{ code: "1003" }] });
    expect((await marketing.post(`${types}/seen_c/approve.json`, {})).result).toMatchObject([{ status: "approved" }]);
    const token = encodeURIComponent(await marketing.activitiesFromNow());
    expect(await add()).toMatchObject({ status: "added" });
    const path = `/rest/v1/activities.json?activityTypeIds=${made?.id}&nextPageToken=${token}`;
    expect((await marketing.get(path)).result).toMatchObject([{ leadId, primaryAttributeValue: "A film" }]);
  });
});
