import { pages } from "../events/site.ts";
import { queryRadix } from "./columns.ts";
import { type Dimension, notSet } from "./dimension.ts";
import { dimensionFields, type Label } from "./dimension-table.ts";

// The report tables keep so many variants of a query string apart; the rest is one row.
const queryVariantsKept = 150;
const path = (code: number) => pages[code]?.path ?? notSet;
const title = (code: number) => pages[code]?.title ?? notSet;

function pathWithQuery(code: number): string {
  const query = code % queryRadix;
  if (query > queryVariantsKept) return "(other)";
  const page = path(Math.floor(code / queryRadix));
  return query === 0 ? page : `${page}?ref=${query.toString(36)}`;
}

const withHost: Label = (code, { hostName }) => {
  const page = pathWithQuery(code);
  return page === "(other)" ? page : hostName + page;
};
const location: Label = (code, context) => {
  const page = withHost(code, context);
  return page === "(other)" ? page : `https://${page}`;
};

/** Where something happened: stream, host, page. */
export const pageDimensions: Dimension[] = [
  ...dimensionFields("nothing", "Platform / Device", [
    ["platform", "Platform", "Where the site or app runs.", () => "web"],
    ["streamId", "Stream ID", "The number of the data stream.", (_, { streamId }) => streamId],
    ["streamName", "Stream name", "The name of the data stream.", (_, { streamName }) => streamName],
    ["appVersion", "App version", "The version of the app; websites have none.", () => notSet],
  ]),
  ...dimensionFields("nothing", "Page / Screen", [
    ["hostName", "Hostname", "The host of the page.", (_, { hostName }) => hostName],
    ["pageReferrer", "Page referrer", "The address of the page before.", () => ""],
    ["contentId", "Content ID", "The number of the content.", () => notSet],
  ]),
  ...dimensionFields("page", "Page / Screen", [
    ["pagePath", "Page path", "The path of the page, without the query string.", path],
    ["pageTitle", "Page title", "The title of the page.", title],
    ["unifiedScreenName", "Page title and screen name", "The title of a page or the name of a screen.", title],
    ["unifiedPagePathScreen", "Page path and screen class", "The path of a page or the class of a screen.", path],
    ["unifiedScreenClass", "Page title and screen class", "The title of a page or the class of a screen.", title],
    [
      "contentGroup",
      "Content group",
      "The group that the page is published under.",
      (code) => pages[code]?.group ?? notSet,
    ],
    ["contentType", "Content type", "The kind of page.", (code) => pages[code]?.type ?? notSet],
  ]),
  ...dimensionFields(
    "pageQuery",
    "Page / Screen",
    [
      [
        "pagePathPlusQueryString",
        "Page path + query string",
        "The path of the page with its query string.",
        pathWithQuery,
      ],
      ["pageLocation", "Page location", "The whole address of the page.", location],
      ["fullPageUrl", "Full page URL", "Host, path and query string of the page.", withHost],
    ],
    { isFolded: true },
  ),
  ...dimensionFields("landing", "Page / Screen", [
    ["landingPage", "Landing page", "The path of the first page of the session.", path],
  ]),
  ...dimensionFields(
    "landingQuery",
    "Page / Screen",
    [
      [
        "landingPagePlusQueryString",
        "Landing page + query string",
        "The first page of the session with its query string.",
        pathWithQuery,
      ],
    ],
    { isFolded: true },
  ),
];
