import type { Instance } from "../instance.ts";
import type { AssetContent, DraftedAsset, MyToken, Segmentation, SmartList, StoredFile } from "../records.ts";
import { seedFormFields } from "./seed-form-fields.ts";
import { day } from "./seed-leads.ts";
import { firstProgramId, folderIds } from "./seed-programs.ts";

type Library = Pick<
  Instance,
  "emailTemplates" | "pageTemplates" | "forms" | "snippets" | "files" | "segmentations" | "smartLists" | "tokens"
>;

/** What e-mails and pages are made of: templates, forms, snippets, files, segmentations, smart lists and tokens. */
export function seedLibrary(today: number): Library {
  const createdAt = today - 700 * day;
  const updatedAt = today - 200 * day;
  const asset = (id: number, name: string, folderId: number, approved: AssetContent): DraftedAsset => ({
    id,
    name,
    description: "",
    folderId,
    programId: null,
    createdAt,
    updatedAt,
    approved,
    draft: null,
  });
  const html = (title: string) =>
    `<html><head><title>${title}</title></head><body><div class="mktEditable" id="content"></div></body></html>`;
  const { emails, pages, lists } = folderIds;
  const stood = { createdAt, updatedAt };
  return {
    emailTemplates: byId(
      ["Plain", "Newsletter", "Invitation"].map((name, index) =>
        asset(31 + index, name, emails, { content: html(name) }),
      ),
    ),
    pageTemplates: byId([
      asset(17, "Standard Page", pages, { content: html("Page"), templateType: "guided", enableMunchkin: true }),
    ]),
    forms: byId(
      ["Contact", "Trial", "Newsletter", "Event"].map((name, index) =>
        asset(701 + index, `${name} Form`, pages, seedFormFields(name)),
      ),
    ),
    snippets: byId([
      asset(61, "Footer", emails, { HTML: "<p>Example Inc.</p>", Text: "Example Inc." }),
      asset(62, "Signature", emails, { HTML: "<p>Your team</p>", Text: "Your team" }),
    ]),
    files: byId([
      {
        id: 81,
        name: "header.png",
        description: "",
        folderId: emails,
        mimeType: "image/png",
        content: "PNG",
        ...stood,
      },
    ] satisfies StoredFile[]),
    segmentations: byId([
      {
        id: 1001,
        name: "Region",
        description: "By country",
        folderId: lists,
        status: "approved",
        segments: ["Default", "EMEA", "AMER", "APAC"],
        ...stood,
      },
    ] satisfies Segmentation[]),
    smartLists: byId([
      { id: 2001, name: "Opened in 30 days", description: "", folderId: lists, programId: null, ...stood },
      { id: 2002, name: "No activity", description: "", folderId: lists, programId: null, ...stood },
    ] satisfies SmartList[]),
    tokens: new Map<string, MyToken[]>([
      [
        `Program ${firstProgramId}`,
        [
          { name: "message", type: "text", value: "Hello" },
          { name: "subject", type: "text", value: "Spring news" },
          { name: "eventDate", type: "date", value: "2030-05-01" },
          { name: "discount", type: "number", value: "10" },
        ],
      ],
    ]),
  };
}

const byId = <Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> =>
  new Map(rows.map((row) => [row.id, row]));
