import { type Device, devices } from "../events/devices.ts";
import { continentId, languages, type Place, places } from "../events/places.ts";
import { type Traffic, traffic } from "../events/traffic.ts";
import { type Dimension, notSet, pad } from "./dimension.ts";
import { compactDate } from "./time-dimensions.ts";

/** Where visitors are, what they use, where they came from, who they are. */
type Row<Thing> = [apiName: string, uiName: string, description: string, label: (thing: Thing) => string];

const geography: Row<Place>[] = [
  ["country", "Country", "The country of the visitor.", (place) => place.country],
  ["countryId", "Country ID", "The two letters of the country.", (place) => place.countryId],
  ["region", "Region", "The region of the visitor.", (place) => place.region],
  ["city", "City", "The town or city of the visitor.", (place) => place.city],
  [
    "cityId",
    "City ID",
    "A number for the town or city.",
    (place) => (place.city === notSet ? notSet : String(1_000_000 + places.indexOf(place))),
  ],
  ["continent", "Continent", "The continent of the visitor.", (place) => place.continent],
  ["continentId", "Continent ID", "The number of the continent.", (place) => continentId(place.continent)],
  ["subContinent", "Subcontinent", "The part of the continent.", (place) => place.subContinent],
];

const device: Row<Device>[] = [
  ["deviceCategory", "Device category", "Desktop, mobile, tablet or smart TV.", (each) => each.category],
  ["browser", "Browser", "The browser used.", (each) => each.browser],
  ["operatingSystem", "Operating system", "The operating system of the device.", (each) => each.system],
  ["operatingSystemVersion", "OS version", "The version of the operating system.", (each) => each.systemVersion],
  [
    "operatingSystemWithVersion",
    "Operating system with version",
    "Operating system and version together.",
    (each) => (each.systemVersion === notSet ? each.system : `${each.system} ${each.systemVersion}`),
  ],
  [
    "platformDeviceCategory",
    "Platform / device category",
    "Platform and kind of device.",
    (each) => `web / ${each.category}`,
  ],
  ["screenResolution", "Screen resolution", "Width and height of the screen.", (each) => each.resolution],
  ["mobileDeviceModel", "Device model", "The model of a mobile device.", (each) => each.model],
  ["mobileDeviceBranding", "Device brand", "The maker of a mobile device.", (each) => each.brand],
  ["deviceModel", "Device model name", "The model of the device.", (each) => each.model],
];

type Origin = [suffix: string, uiName: string, label: (from: Traffic) => string];
const origins: Origin[] = [
  ["Source", "source", (from) => from.source],
  ["Medium", "medium", (from) => from.medium],
  ["SourceMedium", "source / medium", (from) => `${from.source} / ${from.medium}`],
  ["CampaignName", "campaign", (from) => from.campaign],
  ["CampaignId", "campaign ID", (from) => from.campaignId],
  ["DefaultChannelGroup", "default channel group", (from) => from.channel],
  ["PrimaryChannelGroup", "primary channel group", (from) => from.channel],
  ["ManualTerm", "manual term", (from) => from.term],
  ["ManualAdContent", "manual ad content", (from) => from.adContent],
  ["SourcePlatform", "source platform", (from) => from.platform],
  ["GoogleAdsCampaignName", "Google Ads campaign", (from) => (from.platform === "Google Ads" ? from.campaign : notSet)],
  ["GoogleAdsAdGroupName", "Google Ads ad group name", (from) => from.adGroup],
];

