import type { Route } from "../gateway/router.ts";
import { approveEmail, discardEmailDraft, unapproveEmail } from "./approve-email.ts";
import { readEmailContent, updateEmailHead, updateEmailSection } from "./email-content.ts";
import { browseEmails, findEmail, readEmail } from "./emails.ts";
import { browseFolders, findFolder, readFolder } from "./folders.ts";
import { browseLandingPages, findLandingPage, readLandingPage } from "./landing-pages.ts";
import { browsePrograms, findProgram, readProgram } from "./programs.ts";
import { browseSmartCampaigns, findSmartCampaign, readSmartCampaign } from "./smart-campaigns.ts";
import {
  browseStaticLists,
  createStaticList,
  deleteStaticList,
  findStaticList,
  readStaticList,
} from "./static-list-assets.ts";
import { readLandingPageStats, readProgramStats } from "./statistics.ts";

const reads = (path: string, run: Route["run"]): Route => ({
  method: "GET",
  path: `/rest/asset/v1/${path}`,
  needs: "Read-Only Assets",
  run,
});
const writes = (path: string, run: Route["run"]): Route => ({
  method: "POST",
  path: `/rest/asset/v1/${path}`,
  needs: "Read-Write Assets",
  run,
});
const approves = (path: string, run: Route["run"]): Route => ({ ...writes(path, run), needs: "Approve Assets" });

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
  writes("staticList/{id}/delete.json", deleteStaticList),

  reads("folders.json", browseFolders),
  reads("folder/byName.json", findFolder),
  reads("folder/{id}.json", readFolder),
];
