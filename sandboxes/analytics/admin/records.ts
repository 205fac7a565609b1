/** The resources of the Admin API as they are on the wire, kept in memory. */
export interface Account {
  name: string;
  createTime: string;
  updateTime: string;
  displayName: string;
  regionCode: string;
}

export interface Property {
  name: string;
  parent: string;
  account: string;
  propertyType: string;
  displayName: string;
  industryCategory?: string;
  timeZone: string;
  currencyCode: string;
  serviceLevel: string;
  createTime: string;
  updateTime: string;
  deleteTime?: string;
  expireTime?: string;
}

export interface KeyEvent {
  name: string;
  eventName: string;
  createTime: string;
  deletable?: true;
  custom?: true;
  countingMethod: string;
  defaultValue?: { numericValue: number; currencyCode: string };
}

export interface DataStream {
  name: string;
  type: string;
  displayName?: string;
  createTime: string;
  updateTime: string;
  webStreamData?: { measurementId: string; defaultUri?: string };
  androidAppStreamData?: { firebaseAppId?: string; packageName?: string };
  iosAppStreamData?: { firebaseAppId?: string; bundleId?: string };
}

/** A record of any other collection. */
export type Thing = Record<string, unknown> & { name: string };

export interface ChangeEvent {
  account: string;
  id: string;
  changeTime: string;
  actorType: "USER";
  userActorEmail: string;
  changes: { resource: string; action: string }[];
}

export interface Records {
  accounts: Map<string, Account>;
  /** By `properties/…`, in the order of creation. */
  properties: Map<string, Property>;
  keyEvents: Map<string, KeyEvent>;
  dataStreams: Map<string, DataStream>;
  /** When a property's first stream was set up, by property: from then on there are events, even if the stream goes. */
  collectsSince: Map<string, string>;
  /** Records of the other collections, and settings that were changed, by name. */
  things: Map<string, Thing>;
  /** Properties whose user data collection was acknowledged. */
  acknowledged: Set<string>;
  changes: ChangeEvent[];
  nextId: number;
}

const past = "2023-01-02T03:04:05.678Z";

interface PropertySeed {
  displayName: string;
  timeZone: string;
  currencyCode: string;
  industry?: string;
}

const property = (
  id: number,
  account: string,
  { displayName, timeZone, currencyCode, industry }: PropertySeed,
): Property => ({
  name: `properties/${id}`,
  parent: account,
  account,
  propertyType: "PROPERTY_TYPE_ORDINARY",
  displayName,
  ...(industry ? { industryCategory: industry } : {}),
  timeZone,
  currencyCode,
  serviceLevel: "GOOGLE_ANALYTICS_STANDARD",
  createTime: past,
  updateTime: past,
});

const stream = (propertyId: number, id: number, displayName: string, defaultUri: string): DataStream => ({
  name: `properties/${propertyId}/dataStreams/${id}`,
  type: "WEB_DATA_STREAM",
  displayName,
  createTime: past,
  updateTime: past,
  webStreamData: { measurementId: measurementId(id), defaultUri },
});

/** Not the property's number: people mix the two up all the time. */
export const measurementId = (streamId: number): string =>
  `G-${((streamId * 2_654_435_761) % 36 ** 7).toString(36).toUpperCase().padStart(7, "Q")}SBX`;

export function seedRecords(): Records {
  const account = (id: number, displayName: string, regionCode: string): Account => ({
    name: `accounts/${id}`,
    createTime: past,
    updateTime: past,
    displayName,
    regionCode,
  });
  const properties = [
    property(1000, "accounts/100", {
      displayName: "Shop",
      timeZone: "Europe/Paris",
      currencyCode: "EUR",
      industry: "SHOPPING",
    }),
    property(1001, "accounts/100", {
      displayName: "Journal",
      timeZone: "America/New_York",
      currencyCode: "USD",
      industry: "NEWS",
    }),
    property(1002, "accounts/100", { displayName: "New site", timeZone: "Etc/UTC", currencyCode: "GBP" }),
    // Properties so named fail every report in that way.
    property(1429, "accounts/100", { displayName: "sandbox-429", timeZone: "Etc/UTC", currencyCode: "EUR" }),
    property(1500, "accounts/100", { displayName: "sandbox-500", timeZone: "Etc/UTC", currencyCode: "EUR" }),
    property(1503, "accounts/100", { displayName: "sandbox-503", timeZone: "Etc/UTC", currencyCode: "EUR" }),
    property(2000, "accounts/200", { displayName: "Somebody else's site", timeZone: "Etc/UTC", currencyCode: "USD" }),
  ];
  const streams = [
    stream(1000, 5000, "Shop web", "https://www.fieldwork.example"),
    stream(1001, 5001, "Journal web", "https://journal.fieldwork.example"),
  ];
  const keyEvents: KeyEvent[] = [
    { name: "properties/1000/keyEvents/70", eventName: "purchase", createTime: past, countingMethod: "ONCE_PER_EVENT" },
    {
      name: "properties/1000/keyEvents/71",
      eventName: "generate_lead",
      createTime: past,
      deletable: true,
      custom: true,
      countingMethod: "ONCE_PER_SESSION",
      defaultValue: { numericValue: 10, currencyCode: "EUR" },
    },
    { name: "properties/1001/keyEvents/72", eventName: "purchase", createTime: past, countingMethod: "ONCE_PER_EVENT" },
  ];
  const byName = <Thing extends { name: string }>(things: Thing[]) =>
    new Map(things.map((thing) => [thing.name, thing]));
  return {
    accounts: byName([account(100, "Fieldwork", "FR"), account(200, "Somebody else", "US")]),
    properties: byName(properties),
    keyEvents: byName(keyEvents),
    dataStreams: byName(streams),
    collectsSince: new Map([
      ["properties/1000", past],
      ["properties/1001", past],
    ]),
    things: byName<Thing>([
      ...["properties/1000", "properties/1001"].flatMap((parent) =>
        definitions.map(({ segment, ...definition }, at) => ({
          ...definition,
          name: `${parent}/${segment}/${80 + at}`,
        })),
      ),
    ]),
    acknowledged: new Set(["properties/1000", "properties/1001"]),
    changes: [],
    nextId: 3000,
  };
}

/** The definitions of the shop's own fields, as reports know them. */
const definitions = [
  { segment: "customDimensions", parameterName: "plan", displayName: "Plan", scope: "EVENT" },
  { segment: "customDimensions", parameterName: "tier", displayName: "Customer tier", scope: "USER" },
  { segment: "customDimensions", parameterName: "material", displayName: "Material", scope: "ITEM" },
  {
    segment: "customMetrics",
    parameterName: "lead_score",
    displayName: "Lead score",
    measurementUnit: "STANDARD",
    scope: "EVENT",
  },
];

/** Children of a property, oldest first. */
export const childrenOf = <Thing extends { name: string }>(things: Map<string, Thing>, parent: string): Thing[] =>
  [...things.values()].filter((thing) => thing.name.startsWith(`${parent}/`));
