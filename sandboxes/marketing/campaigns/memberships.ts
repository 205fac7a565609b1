import { type ApiRequest, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { pageById } from "../gateway/page-by-id.ts";
import { leadNotFound } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";

/** Unlike other lists, these always say whether there is more. */
const withMore = (reply: Reply): Reply => ({ ...reply, moreResult: reply.nextPageToken !== undefined });

function requireLead({ instance }: Context, request: ApiRequest): number {
  const id = pathId(request);
  if (!instance.leads.find(id)) throw leadNotFound();
  return id;
}

/** `GET /rest/v1/leads/{id}/smartCampaignMembership.json`: the smart campaigns that a lead has been through. */
export function readCampaignMemberships(context: Context, request: ApiRequest): Reply {
  const joined = [...(context.instance.campaignMembers.get(requireLead(context, request)) ?? [])];
  const rows = joined.map(([id, times]) => ({ id, ...times })).sort((one, other) => one.id - other.id);
  const page = pageById(context, request, "memberships", rows, ({ id, createdAt, updatedAt }) => ({
    smartCampaignId: id,
    createdAt: leadTime(createdAt),
    updatedAt: leadTime(updatedAt),
  }));
  return withMore(page);
}

/** `GET /rest/v1/leads/{id}/listMembership.json` */
export function readListMemberships(context: Context, request: ApiRequest): Reply {
  const lead = requireLead(context, request);
  const lists = [...context.instance.lists.values()].filter(({ members }) => members.has(lead));
  const page = pageById(context, request, "list memberships", lists, ({ id, createdAt, updatedAt }) => ({
    id,
    membershipDate: leadTime(createdAt),
    updatedAt: leadTime(updatedAt),
  }));
  return withMore(page);
}
