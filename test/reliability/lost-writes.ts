import { expect } from "vitest";
import type { Platform } from "../support/platform.ts";
import { analytics, call, deployment, type LostWrite, marketing } from "./write-case.ts";

const leads = (action: string, email: string) => () =>
  call("POST", "/rest/v1/leads.json", { action, lookupField: "email", input: [{ email }] });
const found = (status: string) => ({ body: { success: true, result: [{ id: expect.any(Number), status }] } });

/** Made beforehand, with an answer. */
async function made(platform: Platform, step: string, input: Record<string, unknown>) {
  const { body } = await platform.run(step, input);
  if (body.status !== "succeeded") throw new Error(JSON.stringify(body.problem));
  return body.output;
}
const aDeployment = async (platform: Platform): Promise<string> =>
  (await made(platform, "create_deployment", { project: "web" })).deployment_id;
const aProject = async (platform: Platform, name: string): Promise<string> =>
  (await made(platform, "deployment_api_call", { method: "POST", path: "/v10/projects", body: { name } })).body.id;
const locale = { time_zone: "Europe/Paris", currency_code: "EUR" };
const aProperty = async (platform: Platform, display_name: string): Promise<string> =>
  (await made(platform, "create_properties", { account_id: "100", display_name, ...locale })).property_id;

