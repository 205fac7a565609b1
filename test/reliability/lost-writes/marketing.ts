import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import {
  again,
  asked,
  call,
  didNot,
  found,
  inRow,
  made,
  marketing,
  refused,
  repeated,
  skipped,
} from "../write-case.ts";

const leads =
  (action: string, email: string, values: object = {}) =>
  () =>
    call("POST", "/rest/v1/leads.json", { action, lookupField: "email", input: [{ email, ...values }] });
const rows = (status: string) => ({ body: { success: true, result: [{ id: expect.any(Number), status }] } });
const members = (status: string) => ({
  body: { success: true, result: [{ leadId: expect.any(Number), status }] },
});
const itsId = { body: { success: true, result: [{ id: expect.any(Number) }] } };
const email = (id: unknown, verb: string) => call("POST", `/rest/asset/v1/email/${id}/${verb}.json`);
const noDraft = refused("conflict_there", "709");
const notFound = refused("not_found_there", "702");

const token = { folderType: "Folder", name: "season", type: "text", value: "Spring" };
const activityType = {
  apiName: "visit_c",
  name: "Visit",
  triggerName: "Visits",
  filterName: "Visited",
  primaryAttribute: { apiName: "place", name: "Place" },
};

const make = async (platform: Platform, endpoint: string, body: object) =>
  (await made(platform, "marketing_api_call", { method: "POST", endpoint, body })).body.result[0];

const inFolder = (platform: Platform) => ({ id: platform.sandboxes.marketing.ids.folder_id, type: "Folder" });
const aFolder = async (platform: Platform): Promise<number> =>
  (await make(platform, "/rest/asset/v1/folders.json", { name: "Empty", parent: inFolder(platform) })).id;
const aList = async (platform: Platform, name: string): Promise<number> =>
  (await make(platform, "/rest/asset/v1/staticLists.json", { name, folder: inFolder(platform) })).id;

const asset = (kinds: readonly string[], ...verbs: string[]): string[] =>
  kinds.flatMap((kind) => verbs.map((verb) => `POST /rest/asset/v1/${kind}${verb}.json`));
const drafted = ["emailTemplate", "form", "landingPageTemplate", "snippet"];
const undrafted = ["program", "smartCampaign", "smartList"];

