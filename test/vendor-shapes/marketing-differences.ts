import type { VendorOperation, VendorShapes } from "./judge.ts";

/** Where the vendor's description and what is sent differ; each line names the page that shows it. */

export const furtherOperations: Readonly<Record<string, Partial<VendorOperation>>> = {
  "POST /identity/oauth/token": {
    // The description has them in the query. A form keeps the secret out of addresses; the query follows if it is not read.
    query: { grant_type: "client_credentials", client_id: "string", client_secret: "string" },
    body: "TokenForm",
    source: "segmentio/action-destinations, marketo-static-lists: a form",
  },
  "DELETE /rest/v1/lists/*/leads.json": {
    query: { id: "int32[]" },
    source: "grouparoo/grouparoo, plugins/@grouparoo/marketo, recorded 2021-11-23: the ids in the body alone suffice",
  },
  // The list of endpoints that Signalbox promises has this parameter, and the vendor does not publish it. Rows are chosen here as well.
  "GET /rest/asset/v1/programs.json": { query: { type: "string" }, source: "not published" },
};

/** Members that replace those of the description, by schema. */
export const furtherMembers: VendorShapes["schemas"] = {
  TokenForm: {
    grant_type: "client_credentials required",
    client_id: "string required",
    client_secret: "string required",
  },
  // The members of a lead are the fields of the instance, which `leads/describe.json` lists; the description has its answer.
  SyncLeadRequest: { input: "object[] required" },
};

/** "Four of the 19 listed endpoints are not published by the vendor: they are offered with that note." */
export const unpublished = [
  "GET /rest/asset/v1/program/{id}/stats.json",
  "GET /rest/asset/v1/landingPage/{id}/stats.json",
  "GET /rest/v1/activities/emailbounced.json",
  "GET /rest/v1/activities/emailopened.json",
];
