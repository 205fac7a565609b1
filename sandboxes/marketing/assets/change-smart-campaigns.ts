import { type ApiRequest, pathId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { Refusal } from "../gateway/refusal.ts";
import { type Context, nextId } from "../instance.ts";
import type { Campaign } from "../records.ts";
import { notFound, requireField, requireForm, requireParent } from "./asset-request.ts";
import { smartCampaignRecord } from "./smart-campaigns.ts";

/** `POST /rest/asset/v1/smartCampaigns.json`: a new one has no trigger yet, so it is a batch campaign. */
export function createSmartCampaign({ instance, clock }: Context, request: ApiRequest): Reply {
  requireForm(request);
  const name = requireField(request, "name");
  const parent = requireParent(instance, request);
  refuseSameName(instance.campaigns, name, parent);
  const campaign: Campaign = {
    id: nextId(instance.campaigns),
    name,
    description: textOf(request, "description") ?? "",
    type: "batch",
    ...parent,
    active: false,
    requestable: false,
    tokens: [],
    emailId: null,
    listId: null,
    runs: 0,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  instance.campaigns.set(campaign.id, campaign);
  return { result: [smartCampaignRecord(campaign)] };
}

function refuseSameName(
  campaigns: Map<number, Campaign>,
  name: string,
  parent: { folderId: number; programId: number | null },
): void {
  const isThere = [...campaigns.values()].some(
    (each) => each.name === name && each.folderId === parent.folderId && each.programId === parent.programId,
  );
  if (isThere) throw new Refusal("709", `Smart campaign '${name}' already exists in this folder`);
}

function requireCampaign({ instance }: Context, request: ApiRequest): Campaign {
  const campaign = instance.campaigns.get(pathId(request));
  if (!campaign) throw notFound("Smart campaign");
  return campaign;
}

/** `POST /rest/asset/v1/smartCampaign/{id}.json` */
export function updateSmartCampaign(context: Context, request: ApiRequest): Reply {
  requireForm(request);
  const campaign = requireCampaign(context, request);
  campaign.name = textOf(request, "name") ?? campaign.name;
  campaign.description = textOf(request, "description") ?? campaign.description;
  campaign.updatedAt = context.clock.now();
  return { result: [smartCampaignRecord(campaign)] };
}

/** `POST /rest/asset/v1/smartCampaign/{id}/clone.json`: the copy is switched off. */
export function cloneSmartCampaign(context: Context, request: ApiRequest): Reply {
  requireForm(request);
  const { instance, clock } = context;
  const first = requireCampaign(context, request);
  const name = requireField(request, "name");
  const parent = requireParent(instance, request);
  refuseSameName(instance.campaigns, name, parent);
  const copy: Campaign = {
    ...first,
    ...parent,
    id: nextId(instance.campaigns),
    name,
    description: textOf(request, "description") ?? first.description,
    active: false,
    runs: 0,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  instance.campaigns.set(copy.id, copy);
  return { result: [smartCampaignRecord(copy)] };
}

/** `POST /rest/asset/v1/smartCampaign/{id}/delete.json`: not one that is active. */
export function deleteSmartCampaign(context: Context, request: ApiRequest): Reply {
  const { id, active } = requireCampaign(context, request);
  if (active) throw new Refusal("709", "An active smart campaign cannot be deleted");
  context.instance.campaigns.delete(id);
  return { result: [{ id }] };
}

/** `POST /rest/asset/v1/smartCampaign/{id}/activate.json` and `/deactivate.json`: trigger campaigns only. */
export const switchSmartCampaign =
  (active: boolean) =>
  (context: Context, request: ApiRequest): Reply => {
    const campaign = requireCampaign(context, request);
    if (campaign.type !== "trigger") throw new Refusal("709", "Only trigger campaigns can be activated or deactivated");
    if (campaign.active === active) throw new Refusal("709", `Smart campaign is already ${active ? "" : "in"}active`);
    campaign.active = active;
    campaign.updatedAt = context.clock.now();
    return { result: [{ id: campaign.id }] };
  };
