import type { Clock } from "../server/clock.ts";
import type { ActivityLog } from "./activities/activity-log.ts";
import type { ExportJobs } from "./bulk/export-jobs.ts";
import type { CallLimits } from "./gateway/call-limits.ts";
import type { Client } from "./gateway/clients.ts";
import type { Settings } from "./gateway/settings.ts";
import type { LeadTable } from "./leads/lead-table.ts";
import type {
  Campaign,
  CustomActivityType,
  DraftedAsset,
  Email,
  Folder,
  LandingPage,
  MyToken,
  Program,
  ProgramMember,
  Segmentation,
  SmartList,
  StaticList,
  StoredFile,
} from "./records.ts";

/** Everything one customer has in the system: what a reset throws away and the seed makes again. */
export interface Instance {
  leads: LeadTable;
  lists: Map<number, StaticList>;
  campaigns: Map<number, Campaign>;
  emails: Map<number, Email>;
  programs: Map<number, Program>;
  landingPages: Map<number, LandingPage>;
  folders: Map<number, Folder>;
  emailTemplates: Map<number, DraftedAsset>;
  pageTemplates: Map<number, DraftedAsset>;
  forms: Map<number, DraftedAsset>;
  snippets: Map<number, DraftedAsset>;
  files: Map<number, StoredFile>;
  segmentations: Map<number, Segmentation>;
  smartLists: Map<number, SmartList>;
  /** By folder or program, as `Folder 12`. */
  tokens: Map<string, MyToken[]>;
  /** By their API name. */
  customTypes: Map<string, CustomActivityType>;
  /** Which smart campaigns a lead has been through, with the first and the last time. */
  campaignMembers: Map<number, Map<number, { createdAt: number; updatedAt: number }>>;
  /** By program, then by lead. */
  programMembers: Map<number, Map<number, ProgramMember>>;
  activities: ActivityLog;
  exports: ExportJobs;
  /** Clones made by scheduling, by Central day. */
  clonesByDay: Map<string, number>;
}

/** What a call works on. */
export interface Context {
  instance: Instance;
  clock: Clock;
  settings: Settings;
  limits: CallLimits;
  client: Client;
}

/** The next free id of a table: one past its highest. */
export function nextId(table: Map<number, unknown>): number {
  let highest = 0;
  for (const id of table.keys()) if (id > highest) highest = id;
  return highest + 1;
}
