import { expect } from "vitest";
import type { Platform } from "../../support/platform.ts";
import { call, inRow, made, marketing } from "../write-case.ts";

const leads = (action: string, email: string) => () =>
  call("POST", "/rest/v1/leads.json", { action, lookupField: "email", input: [{ email }] });
const rows = (status: string) => ({ body: { success: true, result: [{ id: expect.any(Number), status }] } });
const itsId = { body: { success: true, result: [{ id: expect.any(Number) }] } };
const email = (id: unknown, verb: string) => call("POST", `/rest/asset/v1/email/${id}/${verb}.json`);

const token = { folderType: "Folder", name: "season", type: "text", value: "Spring" };
const activityType = { apiName: "visit_c", name: "Visit", triggerName: "Visits", filterName: "Visited" };

/** Made by its name, which others may use again. */
async function aNamed(platform: Platform, endpoint: string, body: object): Promise<void> {
  await made(platform, "marketing_api_call", { method: "POST", endpoint, body });
}

async function aFolder(platform: Platform): Promise<number> {
  const body = { name: "Empty", parent: { id: platform.sandboxes.marketing.ids.folder_id, type: "Folder" } };
  const input = { method: "POST", endpoint: "/rest/asset/v1/folders.json", body };
  return (await made(platform, "marketing_api_call", input)).body.result[0].id;
}

export const marketingWrites = [
  inRow("Lead, `createOnly`", marketing(leads("createOnly", "once@example.com"), [1, "found"], rows("created"))),
  inRow(
    "Lead, `createOrUpdate`",
    marketing(leads("createOrUpdate", "both@example.com"), [1, "found"], rows("created")),
  ),
  inRow(
    "Lead, `updateOnly`",
    marketing(({ lead_email }) => leads("updateOnly", lead_email)(), [1, "found"], rows("updated")),
  ),
  inRow("Lead, `createDuplicate`", marketing(leads("createDuplicate", "twice@example.com"), [1, "asked"])),
  inRow(
    "Trigger or schedule a campaign, send a sample",
    marketing(
      ({ trigger_campaign_id, lead_id: id }) =>
        call("POST", `/rest/v1/campaigns/${trigger_campaign_id}/trigger.json`, { input: { leads: [{ id }] } }),
      [1, "asked"],
    ),
    marketing(
      ({ batch_campaign_id }) => call("POST", `/rest/v1/campaigns/${batch_campaign_id}/schedule.json`, { input: {} }),
      [1, "asked"],
    ),
    marketing(
      ({ email_id }) =>
        call("POST", `/rest/asset/v1/email/${email_id}/sendSample.json`, { emailAddress: "me@example.com" }),
      [1, "asked"],
    ),
  ),
  inRow(
    "Approve, unapprove or discard a draft",
    marketing(({ email_with_draft_id: id }) => email(id, "approveDraft"), [1, "found"], itsId),
    marketing(({ email_with_draft_id: id }) => email(id + 1, "discardDraft"), [1, "found"], itsId),
    marketing(({ email_with_draft_id: id }) => email(id + 2, "unapprove"), [1, "found"], itsId),
    // It was approved long ago, and has no draft: nothing shows that this call did it, and the repeat is refused.
    marketing(({ email_id }) => email(email_id, "approveDraft"), [2, "asked"]),
  ),
  inRow(
    "Other writes of the Asset API, merge, push",
    marketing(
      ({ email_with_draft_id: id }) =>
        call("POST", `/rest/asset/v1/email/${id}/content.json`, { subject: { type: "Text", value: "Changed" } }),
      [1, "asked"],
    ),
    marketing(
      ({ lead_id }) => call("POST", `/rest/v1/leads/${lead_id}/merge.json`, undefined, { leadId: "2" }),
      [1, "asked"],
    ),
    marketing(
      () => call("POST", "/rest/v1/leads/push.json", { programName: "Web", input: [{ email: "pushed@example.com" }] }),
      [1, "asked"],
    ),
    marketing(
      () => call("POST", "/rest/asset/v1/staticLists.json", { name: "Lost", folder: { id: 1, type: "Folder" } }),
      [1, "asked"],
    ),
  ),
  inRow(
    "Add to or remove from a list",
    marketing(
      ({ empty_list_id, lead_id: id }) =>
        call("POST", `/rest/v1/lists/${empty_list_id}/leads.json`, { input: [{ id }] }),
      [1, "found"],
      rows("added"),
    ),
    marketing(
      ({ empty_list_id, lead_id: id }) =>
        call("DELETE", `/rest/v1/lists/${empty_list_id}/leads.json`, { input: [{ id }] }),
      [1, "found"],
      rows("removed"),
    ),
  ),
  inRow(
    "Change the status of members of a program",
    marketing(
      ({ email_program_id: program, lead_id: leadId }) =>
        call("POST", `/rest/v1/programs/${program}/members/status.json`, {
          statusName: "Clicked",
          input: [{ leadId }],
        }),
      [1, "found"],
      { body: { success: true, result: [{ leadId: expect.any(Number), status: "updated" }] } },
    ),
  ),
  inRow(
    "Delete members of a program",
    marketing(
      ({ email_program_id: program, lead_id: leadId }) =>
        call("POST", `/rest/v1/programs/${program}/members/delete.json`, { input: [{ leadId }] }),
      [1, "found"],
      { body: { success: true, result: [{ leadId: expect.any(Number), status: "deleted" }] } },
    ),
  ),
  inRow(
    "Delete leads",
    marketing(
      ({ lead_id: id }) => call("POST", "/rest/v1/leads/delete.json", { input: [{ id }] }),
      [1, "found"],
      rows("deleted"),
    ),
  ),
  inRow(
    "Delete an asset",
    marketing(({ list_id }) => call("POST", `/rest/asset/v1/staticList/${list_id}/delete.json`), [1, "found"], itsId),
    marketing(({ email_draft_only_id: id }) => email(id, "delete"), [1, "found"], itsId),
  ),
  inRow(
    "Delete a folder",
    marketing(
      async (_, platform) =>
        call("POST", `/rest/asset/v1/folder/${await aFolder(platform)}/delete.json`, { type: "Folder" }),
      [1, "found"],
      itsId,
    ),
  ),
  inRow(
    "Delete a token, an activity type, a company or another record by a name or key",
    marketing(
      async ({ folder_id }, platform) => {
        await aNamed(platform, `/rest/asset/v1/folder/${folder_id}/tokens.json`, token);
        return call("POST", `/rest/asset/v1/folder/${folder_id}/tokens/delete.json`, token);
      },
      [1, "asked"],
    ),
    marketing(
      async (_, platform) => {
        const body = { ...activityType, primaryAttribute: { apiName: "place", name: "Place" } };
        await aNamed(platform, "/rest/v1/activities/external/type.json", body);
        return call("POST", "/rest/v1/activities/external/type/visit_c/delete.json");
      },
      [1, "asked"],
    ),
    // The instance has no such path: that is no deleted record.
    marketing(
      () => call("POST", "/rest/v1/companies/delete.json", { input: [{ externalCompanyId: "lost" }] }),
      [1, "asked"],
    ),
  ),
].flat();