export const marketingRows = [
  inRow(
    "Lead, `createOnly`",
    { before: didNot, repeat: skipped("1005") },
    marketing(leads("createOnly", "once@example.com"), found, rows("created")),
  ),
  inRow(
    "Lead, `createOrUpdate`",
    { before: didNot, repeat: again(rows("updated")) },
    marketing(leads("createOrUpdate", "both@example.com"), found, rows("created")),
  ),
  inRow(
    "Lead, `updateOnly`",
    { before: repeated, repeat: again(rows("updated")) },
    marketing(({ lead_email }) => leads("updateOnly", lead_email, { firstName: "Changed" })(), found, rows("updated")),
  ),
  inRow(
    "Lead, `createDuplicate`",
    { before: asked, repeat: again(rows("created")) },
    marketing(leads("createDuplicate", "twice@example.com"), asked),
  ),
  inRow(
    "Trigger or schedule a campaign, send a sample",
    { before: asked, repeat: again(itsId) },
    marketing(
      ({ trigger_campaign_id, lead_id: id }) =>
        call("POST", `/rest/v1/campaigns/${trigger_campaign_id}/trigger.json`, { input: { leads: [{ id }] } }),
      asked,
    ),
    marketing(
      ({ batch_campaign_id }) => call("POST", `/rest/v1/campaigns/${batch_campaign_id}/schedule.json`, { input: {} }),
      asked,
    ),
    marketing(
      ({ email_id }) =>
        call("POST", `/rest/asset/v1/email/${email_id}/sendSample.json`, { emailAddress: "me@example.com" }),
      asked,
      undefined,
      { repeat: again() },
    ),
  ),
  inRow(
    "Approve, unapprove or discard a draft",
    {
      before: repeated,
      repeat: noDraft,
      also: asset(drafted, "/1/approveDraft", "/1/unapprove", "/1/discardDraft"),
    },
    marketing(({ email_with_draft_id: id }) => email(id, "approveDraft"), found, itsId),
    marketing(({ email_with_draft_id: id }) => email(id + 1, "discardDraft"), found, itsId),
    marketing(({ email_with_draft_id: id }) => email(id + 2, "unapprove"), found, itsId),
    // It was approved long ago, and has no draft: nothing shows that this call did it, and the repeat is refused.
    marketing(({ email_id }) => email(email_id, "approveDraft"), [2, "asked"], undefined, { before: [2, "asked"] }),
  ),
  inRow(
    "Other writes of the Asset API, merge, push or associate leads",
    {
      before: asked,
      repeat: again(),
      also: [
        ...["programs", "emails", "smartCampaigns", "folders", "emailTemplates", "landingPageTemplates"],
        ...["forms", "snippets", "files", "program/1", "smartCampaign/1", "staticList/1", "folder/1", "email/1"],
        ...["email/1/clone", "email/1/fullContent", "email/1/variable/a", "email/1/dynamicContent/1"],
        ...["email/1/content/a", "program/1/clone", "program/1/approve", "program/1/unapprove", "folder/1/tokens"],
        ...["smartCampaign/1/clone", "smartCampaign/1/activate", "smartCampaign/1/deactivate", "smartList/1/clone"],
        ...["form/1/fields", "form/1/field/a", "file/1/content"],
      ]
        .map((path) => `POST /rest/asset/v1/${path}.json`)
        .concat(asset(drafted, "/1", "/1/clone"))
        .concat(asset(["emailTemplate", "landingPageTemplate", "snippet"], "/1/content")),
    },
    marketing(
      ({ email_with_draft_id: id }) =>
        call("POST", `/rest/asset/v1/email/${id}/content.json`, { subject: { type: "Text", value: "Changed" } }),
      asked,
    ),
    marketing(
      ({ lead_id }) => call("POST", `/rest/v1/leads/${lead_id}/merge.json`, undefined, { leadId: "2" }),
      asked,
      undefined,
      { repeat: refused("not_found_there", "1004") },
    ),
    marketing(
      () => call("POST", "/rest/v1/leads/push.json", { programName: "Web", input: [{ email: "pushed@example.com" }] }),
      asked,
      undefined,
      { repeat: refused("not_found_there", "1013") },
    ),
    marketing(
      ({ lead_id }) =>
        call("POST", `/rest/v1/leads/${lead_id}/associate.json`, undefined, { cookie: "id:1&token:_mch-lost" }),
      asked,
    ),
    marketing(
      (_, platform) => call("POST", "/rest/asset/v1/staticLists.json", { name: "Lost", folder: inFolder(platform) }),
      asked,
      undefined,
      { repeat: noDraft },
    ),
  ),
  inRow(
    "Write custom activities, create or change their types",
    {
      before: asked,
      repeat: again(),
      also: ["", "/approve", "/discardDraft", "/attributes/create", "/attributes/update"].map(
        (verb) => `POST /rest/v1/activities/external/type/visit_c${verb}.json`,
      ),
    },
    marketing(() => call("POST", "/rest/v1/activities/external/type.json", activityType), asked, undefined, {
      repeat: refused("invalid_there", "1003"),
    }),
    marketing(
      async ({ lead_id: leadId }, platform) => {
        const { id } = await make(platform, "/rest/v1/activities/external/type.json", {
          ...activityType,
          apiName: "seen_c",
        });
        await make(platform, "/rest/v1/activities/external/type/seen_c/approve.json", {});
        const row = { leadId, activityTypeId: id, primaryAttributeValue: "Paris" };
        return call("POST", "/rest/v1/activities/external.json", { input: [row] });
      },
      asked,
      undefined,
      { repeat: again({ body: { result: [{ status: "added" }] } }) },
    ),
  ),
  inRow(
    "Add to or remove from a list",
    { before: repeated, repeat: again(rows("added")) },
    marketing(
      ({ empty_list_id, lead_id: id }) =>
        call("POST", `/rest/v1/lists/${empty_list_id}/leads.json`, { input: [{ id }] }),
      found,
      rows("added"),
    ),
    marketing(
      ({ empty_list_id, lead_id: id }) =>
        call("DELETE", `/rest/v1/lists/${empty_list_id}/leads.json`, { input: [{ id }] }),
      found,
      rows("removed"),
      { repeat: skipped("1015") },
    ),
  ),
  inRow(
    "Change the status of members of a program",
    { before: repeated, repeat: again(members("updated")) },
    marketing(
      ({ email_program_id: program, lead_id: leadId }) =>
        call("POST", `/rest/v1/programs/${program}/members/status.json`, {
          statusName: "Opened",
          input: [{ leadId }],
        }),
      found,
      members("updated"),
    ),
    marketing(
      ({ email_program_id: program, lead_id: id }) =>
        call("POST", `/rest/v1/leads/programs/${program}/status.json`, { status: "Clicked", input: [{ id }] }),
      found,
      rows("Clicked"),
      { repeat: again(rows("Clicked")) },
    ),
  ),
  inRow(
    "Delete members of a program",
    { before: repeated, repeat: skipped("1013") },
    marketing(
      ({ email_program_id: program, lead_id: leadId }) =>
        call("POST", `/rest/v1/programs/${program}/members/delete.json`, { input: [{ leadId }] }),
      found,
      members("deleted"),
    ),
  ),
  inRow(
    "Delete leads",
    { before: repeated, repeat: skipped("1004"), also: ["DELETE /rest/v1/leads.json"] },
    marketing(
      ({ lead_id: id }) => call("POST", "/rest/v1/leads/delete.json", { input: [{ id }] }),
      found,
      rows("deleted"),
    ),
  ),
  inRow(
    "Delete an asset",
    { before: repeated, repeat: notFound, also: asset([...drafted, ...undrafted], "/1/delete") },
    marketing(({ list_id }) => call("POST", `/rest/asset/v1/staticList/${list_id}/delete.json`), found, itsId),
    marketing(({ email_draft_only_id: id }) => email(id, "delete"), found, itsId),
    marketing(
      async (_, platform) =>
        call("POST", `/rest/asset/v1/staticList/${await aList(platform, "Unreadable")}/delete.json`),
      [2, "gone"],
      undefined,
      { unreadable: ({ endpoint }) => String(endpoint).replace("/delete.json", ".json") },
    ),
  ),
  inRow(
    "Delete a folder",
    { before: repeated, repeat: notFound },
    marketing(
      async (_, platform) =>
        call("POST", `/rest/asset/v1/folder/${await aFolder(platform)}/delete.json`, { type: "Folder" }),
      found,
      itsId,
    ),
  ),
  inRow(
    "Delete a token, an activity type, a company or another record by a name or key",
    {
      before: asked,
      repeat: notFound,
      also: [
        "POST /rest/asset/v1/form/1/field/a/delete.json",
        "POST /rest/v1/activities/external/type/visit_c/attributes/delete.json",
        "POST /rest/v1/opportunities/delete.json",
        "POST /rest/v1/customobjects/car_c/delete.json",
      ],
    },
    marketing(async ({ folder_id }, platform) => {
      await make(platform, `/rest/asset/v1/folder/${folder_id}/tokens.json`, token);
      return call("POST", `/rest/asset/v1/folder/${folder_id}/tokens/delete.json`, token);
    }, asked),
    marketing(
      async (_, platform) => {
        await make(platform, "/rest/v1/activities/external/type.json", { ...activityType, apiName: "gone_c" });
        return call("POST", "/rest/v1/activities/external/type/gone_c/delete.json");
      },
      asked,
      undefined,
      { repeat: refused("not_found_there", "1013") },
    ),
    // The instance has no such path: that is no deleted record.
    marketing(
      () => call("POST", "/rest/v1/companies/delete.json", { input: [{ externalCompanyId: "lost" }] }),
      asked,
      undefined,
      { repeat: refused("not_found_there", "610") },
    ),
  ),
];
