import type { Route } from "../gateway/router.ts";
import { approveEmail, discardEmailDraft, unapproveEmail } from "./approve-email.ts";
import {
  cloneEmail,
  createEmail,
  deleteEmail,
  readDynamicContent,
  readFullContent,
  readVariables,
  replaceFullContent,
  sendSample,
  updateDynamicContent,
  updateEmail,
  updateVariable,
} from "./change-emails.ts";
import { createFolder, deleteFolder, updateFolder } from "./change-folders.ts";
import {
  cloneProgram,
  createProgram,
  deleteProgram,
  findProgramsByTag,
  lockProgram,
  updateProgram,
} from "./change-programs.ts";
import {
  cloneSmartCampaign,
  createSmartCampaign,
  deleteSmartCampaign,
  switchSmartCampaign,
  updateSmartCampaign,
} from "./change-smart-campaigns.ts";
import { channelAndTagRoutes } from "./channels-and-tags.ts";
import { readEmailContent, updateEmailHead, updateEmailSection } from "./email-content.ts";
import { browseEmails, findEmail, readEmail } from "./emails.ts";
import { fileRoutes } from "./files.ts";
import { readFolderContents } from "./folder-contents.ts";
import { browseFolders, findFolder, readFolder } from "./folders.ts";
import { formRoutes } from "./forms.ts";
import { browseLandingPages, findLandingPage, readLandingPage } from "./landing-pages.ts";
import { browsePrograms, findProgram, readProgram } from "./programs.ts";
import { approves, reads, writes } from "./route-lines.ts";
import { segmentationRoutes } from "./segmentations.ts";
import { browseSmartCampaigns, findSmartCampaign, readSmartCampaign } from "./smart-campaigns.ts";
import { smartListRoutes } from "./smart-lists.ts";
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

/** Where a name and an id could both match, the name is a fixed path and so is found first. */
export const assetRoutes: Route[] = [
  reads("programs.json", browsePrograms),
  writes("programs.json", createProgram),
  reads("program/byName.json", findProgram),
  reads("program/byTag.json", findProgramsByTag),
  reads("program/{id}.json", readProgram),
  writes("program/{id}.json", updateProgram),
  writes("program/{id}/delete.json", deleteProgram),
  writes("program/{id}/clone.json", cloneProgram),
  approves("program/{id}/approve.json", lockProgram("locked")),
  approves("program/{id}/unapprove.json", lockProgram("unlocked")),
  { ...reads("program/{id}/stats.json", readProgramStats), undocumented: true },

  reads("emails.json", browseEmails),
  writes("emails.json", createEmail),
  reads("email/byName.json", findEmail),
  reads("email/{id}.json", readEmail),
  reads("email/{id}/content.json", readEmailContent),
  writes("email/{id}/content.json", updateEmailHead),
  writes("email/{id}/content/{htmlId}.json", updateEmailSection),
  writes("email/{id}.json", updateEmail),
  writes("email/{id}/delete.json", deleteEmail),
  writes("email/{id}/clone.json", cloneEmail),
  writes("email/{id}/sendSample.json", sendSample),
  reads("email/{id}/fullContent.json", readFullContent),
  writes("email/{id}/fullContent.json", replaceFullContent),
  reads("email/{id}/variables.json", readVariables),
  writes("email/{id}/variable/{name}.json", updateVariable),
  reads("email/{id}/dynamicContent/{dynamicContentId}.json", readDynamicContent),
  writes("email/{id}/dynamicContent/{dynamicContentId}.json", updateDynamicContent),
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
  writes("smartCampaigns.json", createSmartCampaign),
  writes("smartCampaign/{id}.json", updateSmartCampaign),
  writes("smartCampaign/{id}/clone.json", cloneSmartCampaign),
  writes("smartCampaign/{id}/delete.json", deleteSmartCampaign),
  writes("smartCampaign/{id}/activate.json", switchSmartCampaign(true)),
  writes("smartCampaign/{id}/deactivate.json", switchSmartCampaign(false)),

  reads("staticLists.json", browseStaticLists),
  writes("staticLists.json", createStaticList),
  reads("staticList/byName.json", findStaticList),
  reads("staticList/{id}.json", readStaticList),
  writes("staticList/{id}.json", updateStaticList),
  writes("staticList/{id}/delete.json", deleteStaticList),

  reads("folders.json", browseFolders),
  reads("folder/byName.json", findFolder),
  reads("folder/{id}.json", readFolder),
  reads("folder/{id}/content.json", readFolderContents),
  writes("folders.json", createFolder),
  writes("folder/{id}.json", updateFolder),
  writes("folder/{id}/delete.json", deleteFolder),

  ...tokenRoutes,
  ...templateRoutes,
  ...formRoutes,
  ...snippetRoutes,
  ...fileRoutes,
  ...segmentationRoutes,
  ...smartListRoutes,
  ...channelAndTagRoutes,
];
