import { readdirSync, readFileSync } from "node:fs";
import type { Area } from "../../calls/define-operation.ts";
import type { Region } from "../../kernel/regions.ts";
import { guidePage } from "./guides.ts";
import { page } from "./page-frame.ts";
import { apiPage } from "./reference/api-page.ts";
import { areaContent, areaSections } from "./reference/area-page.ts";
import { errorsPage } from "./reference/errors-page.ts";
import { homePage } from "./reference/home-page.ts";
import { searchIndex } from "./search-index.ts";
import { areaNames, areaPath, docsFolder, guidePaths, linksFrom } from "./site-pages.ts";
import { pageStyle } from "./site-style.ts";

/** Everything that the site serves, by its path below `/latest/documentation`; the first page has an empty one. */

export interface SiteFile {
  type: string;
  /** Made on the first request: nothing of it changes while the process runs. */
  content(): string | Buffer;
}

const htmlType = "text/html; charset=utf-8";

export function siteFiles(baseUrl: string, region: Region): Record<string, SiteFile> {
  const pageFile = (make: () => string): SiteFile => ({ type: htmlType, content: once(make) });
  return {
    "": pageFile(() => homePage(baseUrl, region)),
    api: pageFile(() => apiPage(baseUrl, region)),
    errors: pageFile(errorsPage),
    ...Object.fromEntries(areaNames.map((area) => [areaPath(area), pageFile(() => areaPage(area, baseUrl, region))])),
    ...Object.fromEntries(guidePaths.map((path) => [path, pageFile(() => guidePage(path))])),
    "search.json": { type: "application/json; charset=utf-8", content: once(() => JSON.stringify(searchIndex())) },
    "style.css": { type: "text/css; charset=utf-8", content: () => pageStyle },
    "script.js": { type: "text/javascript; charset=utf-8", content: once(() => script("site.js")) },
    ...Object.fromEntries(
      ["search.js", "samples.js", "own-ids.js"].map((name) => [
        name,
        { type: "text/javascript; charset=utf-8", content: once(() => script(name)) },
      ]),
    ),
    ...Object.fromEntries(
      pictureNames.map((name) => [name, { type: pictureType(name), content: once(() => picture(name)) }]),
    ),
  };
}

export const areaPage = (area: Area, baseUrl: string, region: Region): string => {
  const path = areaPath(area);
  const { title, sections } = areaSections(area);
  return page({ path, title, sections }, areaContent(area, { baseUrl, region, links: linksFrom(path) }));
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const script = (name: string): string => readFileSync(new URL(`script/${name}`, import.meta.url), "utf8");

/** Pictures that the documents show: `docs/*.svg` and `docs/screens/*.png`. */
const pictureNames: string[] = [
  ...namesIn("").filter((name) => name.endsWith(".svg")),
  ...namesIn("screens/")
    .filter((name) => name.endsWith(".png"))
    .map((name) => `screens/${name}`),
];

function namesIn(folder: string): string[] {
  try {
    return readdirSync(new URL(folder, docsFolder));
  } catch {
    // A package without the documents serves none.
    return [];
  }
}

const pictureType = (name: string): string => (name.endsWith(".svg") ? "image/svg+xml" : "image/png");
const picture = (name: string): Buffer => readFileSync(new URL(name, docsFolder));
