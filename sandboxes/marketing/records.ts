/** What an instance holds, as plain records: every folder may import them, and they import none. */

export interface StaticList {
  id: number;
  name: string;
  description: string | null;
  folderId: number;
  programId: number | null;
  createdAt: number;
  updatedAt: number;
  members: Set<number>;
}

/** A smart campaign: who it is for, and what it sends them. */
export interface Campaign {
  id: number;
  name: string;
  description: string;
  type: "batch" | "trigger";
  folderId: number;
  programId: number | null;
  active: boolean;
  /** Has the trigger "Campaign is Requested" with the web service as its source. */
  requestable: boolean;
  /** Tokens of the program or folder that it stands in. */
  tokens: string[];
  emailId: number | null;
  /** Whom a batch campaign runs for. */
  listId: number | null;
  /** How often it has run. */
  runs: number;
  createdAt: number;
  updatedAt: number;
}

export type ProgramType = "Default" | "Event" | "Event with Webinar" | "Engagement" | "Email";

export interface Program {
  id: number;
  name: string;
  description: string;
  type: ProgramType;
  channel: string;
  folderId: number;
  /** Empty for most; on/off for engagement, unlocked/locked/completed for e-mail programs. */
  status: string;
  tags: { tagType: string; tagValue: string }[];
  createdAt: number;
  updatedAt: number;
}

/** A lead in a program: how far it has come, in a word of the program's channel. */
export interface ProgramMember {
  status: string;
  /** The program is where the lead comes from. */
  acquiredBy: boolean;
  joinedAt: number;
  updatedAt: number;
}

export interface LandingPage {
  id: number;
  name: string;
  description: string;
  title: string;
  folderId: number;
  programId: number | null;
  status: "approved" | "draft";
  template: number;
  formId: number;
  createdAt: number;
  updatedAt: number;
}

export interface Folder {
  id: number;
  name: string;
  kind: "List" | "Marketing Folder" | "Landing Page";
  parentId: number | null;
  isSystem: boolean;
  createdAt: number;
  description?: string | null;
  isArchive?: boolean;
}

export type SectionValue = { type: "HTML" | "Text"; value: string }[] | Record<string, unknown> | number;

/** One editable part of an e-mail. */
export interface Section {
  htmlId: string;
  contentType: "Text" | "Image" | "Video" | "Snippet" | "DynamicContent" | "Module";
  /** Texts for Text, an object for Image and Video, an id for DynamicContent and Snippet, absent for Module. */
  value?: SectionValue;
  index?: number;
  parentHtmlId?: string;
  isLocked?: boolean;
}

/** What can differ between the approved e-mail and its draft. */
export interface EmailVersion {
  subject: string | null;
  fromName: string | null;
  fromEmail: string | null;
  replyEmail: string | null;
  preHeader: string | null;
  sections: Section[];
  /** By name. */
  variables?: Record<string, string>;
  /** What each segment gets, by the id of the dynamic content. */
  dynamic?: Record<string, { segmentName: string; type: string; content: string }[]>;
}

export interface Email {
  id: number;
  name: string;
  description: string;
  folderId: number;
  programId: number | null;
  operational: boolean;
  textOnly: boolean;
  template: number;
  /** Under an A/B test: the API does not show such e-mails. */
  underTest: boolean;
  createdAt: number;
  updatedAt: number;
  approved: EmailVersion | null;
  draft: EmailVersion | null;
}

/** An asset with an approved version and perhaps a newer draft: templates, forms, snippets. */
export interface DraftedAsset {
  id: number;
  name: string;
  description: string;
  folderId: number;
  programId: number | null;
  createdAt: number;
  updatedAt: number;
  approved: AssetContent | null;
  draft: AssetContent | null;
}

/** What can differ between the approved version and the draft; which members there are depends on the kind. */
export type AssetContent = Record<string, unknown>;

export interface StoredFile {
  id: number;
  name: string;
  description: string;
  folderId: number;
  mimeType: string;
  content: string;
  createdAt: number;
  updatedAt: number;
}

export interface Segmentation {
  id: number;
  name: string;
  description: string;
  folderId: number;
  status: "approved" | "draft";
  segments: string[];
  createdAt: number;
  updatedAt: number;
}

/** A smart list stands alone, or belongs to a campaign or a program. */
export interface SmartList {
  id: number;
  name: string;
  description: string;
  folderId: number;
  programId: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface MyToken {
  name: string;
  type: string;
  value: string;
}

/** A kind of activity that the customer has defined. Drafts must be approved before they can be used. */
export interface CustomActivityType {
  id: number;
  apiName: string;
  name: string;
  triggerName: string;
  filterName: string;
  description: string;
  primaryAttribute: Record<string, unknown>;
  attributes: Record<string, unknown>[];
  status: "draft" | "approved" | "approved with draft";
  createdAt: number;
  updatedAt: number;
}
