import { typeIds } from "./activities/activity-types.ts";
import { customTypeRoutes } from "./activities/custom-types.ts";
import { readLeadChanges } from "./activities/lead-changes.ts";
import {
  readActivities,
  readActivitiesOf,
  readActivityTypes,
  readDeletedLeads,
  startPaging,
} from "./activities/read-activities.ts";
import { assetRoutes } from "./assets/asset-routes.ts";
import { bulkRoutes } from "./bulk/bulk-routes.ts";
import { queryCampaigns, readCampaign } from "./campaigns/campaigns.ts";
import { readCampaignMemberships, readListMemberships } from "./campaigns/memberships.ts";
import { scheduleCampaign } from "./campaigns/schedule-campaign.ts";
import { triggerCampaign } from "./campaigns/trigger-campaign.ts";
import type { Route } from "./gateway/router.ts";
import { deleteLeads } from "./leads/delete-leads.ts";
import { describeLeads, describeLeadsAgain, readPartitions } from "./leads/describe-leads.ts";
import { associateLead, mergeLeads, pushLeads } from "./leads/push-leads.ts";
import { queryLeads, readLead } from "./leads/query-leads.ts";
import { syncLeads } from "./leads/sync-leads.ts";
import { addMembers, checkMembers, readMembers, removeMembers } from "./lists/list-members.ts";
import { queryLists, readList } from "./lists/static-lists.ts";
import { programRoutes } from "./programs/program-routes.ts";
import { readErrors, readUsage } from "./usage.ts";

const unpublished = (name: string): Omit<Route, "run"> => ({
  method: "GET",
  path: `/rest/v1/activities/${name}`,
  needs: "Read-Only Activity",
  undocumented: true,
});

/** The whole API, a line a call: verb, path, the permission it needs, what answers it. */
export const routes: Route[] = [
  { method: "GET", path: "/rest/v1/leads.json", needs: "Read-Only Lead", run: queryLeads },
  { method: "POST", path: "/rest/v1/leads.json", needs: "Read-Write Lead", run: syncLeads },
  { method: "DELETE", path: "/rest/v1/leads.json", needs: "Read-Write Lead", run: deleteLeads },
  { method: "POST", path: "/rest/v1/leads/delete.json", needs: "Read-Write Lead", run: deleteLeads },
  { method: "POST", path: "/rest/v1/leads/push.json", needs: "Read-Write Lead", run: pushLeads },
  { method: "POST", path: "/rest/v1/leads/{id}/associate.json", needs: "Read-Write Lead", run: associateLead },
  { method: "POST", path: "/rest/v1/leads/{id}/merge.json", needs: "Read-Write Lead", run: mergeLeads },
  { method: "GET", path: "/rest/v1/lead/{id}.json", needs: "Read-Only Lead", run: readLead },
  { method: "GET", path: "/rest/v1/leads/describe.json", needs: "Read-Only Lead", run: describeLeads },
  { method: "GET", path: "/rest/v1/leads/describe2.json", needs: "Read-Only Lead", run: describeLeadsAgain },
  { method: "GET", path: "/rest/v1/leads/partitions.json", needs: "Read-Only Lead", run: readPartitions },

  { method: "GET", path: "/rest/v1/activities/pagingtoken.json", needs: "Read-Only Activity", run: startPaging },
  { method: "GET", path: "/rest/v1/activities/types.json", needs: "Read-Only Activity", run: readActivityTypes },
  { method: "GET", path: "/rest/v1/activities.json", needs: "Read-Only Activity", run: readActivities },
  { method: "GET", path: "/rest/v1/activities/leadchanges.json", needs: "Read-Only Activity", run: readLeadChanges },
  { method: "GET", path: "/rest/v1/activities/deletedleads.json", needs: "Read-Only Activity", run: readDeletedLeads },
  { ...unpublished("emailbounced.json"), run: readActivitiesOf(typeIds.emailBounced, typeIds.emailBouncedSoft) },
  { ...unpublished("emailopened.json"), run: readActivitiesOf(typeIds.openEmail) },

  { method: "GET", path: "/rest/v1/campaigns.json", needs: "Read-Only Campaigns", run: queryCampaigns },
  { method: "GET", path: "/rest/v1/campaigns/{id}.json", needs: "Read-Only Campaigns", run: readCampaign },
  { method: "POST", path: "/rest/v1/campaigns/{id}/trigger.json", needs: "Execute Campaign", run: triggerCampaign },
  { method: "POST", path: "/rest/v1/campaigns/{id}/schedule.json", needs: "Execute Campaign", run: scheduleCampaign },

  { method: "GET", path: "/rest/v1/lists.json", needs: "Read-Only Lead", run: queryLists },
  { method: "GET", path: "/rest/v1/lists/{id}.json", needs: "Read-Only Lead", run: readList },
  { method: "GET", path: "/rest/v1/lists/{id}/leads.json", needs: "Read-Only Lead", run: readMembers },
  { method: "GET", path: "/rest/v1/list/{id}/leads.json", needs: "Read-Only Lead", run: readMembers },
  { method: "POST", path: "/rest/v1/lists/{id}/leads.json", needs: "Read-Write Lead", run: addMembers },
  { method: "DELETE", path: "/rest/v1/lists/{id}/leads.json", needs: "Read-Write Lead", run: removeMembers },
  { method: "GET", path: "/rest/v1/lists/{id}/leads/ismember.json", needs: "Read-Only Lead", run: checkMembers },

  { method: "GET", path: "/rest/v1/stats/usage.json", needs: null, run: readUsage(1) },
  { method: "GET", path: "/rest/v1/stats/usage/last7days.json", needs: null, run: readUsage(7) },
  { method: "GET", path: "/rest/v1/stats/errors.json", needs: null, run: readErrors(1) },
  { method: "GET", path: "/rest/v1/stats/errors/last7days.json", needs: null, run: readErrors(7) },

  {
    method: "GET",
    path: "/rest/v1/leads/{id}/smartCampaignMembership.json",
    needs: "Read-Only Assets",
    run: readCampaignMemberships,
  },
  {
    method: "GET",
    path: "/rest/v1/leads/{id}/listMembership.json",
    needs: "Read-Only Assets",
    run: readListMemberships,
  },

  ...programRoutes,
  ...customTypeRoutes,
  ...assetRoutes,
  ...bulkRoutes,
];
