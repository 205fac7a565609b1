import type { Email, EmailVersion, Section } from "../records.ts";
import { day } from "./seed-leads.ts";
import { firstProgramId, folderIds } from "./seed-programs.ts";

export const firstEmailId = 1101;
const emailCount = 30;
// By index among the thirty: approved; approved with a newer draft; draft alone; a draft that cannot be approved; under test.
const withDraftFrom = 18;
const draftOnlyFrom = 24;
const incompleteAt = 28;
const underTestAt = 29;

/** Ids of e-mails in each state, to try what approval does. */
export const emailIds = {
  approved: firstEmailId,
  withDraft: firstEmailId + withDraftFrom,
  draftOnly: firstEmailId + draftOnlyFrom,
  incompleteDraft: firstEmailId + incompleteAt,
  underTest: firstEmailId + underTestAt,
};

const names = ["Welcome", "Receipt", "Invitation", "Monthly Letter", "Reminder", "Last Chance", "Thank You", "Survey"];

export function seedEmails(today: number): Map<number, Email> {
  const emails = Array.from({ length: emailCount }, (_, index) => seedEmail(index, today));
  return new Map(emails.map((email) => [email.id, email]));
}

function seedEmail(index: number, today: number): Email {
  const round = Math.floor(index / names.length);
  const baseName = names[index % names.length] ?? "";
  // The first draft alone shares its name with the first e-mail: a name is unique only within its folder.
  const name = round === 0 || index === draftOnlyFrom ? baseName : `${baseName} ${round + 1}`;
  const createdAt = today - (350 - index * 4) * day;
  const isDraftOnly = index >= draftOnlyFrom && index !== underTestAt;
  return {
    id: firstEmailId + index,
    name,
    description: index % 4 === 0 ? "" : `${name}, as designed in the library`,
    folderId: folderIds.emails,
    programId: index < draftOnlyFrom ? firstProgramId + index : null,
    operational: baseName === "Receipt",
    textOnly: false,
    template: 31 + (index % 3),
    underTest: index === underTestAt,
    createdAt,
    updatedAt: createdAt + 30 * day,
    approved: isDraftOnly ? null : version(name, index, ""),
    draft: index >= withDraftFrom && index !== underTestAt ? version(name, index, " (revised)") : null,
  };
}

function version(name: string, index: number, suffix: string): EmailVersion {
  const isIncomplete = index === incompleteAt;
  return {
    subject: isIncomplete ? null : `${name}${suffix}`,
    fromName: "Example Team",
    fromEmail: "team@example.com",
    replyEmail: isIncomplete ? null : "reply@example.com",
    preHeader: index % 2 === 0 ? `In short: ${name.toLowerCase()}` : null,
    sections: sections(name, index, suffix),
  };
}

function sections(name: string, index: number, suffix: string): Section[] {
  const body = `Dear {{lead.First Name:default=friend}}, ${name.toLowerCase()}${suffix}.`;
  return [
    { htmlId: "header-module", contentType: "Module", index: 1, isLocked: false },
    {
      htmlId: "header-image",
      contentType: "Image",
      value: {
        type: "Image",
        contentUrl: "https://www.example.com/header.png",
        altText: name,
        width: 600,
        height: 120,
      },
      parentHtmlId: "header-module",
      isLocked: false,
    },
    { htmlId: "text-module", contentType: "Module", index: 2, isLocked: false },
    {
      htmlId: "main-text",
      contentType: "Text",
      value: [
        { type: "HTML", value: `<p>${body}</p>` },
        { type: "Text", value: body },
      ],
      parentHtmlId: "text-module",
      isLocked: false,
    },
    ...(index % 5 === 0 ? [dynamicSection(index)] : []),
  ];
}

const dynamicSection = (index: number): Section => ({
  htmlId: "regional-offer",
  contentType: "DynamicContent",
  value: 900 + index,
  parentHtmlId: "text-module",
  isLocked: false,
});