export const lostWrites: LostWrite[] = [
  marketing("a lead, createOnly", leads("createOnly", "once@example.com"), [1, "found"], found("created")),
  marketing("a lead, createOrUpdate", leads("createOrUpdate", "both@example.com"), [1, "found"], found("created")),
  marketing(
    "a lead, updateOnly",
    ({ lead_email }) => leads("updateOnly", lead_email)(),
    [1, "found"],
    found("updated"),
  ),
  marketing("a lead, createDuplicate", leads("createDuplicate", "twice@example.com"), [1, "asked"]),
  marketing(
    "a campaign that is triggered",
    (ids) =>
      call("POST", `/rest/v1/campaigns/${ids.trigger_campaign_id}/trigger.json`, {
        input: { leads: [{ id: ids.lead_id }] },
      }),
    [1, "asked"],
  ),
  marketing(
    "a campaign that is scheduled",
    (ids) => call("POST", `/rest/v1/campaigns/${ids.batch_campaign_id}/schedule.json`, { input: {} }),
    [1, "asked"],
  ),
  marketing(
    "a draft that is approved",
    (ids) => call("POST", `/rest/asset/v1/email/${ids.email_with_draft_id}/approveDraft.json`),
    [2, "asked"],
  ),
  marketing(
    "an e-mail that is changed",
    (ids) =>
      call("POST", `/rest/asset/v1/email/${ids.email_with_draft_id}/content.json`, {
        subject: { type: "Text", value: "Changed" },
      }),
    [1, "asked"],
  ),
  marketing(
    "a draft that is discarded",
    (ids) => call("POST", `/rest/asset/v1/email/${ids.email_with_draft_id}/discardDraft.json`),
    [2, "asked"],
  ),
  marketing(
    "an e-mail that is unapproved",
    (ids) => call("POST", `/rest/asset/v1/email/${ids.email_with_draft_id}/unapprove.json`),
    [2, "asked"],
  ),
  // The sandbox knows nothing of the next three; what is done about a lost answer does not depend on what the answer was.
  marketing(
    "a sample that is sent",
    (ids) => call("POST", `/rest/asset/v1/email/${ids.email_id}/sendSample.json`, { emailAddress: "me@example.com" }),
    [1, "asked"],
  ),
  marketing(
    "a lead that is merged",
    (ids) => call("POST", `/rest/v1/leads/${ids.lead_id}/merge.json`, undefined, { leadId: "2" }),
    [1, "asked"],
  ),
  marketing(
    "a lead that is pushed",
    () => call("POST", "/rest/v1/leads/push.json", { programName: "Web", input: [{ email: "pushed@example.com" }] }),
    [1, "asked"],
  ),
  marketing(
    "a list that is created",
    () => call("POST", "/rest/asset/v1/staticLists.json", { name: "Lost", folder: { id: 1, type: "Folder" } }),
    [1, "asked"],
  ),
  marketing("a list that is deleted", (ids) => call("POST", `/rest/asset/v1/staticList/${ids.list_id}/delete.json`), [
    2,
    "gone",
  ]),
  marketing(
    "a lead that is added to a list",
    (ids) => call("POST", `/rest/v1/lists/${ids.empty_list_id}/leads.json`, { input: [{ id: ids.lead_id }] }),
    [1, "found"],
  ),
  marketing(
    "a lead that is removed from a list",
    (ids) => call("DELETE", `/rest/v1/lists/${ids.empty_list_id}/leads.json`, { input: [{ id: ids.lead_id }] }),
    [1, "found"],
  ),
  marketing(
    "a lead that is deleted",
    (ids) => call("POST", "/rest/v1/leads/delete.json", { input: [{ id: ids.lead_id }] }),
    [2, "repeated"],
    { body: { result: [{ status: "skipped", reasons: [{ code: "1004" }] }] } },
  ),
  {
    write: "create_deployment",
    step: "create_deployment",
    input: () => ({ project: "web" }),
    ends: [1, "found"],
    output: { deployment_id: expect.any(String) },
  },
  {
    write: "cancel_deployment",
    step: "cancel_deployment",
    input: async (platform) => ({ deployment_id: await aDeployment(platform) }),
    ends: [1, "found"],
    output: { state: "CANCELED" },
  },
  deployment(
    "a deployment by its path",
    () => call("POST", "/v13/deployments", { name: "web", project: "web", files: [] }),
    [1, "asked"],
  ),
  deployment(
    "a deployment that is cancelled by its path",
    async (platform) => call("PATCH", `/v12/deployments/${await aDeployment(platform)}/cancel`),
    [1, "found"],
  ),
  deployment(
    "a deployment that is deleted",
    async (platform) => call("DELETE", `/v13/deployments/${await aDeployment(platform)}`),
    [2, "gone"],
  ),
  deployment("a project", () => call("POST", "/v10/projects", { name: "lost-one" }), [1, "asked"]),
  deployment(
    "a project that is changed",
    async (platform) => call("PATCH", `/v9/projects/${await aProject(platform, "changed")}`, { framework: "nextjs" }),
    [2, "repeated"],
  ),
  deployment(
    "a project that is deleted",
    async (platform) => call("DELETE", `/v9/projects/${await aProject(platform, "deleted")}`),
    [2, "gone"],
  ),
  deployment("a domain of a project", () => call("POST", "/v10/projects/web/domains", { name: "lost.acme.example" }), [
    1,
    "asked",
  ]),
  deployment("a domain that is removed", () => call("DELETE", "/v9/projects/web/domains/lost.acme.example"), [
    2,
    "gone",
  ]),
  deployment(
    "a variable",
    () => call("POST", "/v10/projects/web/env", { key: "LOST", value: "1", type: "plain", target: ["preview"] }),
    [1, "asked"],
  ),
  deployment(
    "a variable, with upsert",
    () =>
      call(
        "POST",
        "/v10/projects/web/env",
        { key: "KEPT", value: "1", type: "plain", target: ["preview"] },
        { upsert: true },
      ),
    [2, "repeated"],
  ),
  deployment(
    "a variable that is changed",
    ({ sandboxes }) => call("PATCH", `/v9/projects/web/env/${sandboxes.deployment.ids.env_id}`, { value: "2" }),
    [2, "repeated"],
  ),
  deployment(
    "a variable that is deleted",
    ({ sandboxes }) => call("DELETE", `/v9/projects/web/env/${sandboxes.deployment.ids.env_id}`),
    [2, "gone"],
  ),
  {
    write: "create_properties",
    step: "create_properties",
    input: () => ({ account_id: "100", display_name: "Lost", ...locale }),
    ends: [1, "found"],
    output: { property_id: expect.any(String) },
  },
  {
    write: "create_key_events",
    step: "create_key_events",
    input: () => ({ property_id: "1000", event_name: "sign_up" }),
    ends: [1, "found"],
    output: { key_event_id: expect.any(String) },
  },
  analytics(
    "a property by its path",
    () =>
      call("POST", "v1beta/properties", {
        parent: "accounts/100",
        displayName: "Path",
        timeZone: "Europe/Paris",
        currencyCode: "EUR",
      }),
    [1, "asked"],
  ),
  analytics(
    "a property that is changed",
    () => call("PATCH", "v1beta/properties/1001", { displayName: "Changed" }, { updateMask: "displayName" }),
    [2, "repeated"],
  ),
  analytics(
    "a property that is put into the trash",
    async (platform) => call("DELETE", `v1beta/properties/${await aProperty(platform, "Trash")}`),
    [1, "found"],
  ),
  analytics(
    "a key event by its path",
    () => call("POST", "v1beta/properties/1000/keyEvents", { eventName: "login", countingMethod: "ONCE_PER_EVENT" }),
    [1, "asked"],
  ),
  analytics(
    "a key event that is deleted",
    ({ sandboxes }) => call("DELETE", `v1beta/${sandboxes.analytics.ids.key_event}`),
    [2, "gone"],
  ),
  analytics(
    "a data stream",
    () =>
      call("POST", "v1beta/properties/1000/dataStreams", {
        type: "WEB_DATA_STREAM",
        displayName: "Shop",
        webStreamData: { defaultUri: "https://shop.example" },
      }),
    [1, "asked"],
  ),
  analytics(
    "a data stream that is changed",
    ({ sandboxes }) =>
      call(
        "PATCH",
        `v1beta/${sandboxes.analytics.ids.data_stream}`,
        { displayName: "Other" },
        { updateMask: "displayName" },
      ),
    [2, "repeated"],
  ),
];
