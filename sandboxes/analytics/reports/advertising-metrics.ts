import { euroRatio, euros, first, keyEventCount, type Metric, ratio, sessionSum, sum, sumOf } from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";
import type { Primitive } from "./primitives.ts";

const paid = sumOf("cents", "purchase");
const adCost = sessionSum("costCents", "ads");
const adClicks: Primitive = {
  key: "ad clicks",
  counts: {
    kind: "sessions",
    when: (set) => (event) => (set.sessions.costCents[set.events.session[event] ?? 0] ?? 0) > 0,
  },
};
const searchClicks: Primitive = {
  key: "search clicks",
  counts: {
    kind: "sessions",
    when:
      ({ events, sessions }) =>
      (event) => {
        const session = events.session[event] ?? 0;
        return sessions.costCents[session] === 0 && (sessions.impressions[session] ?? 0) > 0;
      },
  },
};
const nothing = () => 0;

/** Advertisements bought, search results shown, advertisements sold. */
export const advertisingMetrics: Metric[] = [
  ...fields(
    "Advertising",
    [
      ["advertiserAdClicks", "Ads clicks", "INTEGER", "Clicks on your advertisements.", [adClicks], first],
      [
        "advertiserAdImpressions",
        "Ads impressions",
        "INTEGER",
        "Times they were shown.",
        [sessionSum("impressions", "ads")],
        first,
      ],
    ],
    { scope: "advertiser" },
  ),
  ...fields(
    "Advertising",
    [
      ["advertiserAdCost", "Ads cost", "CURRENCY", "What they cost.", [adCost], euros],
      [
        "advertiserAdCostPerClick",
        "Ads cost per click",
        "CURRENCY",
        "Cost of each click.",
        [adCost, adClicks],
        euroRatio,
      ],
      [
        "advertiserAdCostPerKeyEvent",
        "Cost per key event",
        "CURRENCY",
        "Cost of each key event.",
        ({ keyEvents }) => [adCost, ...keyEvents.map(keyEventCount)],
        ([cost = 0, ...counts]) => euroRatio([cost, sum(counts)]),
      ],
      ["returnOnAdSpend", "Return on ad spend", "FLOAT", "Purchases divided by cost.", [paid, adCost], ratio],
    ],
    { scope: "advertiser", restricted: "COST_DATA" },
  ),
  ...fields(
    "Search Console",
    [
      [
        "organicGoogleSearchClicks",
        "Organic Google Search clicks",
        "INTEGER",
        "Clicks on search results.",
        [searchClicks],
        first,
      ],
      [
        "organicGoogleSearchImpressions",
        "Organic Google Search impressions",
        "INTEGER",
        "Times results were shown.",
        [sessionSum("impressions", "search")],
        first,
      ],
      [
        "organicGoogleSearchClickThroughRate",
        "Organic Google Search click through rate",
        "FLOAT",
        "Clicks for each time shown.",
        [searchClicks, sessionSum("impressions", "search")],
        ratio,
      ],
      [
        "organicGoogleSearchAveragePosition",
        "Organic Google Search average position",
        "FLOAT",
        "Mean place of the result.",
        [sessionSum("position", "search"), searchClicks],
        ratio,
      ],
    ],
    { scope: "search console" },
  ),
  ...fields("Publisher", [
    ["publisherAdClicks", "Publisher ad clicks", "INTEGER", "Clicks on advertisements shown here.", [], nothing],
    ["publisherAdImpressions", "Publisher ad impressions", "INTEGER", "Times they were shown here.", [], nothing],
    ["adUnitExposure", "Ad unit exposure", "MILLISECONDS", "How long they were in sight.", [], nothing],
  ]),
];
