import type { Region } from "../../kernel/regions.ts";
import { page } from "./frame.ts";
import { guide, guideGroups } from "./guide.ts";
import { operationGroups, operationSections } from "./operations.ts";
import type { PageUrls } from "./parts.ts";

export { connectGuidePage, guideNames } from "./connect-guides.ts";
export { errorsPage } from "./errors.ts";
export { pageStyle } from "./style.ts";

const urls: PageUrls = {
  home: "../",
  reference: "documentation",
  errors: "documentation/errors",
  style: "documentation/style.css",
  openapi: "openapi.json",
};

/** The reference: a guide for newcomers, then every operation, from the values that serve them. */
export function documentationPage(baseUrl: string, region: Region): string {
  const here = { baseUrl, region, urls };
  const groups = [...guideGroups, ...operationGroups()];
  return page({ title: "Signalbox API", here: "reference", urls, groups }, [guide(here), operationSections(here)]);
}
