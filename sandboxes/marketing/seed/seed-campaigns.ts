import type { LeadTable } from "../leads/lead-table.ts";
import type { Campaign, StaticList } from "../records.ts";
import { firstEmailId } from "./seed-emails.ts";
import { day } from "./seed-leads.ts";
import { firstProgramId, folderIds } from "./seed-programs.ts";

export const firstListId = 1001;
export const firstCampaignId = 3001;

const listLines: [name: string, members: number][] = [
  ["Newsletter", 1200],
  ["Customers", 850],
  ["Trial Users", 600],
  ["Event Attendees", 450],
  ["Webinar Registrants", 400],
  ["Partners", 300],
  ["Churn Risk", 250],
  ["Beta Testers", 180],
  ["Press", 60],
  ["Suppression", 40],
  ["Advisory Board", 12],
  ["Empty List", 0],
];

/** Twelve lists. Members are every so many leads, with a step that meets every lead before it meets one again. */
export function seedLists(leads: LeadTable, today: number): Map<number, StaticList> {
  const ids = [...leads.all()].map(({ id }) => id);
  const lists = listLines.map(([name, size], index): StaticList => {
    const createdAt = today - (500 - index * 20) * day;
    const step = 7 + index * 6;
    const members = Array.from({ length: size }, (_, turn) => ids[(index * 131 + turn * step) % ids.length] ?? 0);
    return {
      id: firstListId + index,
      name,
      description: index % 3 === 0 ? `${name} as kept by hand` : null,
      folderId: folderIds.lists,
      programId: index === 4 ? firstProgramId + 21 : null,
      createdAt,
      updatedAt: createdAt + 90 * day,
      members: new Set(members),
    };
  });
  return new Map(lists.map((list) => [list.id, list]));
}

interface CampaignLine {
  name: string;
  type: Campaign["type"];
  program?: number;
  email?: number;
  list?: number;
  active?: boolean;
  requestable?: boolean;
}

/** Eight campaigns: triggers that can be requested, one that cannot, one switched off, and three batches. */
const campaignLines: CampaignLine[] = [
  { name: "Send Welcome", type: "trigger", program: 0, email: 0, active: true, requestable: true },
  { name: "Send Receipt", type: "trigger", email: 1, active: true, requestable: true },
  { name: "Invite to Webinar", type: "trigger", program: 21, email: 2, active: true, requestable: true },
  { name: "Form Follow-up", type: "trigger", program: 8, email: 6, active: true },
  { name: "Old Offer", type: "trigger", program: 4, email: 5, requestable: true },
  { name: "Monthly Letter Run", type: "batch", program: 3, email: 3, list: 0 },
  { name: "Customer Survey Run", type: "batch", program: 7, email: 7, list: 10 },
  { name: "Data Clean-up", type: "batch", list: 9 },
];

const tokens = ["{{my.message}}", "{{my.subject}}", "{{my.eventDate}}", "{{my.discount}}"];

export function seedCampaigns(today: number): Map<number, Campaign> {
  const campaigns = campaignLines.map(({ name, type, program, email, list, ...flags }, index): Campaign => {
    const createdAt = today - (280 - index * 15) * day;
    return {
      id: firstCampaignId + index,
      name,
      description: `${name}, ${type === "batch" ? "run by schedule" : "run by trigger"}`,
      type,
      folderId: folderIds.campaigns,
      programId: program === undefined ? null : firstProgramId + program,
      active: flags.active ?? false,
      requestable: flags.requestable ?? false,
      tokens,
      emailId: email === undefined ? null : firstEmailId + email,
      listId: list === undefined ? null : firstListId + list,
      runs: 0,
      createdAt,
      updatedAt: createdAt + 40 * day,
    };
  });
  return new Map(campaigns.map((campaign) => [campaign.id, campaign]));
}
