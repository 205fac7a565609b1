import { leadTime } from "../gateway/times.ts";
import type { LeadValue } from "../leads/field-values.ts";
import type { Field } from "../leads/fields.ts";
import { type Lead, nameOf } from "../leads/lead-table.ts";
import type { StaticList } from "../records.ts";
import type { Attribute, NewActivity } from "./activity-log.ts";
import { typeIds } from "./activity-types.ts";

/** What the API does to leads is written down here, so that lead changes and activities can be read back. */
interface Recorder {
  activities: { append(activity: NewActivity): unknown };
}

const viaApi = "Web service API";
const apiSource: readonly Attribute[] = [["Source", viaApi]];

export function recordNewLead({ activities }: Recorder, lead: Lead, at: number, sourceType = viaApi): void {
  const attributes: Attribute[] = [
    ["Created Date", leadTime(at).slice(0, 10)],
    ["Source Type", sourceType],
  ];
  if (lead.values.leadSource !== undefined) attributes.push(["Lead Source", lead.values.leadSource]);
  activities.append({ ...about(lead, at, typeIds.newLead), attributes });
}

export function recordLeadChange(
  { activities }: Recorder,
  lead: Lead,
  { field, before, after }: { field: Field; before: LeadValue | null; after: LeadValue | null },
  at: number,
): void {
  const attributes: Attribute[] = [
    ["Reason", viaApi],
    ["Source", viaApi],
  ];
  // Empty attributes are left out.
  if (after !== null) attributes.unshift(["New Value", String(after)]);
  if (before !== null) attributes.unshift(["Old Value", String(before)]);
  const primary = { primaryId: field.id, primaryValue: field.displayName };
  activities.append({ ...about(lead, at, typeIds.changeDataValue), ...primary, attributes });
}

export function recordListChange(
  { activities }: Recorder,
  lead: Lead,
  list: StaticList,
  change: "added" | "removed",
  at: number,
): void {
  const typeId = change === "added" ? typeIds.addToList : typeIds.removeFromList;
  const primary = { primaryId: list.id, primaryValue: list.name };
  activities.append({ ...about(lead, at, typeId), ...primary, attributes: apiSource });
}

export function recordDeletedLead({ activities }: Recorder, lead: Lead, at: number): void {
  activities.append({ ...about(lead, at, typeIds.deleteLead), attributes: [["Remove from CRM", false]] });
}

export function recordRequestedCampaign(
  { activities }: Recorder,
  lead: Lead,
  campaign: { id: number; name: string },
  at: number,
): void {
  const primary = { primaryId: campaign.id, primaryValue: campaign.name, campaignId: campaign.id };
  activities.append({ ...about(lead, at, typeIds.requestCampaign), ...primary, attributes: apiSource });
}

const about = (lead: Lead, at: number, typeId: number) => ({
  leadId: lead.id,
  at,
  typeId,
  campaignId: null,
  primaryId: lead.id,
  primaryValue: nameOf(lead) ?? String(lead.values.email ?? lead.id),
});
