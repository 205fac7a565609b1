import type { Activity, Attribute, NewActivity } from "../activities/activity-log.ts";
import { typeIds } from "../activities/activity-types.ts";
import { recordLeadChange, recordListChange, recordNewLead } from "../activities/record.ts";
import { pageUrl } from "../assets/landing-pages.ts";
import { isMailable, type Mailing, mailingActivity, outcomeOf } from "../campaigns/mailing.ts";
import { mailingTitle } from "../campaigns/run-campaign.ts";
import type { Instance } from "../instance.ts";
import { type Field, fieldsByName } from "../leads/fields.ts";
import type { Lead } from "../leads/lead-table.ts";
import { createRandom } from "./random.ts";
import { firstCampaignId } from "./seed-campaigns.ts";
import { day } from "./seed-leads.ts";

type SeededRecords = Omit<Instance, "activities" | "programMembers">;

export const firstActivityId = 100_001;

/** A past for the instance, in the order in which it happened; all of it lies before `today`. */
export function seedActivities(instance: SeededRecords, today: number): readonly Activity[] {
  const random = createRandom(8_271_828);
  const past: NewActivity[] = [];
  const recorder = { activities: { append: (activity: NewActivity) => void past.push(activity) } };
  const leads = [...instance.leads.all()];
  for (const lead of leads) {
    recordNewLead(recorder, lead, lead.createdAt, random.pick(sourceTypes));
    if (lead.updatedAt > lead.createdAt) {
      const status = String(lead.values.leadStatus);
      const change = { field: statusField, before: status === "New" ? "Working" : "New", after: status };
      recordLeadChange(recorder, lead, change, lead.updatedAt);
    }
  }
  for (const list of instance.lists.values()) {
    for (const lead of leadsOf(instance, list.members)) {
      recordListChange(recorder, lead, list, "added", Math.max(lead.createdAt, list.createdAt) + random.below(day));
    }
  }
  seedMailings();
  for (const page of instance.landingPages.values()) if (page.status === "approved") visit(page);
  past.sort((a, b) => a.at - b.at);
  return past.map(({ leadId, at, typeId, campaignId, primaryId, primaryValue, attributes }, index) => {
    const id = firstActivityId + index;
    const happenedAt = Math.min(at, today - 1);
    // Member by member: tens of thousands of records of one shape are small, and quick to search.
    return { id, leadId, at: happenedAt, typeId, campaignId, primaryId, primaryValue, attributes };
  });

  /** Every approved e-mail went out once, to one of six lists, a week apart. */
  function seedMailings(): void {
    const lists = [...instance.lists.values()];
    for (const [index, email] of [...instance.emails.values()].filter(({ approved }) => approved).entries()) {
      const campaignId = firstCampaignId + 5 + (index % 2);
      const mailing = { email, title: mailingTitle(instance, email), campaignId, runId: 100 + index };
      const sentAt = today - (4 + index * 7) * day + 9 * 3_600_000;
      for (const lead of leadsOf(instance, lists[1 + (index % 6)]?.members)) {
        if (isMailable(lead) && lead.createdAt < sentAt) mail(mailing, lead, sentAt);
      }
    }
  }

  function mail(mailing: Mailing, lead: Lead, sentAt: number): void {
    const at = sentAt + random.below(600_000);
    const openedAt = at + 60_000 + random.below(2 * day);
    const outcome = outcomeOf(lead, mailing.email);
    const stages = [
      mailingActivity(mailing, "sent", lead, at, outcome),
      mailingActivity(mailing, "arrived", lead, at + 2000, outcome),
      mailingActivity(mailing, "opened", lead, openedAt, outcome),
      mailingActivity(mailing, "clicked", lead, openedAt + 30_000, outcome),
    ];
    for (const activity of stages) if (activity) past.push(activity);
  }

  function visit(page: LandingPage): void {
    const url: Attribute = ["Webpage URL", pageUrl(page)];
    const visits = 150 + random.below(350);
    for (let turn = 0; turn < visits; turn++) {
      const lead = random.pick(leads);
      const at = Math.max(today - random.below(180 * day), lead.createdAt) - 60_000;
      const shared = { leadId: lead.id, campaignId: null };
      const primaryValue = page.name;
      const browser = random.pick(browsers);
      const looked: Attribute[] = [...browser, url];
      past.push({ ...shared, at, typeId: typeIds.visitWebpage, primaryId: page.id, primaryValue, attributes: looked });
      if (!random.chance(18)) continue;
      const filled: Attribute[] = [...browser, ["Form Fields", "Email;First Name"], ["Webpage ID", page.id]];
      const form = { primaryId: page.formId, primaryValue: `Form ${page.formId}`, attributes: filled };
      past.push({ ...shared, at: at + 40_000, typeId: typeIds.fillOutForm, ...form });
    }
  }
}

const statusField = fieldsByName.get("leadStatus") as Field;
const sourceTypes = ["Web form fillout", "List import", "Web service API", "New person"];

import type { LandingPage } from "../records.ts";

const browsers: Attribute[][] = [
  [
    ["Client IP Address", "192.0.2.10"],
    ["User Agent", "Mozilla/5.0 (Windows NT 10.0)"],
    ["Referrer URL", "https://www.example.com/"],
  ],
  [
    ["Client IP Address", "198.51.100.7"],
    ["User Agent", "Mozilla/5.0 (Macintosh)"],
  ],
  [
    ["Client IP Address", "203.0.113.44"],
    ["User Agent", "Mozilla/5.0 (iPhone)"],
    ["Query Parameters", "utm_source=mail"],
  ],
];

const leadsOf = ({ leads }: SeededRecords, ids: Iterable<number> = []) =>
  [...ids].flatMap((id) => leads.find(id) ?? []);
