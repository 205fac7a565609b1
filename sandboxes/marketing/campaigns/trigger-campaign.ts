import { recordRequestedCampaign } from "../activities/record.ts";
import { type ApiRequest, isObject, pathId, readId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { missingParameter, Refusal } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import type { Lead } from "../leads/lead-table.ts";
import type { Campaign } from "../records.ts";
import { requireCampaign } from "./campaigns.ts";
import { checkTokens } from "./my-tokens.ts";
import { runCampaign } from "./run-campaign.ts";

/** `POST /rest/v1/campaigns/{id}/trigger.json`: accepted for all the leads or, where one is unknown, for none. */
export function triggerCampaign(context: Context, request: ApiRequest): Reply {
  const { instance, clock, settings } = context;
  const { input } = request.json();
  const campaign = requireCampaign(instance, pathId(request));
  refuseUntriggerable(campaign);
  if (!isObject(input)) throw missingParameter("input");
  const leads = readLeads(context, input.leads);
  checkTokens(settings, campaign, input.tokens);
  for (const lead of leads) recordRequestedCampaign(instance, lead, campaign, clock.now());
  runCampaign(context, campaign, leads);
  return { result: [{ id: campaign.id }] };
}

function refuseUntriggerable(campaign: Campaign): void {
  if (campaign.type !== "trigger") throw new Refusal("1003", "Campaign is not a trigger campaign");
  if (!campaign.active) throw new Refusal("1003", "Campaign is not active");
  if (!campaign.requestable) {
    throw new Refusal("1003", "Campaign has no 'Campaign is Requested' trigger with source Web Service API");
  }
}

function readLeads({ instance, settings }: Context, rows: unknown): Lead[] {
  if (!Array.isArray(rows) || rows.length === 0) throw new Refusal("1003", "Lead ids not specified");
  if (rows.length > settings.trigger_leads) {
    throw new Refusal("1003", `Too many leads: ${rows.length}, at most ${settings.trigger_leads} are allowed`);
  }
  return rows.map((row: unknown) => {
    const id = readId(isObject(row) ? row.id : row);
    const lead = instance.leads.find(id);
    if (!lead) throw new Refusal("1004", `Lead [${id}] not found`);
    return lead;
  });
}