/** The same facts three times: of the session, of the user's first session, and of the session that an event is credited to. */
function originFields(
  prefix: string,
  shownPrefix: string,
  category: string,
  column: "traffic" | "firstTraffic",
): Dimension[] {
  return origins.map(([suffix, shown, label]) => {
    const apiName = prefix === "" ? (suffix[0] ?? "").toLowerCase() + suffix.slice(1) : prefix + suffix;
    const uiName = shownPrefix === "" ? (shown[0] ?? "").toUpperCase() + shown.slice(1) : `${shownPrefix} ${shown}`;
    return {
      apiName,
      uiName,
      category,
      description: `${uiName} of the visit that ${column === "firstTraffic" ? "brought the user first" : "led to it"}.`,
      ...(suffix === "DefaultChannelGroup" ? { deprecatedApiNames: [`${apiName}ing`] } : {}),
      column,
      label: (code: number) => of(traffic[code], label),
    };
  });
}

const of = <Thing>(thing: Thing | undefined, label: (thing: Thing) => string): string =>
  thing ? label(thing) : notSet;

const ages = ["18-24", "25-34", "35-44", "45-54", "55-64", "65+", "unknown"];
const genders = ["female", "male", "unknown"];
const interests = ["Travel/Hotels & Accommodations", "Sports & Fitness", "Food & Dining", notSet];

const user = (
  apiName: string,
  uiName: string,
  description: string,
  rest: Pick<Dimension, "column" | "label" | "scope">,
): Dimension => ({
  apiName,
  uiName,
  category: rest.scope === "thresholded" && !apiName.startsWith("audience") ? "Demographics" : "User",
  description,
  ...rest,
});

export const visitDimensions: Dimension[] = [
  ...geography.map(
    ([apiName, uiName, description, label]): Dimension => ({
      apiName,
      uiName,
      category: "Geography",
      description,
      column: "place",
      label: (code) => of(places[code], label),
    }),
  ),
  ...device.map(
    ([apiName, uiName, description, label]): Dimension => ({
      apiName,
      uiName,
      category: "Platform / Device",
      description,
      column: "device",
      label: (code) => of(devices[code], label),
    }),
  ),
  ...(["name", "code"] as const).map(
    (part): Dimension => ({
      apiName: part === "name" ? "language" : "languageCode",
      uiName: part === "name" ? "Language" : "Language code",
      category: "Platform / Device",
      description:
        part === "name" ? "The language of the browser, in English." : "The language of the browser as a code.",
      column: "language",
      label: (code) => languages[code]?.[part] ?? notSet,
    }),
  ),
  ...originFields("session", "Session", "Traffic Source", "traffic"),
  ...originFields("firstUser", "First user", "Traffic Source", "firstTraffic"),
  ...originFields("", "", "Attribution", "traffic"),
  user("newVsReturning", "New / returning", "Whether the visit was the user's first.", {
    column: "isNew",
    label: (code) => (code === 1 ? "new" : "returning"),
  }),
  user("firstSessionDate", "First session date", "The day of the user's first visit, as YYYYMMDD.", {
    column: "userDay",
    label: (code) => compactDate(code),
  }),
  user("signedInWithUserId", "Signed in with user ID", "Whether the user was signed in.", {
    column: "traits",
    label: (code) => (code % 5 === 0 ? "yes" : notSet),
  }),
  user("audienceId", "Audience ID", "The number of the audience the user is in.", {
    column: "traits",
    scope: "thresholded",
    label: (code) => pad(7001 + (code % 3), 4),
  }),
  user("audienceName", "Audience name", "The audience the user is in.", {
    column: "traits",
    scope: "thresholded",
    label: (code) => ["All Users", "Purchasers", "Recent readers"][code % 3] ?? notSet,
  }),
  user("userAgeBracket", "Age", "The age of the user, as a bracket.", {
    column: "traits",
    scope: "thresholded",
    label: (code) => ages[Math.floor(code / 12)] ?? "unknown",
  }),
  user("userGender", "Gender", "The gender of the user, where known.", {
    column: "traits",
    scope: "thresholded",
    label: (code) => genders[Math.floor(code / 4) % 3] ?? "unknown",
  }),
  user("brandingInterest", "Interests", "What the user is interested in.", {
    column: "traits",
    scope: "thresholded",
    label: (code) => interests[code % 4] ?? notSet,
  }),
];
