import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { pageById } from "../gateway/page-by-id.ts";
import { Refusal, wrongType } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";
import { programName, readFilters } from "../lists/static-lists.ts";
import type { Campaign } from "../records.ts";

/** `GET /rest/v1/campaigns.json` */
export function queryCampaigns(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const isWanted = readFilters(request);
  const triggerable = readTriggerable(request);
  const campaigns = [...instance.campaigns.values()].filter(
    (campaign) =>
      isWanted({ ...campaign, programName: programName(instance, campaign.programId) }) &&
      (triggerable === null || isTriggerable(campaign) === triggerable),
  );
  return pageById(context, request, "campaigns", campaigns, (campaign) => campaignRecord(instance, campaign));
}

function readTriggerable(request: ApiRequest): boolean | null {
  const text = textOf(request, "isTriggerable")?.toLowerCase();
  if (text === undefined) return null;
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw wrongType(text, "Boolean");
}

export const isTriggerable = (campaign: Campaign) =>
  campaign.type === "trigger" && campaign.active && campaign.requestable;

/** `GET /rest/v1/campaigns/{id}.json` */
export function readCampaign({ instance }: Context, request: ApiRequest): Reply {
  return { result: [campaignRecord(instance, requireCampaign(instance, pathId(request)))] };
}

export function requireCampaign(instance: Instance, id: number): Campaign {
  const campaign = instance.campaigns.get(id);
  if (!campaign) throw new Refusal("1013", "Campaign not found");
  return campaign;
}

function campaignRecord(instance: Instance, campaign: Campaign): object {
  const program = programName(instance, campaign.programId);
  return {
    id: campaign.id,
    name: campaign.name,
    description: campaign.description,
    type: campaign.type,
    ...(program === null ? {} : { programId: campaign.programId, programName: program }),
    workspaceName: "Default",
    createdAt: leadTime(campaign.createdAt),
    updatedAt: leadTime(campaign.updatedAt),
    active: campaign.active,
  };
}
