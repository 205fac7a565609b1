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
  /** Made on the first request: nothing of it changes while the process runs. As bytes, which all readers share. */
  content(): Buffer;
  /** A page that says that its reader's browser has a session. */
  forSignedIn?(): Buffer;
}

const htmlType = "text/html; charset=utf-8";

export function siteFiles(baseUrl: string, region: Region): Record<string, SiteFile> {
  const pageFile = (make: () => string): SiteFile => ({
    type: htmlType,
    content: onceAsBytes(make),
    forSignedIn: onceAsBytes(() => make().replace('<html lang="en">', '<html lang="en" data-signed-in>')),
  });
  return {
    "": pageFile(() => homePage(baseUrl, region)),
    api: pageFile(() => apiPage(baseUrl, region)),
    errors: pageFile(errorsPage),
    ...Object.fromEntries(areaNames.map((area) => [areaPath(area), pageFile(() => areaPage(area, baseUrl, region))])),
    ...Object.fromEntries(guidePaths.map((path) => [path, pageFile(() => guidePage(path))])),
    "search.json": {
      type: "application/json; charset=utf-8",
      content: onceAsBytes(() => JSON.stringify(searchIndex())),
    },
    "style.css": { type: "text/css; charset=utf-8", content: onceAsBytes(() => pageStyle) },
    "script.js": { type: "text/javascript; charset=utf-8", content: onceAsBytes(() => script("site.js")) },
    ...Object.fromEntries(
      ["search.js", "samples.js", "own-ids.js"].map((name) => [
        name,
        { type: "text/javascript; charset=utf-8", content: onceAsBytes(() => script(name)) },
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

const onceAsBytes = (make: () => string): (() => Buffer) => once(() => Buffer.from(make()));

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
