import type { Context, Instance } from "../instance.ts";
import type { Lead } from "../leads/lead-table.ts";
import { programName } from "../lists/static-lists.ts";
import type { Campaign } from "../records.ts";
import { isMailable, type Mailing, mailingActivity, mailingStages } from "./mailing.ts";

/** A campaign's flow for some leads, from now on: its e-mail is sent at once and its fate follows by the clock. */
export function runCampaign(
  { instance, clock }: Pick<Context, "instance" | "clock">,
  campaign: Campaign,
  leads: Lead[],
) {
  campaign.runs++;
  for (const lead of leads) joinCampaign(instance, campaign, lead, clock.now());
  const mailing = mailingOf(instance, campaign);
  if (!mailing) return;
  const recipients = leads.filter(isMailable);
  const startedAt = clock.now();
  for (const { name, afterSeconds } of mailingStages) {
    const write = () => {
      for (const lead of recipients) {
        const activity = mailingActivity(mailing, name, lead, clock.now());
        if (activity) instance.activities.append(activity);
      }
    };
    if (afterSeconds === 0) write();
    else clock.at(startedAt + afterSeconds * 1000, write);
  }
}

function joinCampaign({ campaignMembers }: Instance, { id }: Campaign, lead: Lead, at: number): void {
  const joined = campaignMembers.get(lead.id) ?? new Map();
  joined.set(id, { createdAt: joined.get(id)?.createdAt ?? at, updatedAt: at });
  campaignMembers.set(lead.id, joined);
}

/** Only an approved e-mail is ever sent. */
function mailingOf(instance: Instance, campaign: Campaign): Mailing | null {
  const email = campaign.emailId === null ? null : instance.emails.get(campaign.emailId);
  if (!email?.approved) return null;
  const runId = campaign.id * 10 + campaign.runs;
  return { email, title: mailingTitle(instance, email), campaignId: campaign.id, runId };
}

export function mailingTitle(
  instance: Pick<Instance, "programs">,
  email: { name: string; programId: number | null },
): string {
  const program = programName(instance, email.programId);
  return program === null ? email.name : `${program}.${email.name}`;
}
