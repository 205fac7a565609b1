import type { Folder, LandingPage, Program, ProgramType } from "../records.ts";
import { day } from "./seed-leads.ts";

export const folderIds = { lists: 12, campaigns: 21, programs: 22, emails: 23, pages: 24 };

const folderLines: [id: number, name: string, kind: Folder["kind"], parentId: number | null, isSystem: boolean][] = [
  [5, "Lead Database", "List", null, true],
  [12, "Group Lists", "List", 5, true],
  [20, "Marketing Activities", "Marketing Folder", null, true],
  [21, "Operations", "Marketing Folder", 20, false],
  [22, "Programs", "Marketing Folder", 20, false],
  [23, "Email Library", "Marketing Folder", 20, false],
  [24, "Landing Pages", "Landing Page", null, true],
];

export function seedFolders(today: number): Map<number, Folder> {
  const createdAt = today - 900 * day;
  return new Map(
    folderLines.map(([id, name, kind, parentId, isSystem]) => [id, { id, name, kind, parentId, isSystem, createdAt }]),
  );
}

export const firstProgramId = 1001;

const kinds: [type: ProgramType, channel: string, statuses: string[], names: string[]][] = [
  [
    "Email",
    "Email Send",
    ["completed", "completed", "locked", "unlocked"],
    [
      "Spring Send",
      "Summer Send",
      "Autumn Send",
      "Winter Send",
      "Price List",
      "Product News",
      "Customer Letter",
      "Survey",
    ],
  ],
  [
    "Default",
    "List Import",
    [""],
    [
      "Website",
      "Partner Referrals",
      "Content Library",
      "Free Trial",
      "Pricing Page",
      "Contact Us",
      "Case Studies",
      "Onboarding",
    ],
  ],
  ["Event", "Tradeshow", [""], ["Harbour Expo", "Optics Fair", "City Meetup", "User Day", "Open House"]],
  ["Event with Webinar", "Webinar", [""], ["Getting Started Webinar"]],
  ["Engagement", "Nurture", ["on", "off"], ["New Customer Nurture", "Trial Nurture", "Win Back", "Upgrade Path"]],
];

/** 26 programs of every type, so that browsing takes two pages. The e-mail programs have the lowest ids. */
export function seedPrograms(today: number): Map<number, Program> {
  const programs = new Map<number, Program>();
  for (const [type, channel, statuses, names] of kinds) {
    for (const [index, name] of names.entries()) {
      const id = firstProgramId + programs.size;
      programs.set(id, {
        id,
        name,
        description: index % 3 === 0 ? "" : `${type} program for ${name.toLowerCase()}`,
        type,
        channel,
        folderId: folderIds.programs,
        status: statuses[index % statuses.length] ?? "",
        tags: index % 2 === 0 ? [{ tagType: "Region", tagValue: "EMEA" }] : [],
        createdAt: today - (400 - programs.size * 5) * day,
        updatedAt: today - (120 - programs.size * 4) * day,
      });
    }
  }
  return programs;
}

export const firstLandingPageId = 501;
const pageNames = [
  "Home Offer",
  "Price Request",
  "Trial Sign-up",
  "Webinar Registration",
  "Guide Download",
  "Event Booking",
  "Thank You",
  "Newsletter Sign-up",
  "Partner Form",
  "Demo Request",
  "Case Study",
  "Unpublished Draft",
];

export function seedLandingPages(today: number): Map<number, LandingPage> {
  const pages = pageNames.map((name, index): LandingPage => {
    const createdAt = today - (300 - index * 10) * day;
    return {
      id: firstLandingPageId + index,
      name,
      description: "",
      title: name,
      folderId: folderIds.pages,
      programId: index < 8 ? firstProgramId + 8 + index : null,
      status: index === pageNames.length - 1 ? "draft" : "approved",
      template: 17,
      formId: 701 + (index % 4),
      createdAt,
      updatedAt: createdAt + 20 * day,
    };
  });
  return new Map(pages.map((page) => [page.id, page]));
}
