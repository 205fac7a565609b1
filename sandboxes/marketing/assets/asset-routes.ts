import type { Route } from "../gateway/router.ts";
import { approveEmail, discardEmailDraft, unapproveEmail } from "./approve-email.ts";
import { channelAndTagRoutes } from "./channels-and-tags.ts";
import { readEmailContent, updateEmailHead, updateEmailSection } from "./email-content.ts";
import { browseEmails, findEmail, readEmail } from "./emails.ts";
import { fileRoutes } from "./files.ts";
import { browseFolders, findFolder, readFolder } from "./folders.ts";
import { formRoutes } from "./forms.ts";
import { browseLandingPages, findLandingPage, readLandingPage } from "./landing-pages.ts";
import { browsePrograms, findProgram, readProgram } from "./programs.ts";
import { approves, reads, writes } from "./route-lines.ts";
import { segmentationRoutes } from "./segmentations.ts";
import { browseSmartCampaigns, findSmartCampaign, readSmartCampaign } from "./smart-campaigns.ts";
import { snippetRoutes } from "./snippets.ts";
import {
  browseStaticLists,
  createStaticList,
  deleteStaticList,
  findStaticList,
  readStaticList,
  updateStaticList,
} from "./static-list-assets.ts";
import { readLandingPageStats, readProgramStats } from "./statistics.ts";
import { templateRoutes } from "./templates.ts";
import { tokenRoutes } from "./tokens.ts";

/** Where a name and an id could stand in the same place, the name is a fixed path and so is found first. */
export const assetRoutes: Route[] = [
  reads("programs.json", browsePrograms),
  reads("program/byName.json", findProgram),
  reads("program/{id}.json", readProgram),
  { ...reads("program/{id}/stats.json", readProgramStats), undocumented: true },

  reads("emails.json", browseEmails),
  reads("email/byName.json", findEmail),
  reads("email/{id}.json", readEmail),
  reads("email/{id}/content.json", readEmailContent),
  writes("email/{id}/content.json", updateEmailHead),
  writes("email/{id}/content/{htmlId}.json", updateEmailSection),
  approves("email/{id}/approveDraft.json", approveEmail),
  approves("email/{id}/unapprove.json", unapproveEmail),
  writes("email/{id}/discardDraft.json", discardEmailDraft),

  reads("landingPages.json", browseLandingPages),
  reads("landingPage/byName.json", findLandingPage),
  reads("landingPage/{id}.json", readLandingPage),
  { ...reads("landingPage/{id}/stats.json", readLandingPageStats), undocumented: true },

  reads("smartCampaigns.json", browseSmartCampaigns),
  reads("smartCampaign/byName.json", findSmartCampaign),
  reads("smartCampaign/{id}.json", readSmartCampaign),

  reads("staticLists.json", browseStaticLists),
  writes("staticLists.json", createStaticList),
  reads("staticList/byName.json", findStaticList),
  reads("staticList/{id}.json", readStaticList),
  writes("staticList/{id}.json", updateStaticList),
  writes("staticList/{id}/delete.json", deleteStaticList),

  reads("folders.json", browseFolders),
  reads("folder/byName.json", findFolder),
  reads("folder/{id}.json", readFolder),

  ...tokenRoutes,
  ...templateRoutes,
  ...formRoutes,
  ...snippetRoutes,
  ...fileRoutes,
  ...segmentationRoutes,
  ...channelAndTagRoutes,
];
