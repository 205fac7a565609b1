import { isTriggerable } from "../campaigns/campaigns.ts";
import { type ApiRequest, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { assetTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import type { Campaign } from "../records.ts";
import { appUrl, askedFor, pageByOffset, requireField } from "./asset-request.ts";

/** `GET /rest/asset/v1/smartCampaigns.json`: the same campaigns as an asset, the newer way to list them. */
export function browseSmartCampaigns(context: Context, request: ApiRequest): Reply {
  const campaigns = askedFor(request, context.instance.campaigns.values());
  return pageByOffset(context, request, campaigns, smartCampaignRecord);
}

/** `GET /rest/asset/v1/smartCampaign/{id}.json` */
export function readSmartCampaign({ instance }: Context, request: ApiRequest): Reply {
  const campaign = instance.campaigns.get(pathId(request));
  return { result: campaign ? [smartCampaignRecord(campaign)] : [] };
}

/** `GET /rest/asset/v1/smartCampaign/byName.json` */
export function findSmartCampaign({ instance }: Context, request: ApiRequest): Reply {
  const name = requireField(request, "name");
  const found = [...instance.campaigns.values()].filter((campaign) => campaign.name === name);
  return { result: found.map(smartCampaignRecord) };
}

export function smartCampaignRecord(campaign: Campaign): object {
  const { id, programId, folderId, type, active } = campaign;
  return {
    id,
    name: campaign.name,
    description: campaign.description,
    createdAt: assetTime(campaign.createdAt),
    updatedAt: assetTime(campaign.updatedAt),
    folder: programId === null ? { id: folderId, type: "Folder" } : { id: programId, type: "Program" },
    status: statusOf(campaign),
    type,
    isSystem: false,
    isActive: active,
    isRequestable: isTriggerable(campaign),
    isCommunicationLimitEnabled: false,
    recurrence: { weekdayOnly: false },
    qualificationRuleType: "once",
    workspace: "Default",
    smartListId: id + 5000,
    flowId: id + 6000,
    computedUrl: appUrl(`SC${id}A1`),
    ...(programId === null ? {} : { parentProgramId: programId }),
  };
}

function statusOf({ type, active, runs }: Campaign): string {
  if (type === "trigger") return active ? "Active" : "Inactive";
  return runs > 0 ? "Finished" : "Never Run";
}
