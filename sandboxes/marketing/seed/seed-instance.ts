import { type Activity, createActivityLog } from "../activities/activity-log.ts";
import { createExportJobs } from "../bulk/export-jobs.ts";
import { isMailable, outcomeOf } from "../campaigns/mailing.ts";
import type { Instance } from "../instance.ts";
import type { Lead } from "../leads/lead-table.ts";
import type { CustomActivityType } from "../records.ts";
import { firstActivityId, seedActivities } from "./seed-activities.ts";
import { firstCampaignId, firstListId, seedCampaigns, seedLists } from "./seed-campaigns.ts";
import { emailIds, seedEmails } from "./seed-emails.ts";
import { day, leadsOf, seedLeads } from "./seed-leads.ts";
import { seedLibrary } from "./seed-library.ts";
import { copyOf, seedMembers } from "./seed-members.ts";
import {
  firstLandingPageId,
  firstProgramId,
  folderIds,
  seedFolders,
  seedLandingPages,
  seedPrograms,
} from "./seed-programs.ts";

export interface Seeded {
  instance: Instance;
  ids: Record<string, number | string>;
}

/** What takes most of the seed's time. It follows from the day alone, so instances of one day share or copy it. */
interface Past {
  today: number;
  people: ReturnType<typeof leadsOf>;
  activities: readonly Activity[];
  members: Instance["programMembers"];
}

let past: Past | null = null;

/** The same instance every time; only its dates move along, so that the last e-mail always went out a few days ago. */
export function seedInstance(now: number): Seeded {
  const today = Math.floor(now / day) * day;
  const known = past?.today === today ? past : null;
  const people = known?.people ?? leadsOf(today);
  const leads = seedLeads(people);
  const records = {
    leads,
    lists: seedLists(leads, today),
    campaigns: seedCampaigns(today),
    emails: seedEmails(today),
    programs: seedPrograms(today),
    landingPages: seedLandingPages(today),
    folders: seedFolders(today),
    ...seedLibrary(today),
    customTypes: new Map<string, CustomActivityType>(),
    campaignMembers: new Map<number, Map<number, { createdAt: number; updatedAt: number }>>(),
    exports: createExportJobs(),
    clonesByDay: new Map<string, number>(),
  };
  const activities = known?.activities ?? seedActivities(records, today);
  const members = known?.members ?? seedMembers(records, activities);
  past = { today, people, activities, members };
  const instance = {
    ...records,
    programMembers: copyOf(members),
    activities: createActivityLog(activities, firstActivityId),
  };
  return { instance, ids: seededIds(instance) };
}

/** Records worth knowing by id. The lead is one that opens the welcome e-mail and clicks in it. */
function seededIds(instance: Instance): Record<string, number | string> {
  const welcome = instance.emails.get(emailIds.approved);
  const reader = [...instance.leads.all()].find(
    (lead) => welcome && isMailable(lead) && outcomeOf(lead, welcome) === "clicked",
  ) as Lead;
  const [first] = [...instance.leads.all()].slice(999);
  return {
    list_id: firstListId,
    empty_list_id: firstListId + 11,
    trigger_campaign_id: firstCampaignId,
    unrequestable_campaign_id: firstCampaignId + 3,
    inactive_campaign_id: firstCampaignId + 4,
    batch_campaign_id: firstCampaignId + 6,
    lead_id: reader.id,
    lead_email: String(reader.values.email),
    duplicate_email: String(first?.values.email),
    email_program_id: firstProgramId,
    email_id: emailIds.approved,
    email_name: "Receipt",
    email_with_draft_id: emailIds.withDraft,
    email_draft_only_id: emailIds.draftOnly,
    email_incomplete_draft_id: emailIds.incompleteDraft,
    email_under_test_id: emailIds.underTest,
    landing_page_id: firstLandingPageId,
    folder_id: folderIds.lists,
  };
}
