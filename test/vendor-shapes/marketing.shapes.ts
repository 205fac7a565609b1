import type { VendorShapes } from "./judge.ts";

const swagger =
  "AdobeDocs/marketo-apis, static/swagger-mapi.json, swagger-asset.json and swagger-identity.json (2026-07-31)";

const page = { batchSize: "int32", nextPageToken: "string" } as const;
const named = { id: "int32[]", name: "string[]", programName: "string[]", workspaceName: "string[]", ...page } as const;
const activities = {
  nextPageToken: "string required",
  listId: "int32",
  leadIds: "int64[]",
  batchSize: "int32",
} as const;
const members = { fields: "string[]", ...page } as const;
const assets = { maxReturn: "int32", offset: "int32" } as const;

/**
 * What we send to the marketing automation system, as its published description has it: written by hand, since the
 * description may not be passed on. Lists in a query are texts with commas, or repeated.
 */
export const marketingShapes: VendorShapes = {
  source: swagger,
  everywhere: {},
  operations: [
    {
      call: "GET /rest/v1/leads.json",
      query: { filterType: "string required", filterValues: "string[] required", fields: "string[]", ...page },
    },
    { call: "POST /rest/v1/leads.json", body: "SyncLeadRequest" },
    { call: "GET /rest/v1/leads/describe.json" },
    {
      call: "GET /rest/v1/activities.json",
      query: { ...activities, activityTypeIds: "int32[] required", assetIds: "int32[]" },
    },
    { call: "GET /rest/v1/activities/leadchanges.json", query: { ...activities, fields: "string[] required" } },
    { call: "GET /rest/v1/activities/pagingtoken.json", query: { sinceDatetime: "string required" } },
    { call: "GET /rest/v1/activities/types.json" },
    { call: "GET /rest/v1/campaigns.json", query: { ...named, isTriggerable: "boolean" } },
    { call: "GET /rest/v1/campaigns/*.json" },
    { call: "POST /rest/v1/campaigns/*/trigger.json", body: "TriggerCampaignRequest" },
    { call: "POST /rest/v1/campaigns/*/schedule.json", body: "ScheduleCampaignRequest" },
    { call: "GET /rest/v1/lists.json", query: named },
    { call: "GET /rest/v1/lists/*/leads.json", query: members },
    { call: "POST /rest/v1/lists/*/leads.json", query: { id: "int32[]" }, body: "ListOperationRequest" },
    { call: "DELETE /rest/v1/lists/*/leads.json", query: { id: "int32[] required" }, body: "ListOperationRequest" },
    { call: "GET /rest/v1/stats/usage.json" },
    {
      call: "GET /rest/asset/v1/programs.json",
      query: {
        ...assets,
        filterType: "id|programId|folderId|workspace",
        earliestUpdatedAt: "string",
        latestUpdatedAt: "string",
      },
    },
    {
      call: "GET /rest/asset/v1/email/byName.json",
      query: { name: "string required", status: "approved|draft", folder: "string" },
    },
    { call: "GET /rest/asset/v1/email/*/content.json", query: { status: "approved|draft" } },
    { call: "POST /rest/asset/v1/email/*/approveDraft.json" },
    { call: "GET /rest/v1/lists/*/leads/ismember.json", query: { id: "int32[]" } },
    {
      call: "POST /identity/oauth/token",
      query: { grant_type: "client_credentials", client_id: "string", client_secret: "string" },
      // The description has them in the query; a form keeps the secret out of addresses, and the query follows if it is not read.
      body: "TokenForm",
      source: "segmentio/action-destinations, marketo-static-lists: a form",
    },
  ],
  schemas: {
    SyncLeadRequest: {
      action: "createOnly|updateOnly|createOrUpdate|createDuplicate",
      asyncProcessing: "boolean",
      input: "object[] required",
      lookupField: "string",
      partitionName: "string",
    },
    TriggerCampaignRequest: { input: "TriggerCampaignData required" },
    TriggerCampaignData: { leads: "InputLead[] required", tokens: "Token[]" },
    InputLead: { id: "int64 required" },
    Token: { name: "string required", value: "string required" },
    ScheduleCampaignRequest: { input: "ScheduleCampaignData" },
    ScheduleCampaignData: { cloneToProgramName: "string", runAt: "string", tokens: "Token[]" },
    TokenForm: {
      grant_type: "client_credentials required",
      client_id: "string required",
      client_secret: "string required",
    },
    ListOperationRequest: { input: "InputLead[] required" },
  },
};

/** "Four of the 19 listed endpoints are not published by the vendor: they are offered with that note." */
export const unpublished = [
  "GET /rest/asset/v1/program/{id}/stats.json",
  "GET /rest/asset/v1/landingPage/{id}/stats.json",
  "GET /rest/v1/activities/emailbounced.json",
  "GET /rest/v1/activities/emailopened.json",
];

/** The list of endpoints that Signalbox promises has this parameter, and the vendor does not publish it. Rows are chosen here as well. */
export const unpublishedQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "GET /rest/asset/v1/programs.json": { type: "string" },
};
