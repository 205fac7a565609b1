import { randomBytes } from "node:crypto";
import { ApiError, invalid } from "../wire/api-error.ts";
import {
  customDimensionMessage,
  customMetricMessage,
  firebaseLinkMessage,
  googleAdsLinkMessage,
  looseMessage,
  measurementSecretMessage,
} from "../wire/more-admin-messages.ts";
import type { Message } from "../wire/proto-json.ts";
import { timestamp } from "./access.ts";
import type { Collection } from "./collections.ts";

const all = ["create", "get", "list", "patch", "delete"] as const;

function checkDefinition({ displayName, parameterName, description, scope }: Message): void {
  if (!/^[A-Za-z][\w ]{0,81}$/.test(String(displayName)))
    throw invalid(
      `Invalid display_name: ${displayName}. At most 82 letters, digits, spaces and underscores, a letter first.`,
    );
  const max = scope === "USER" ? 24 : 40;
  if (!new RegExp(`^[A-Za-z]\\w{0,${max - 1}}$`).test(String(parameterName)))
    throw invalid(
      `Invalid parameter_name: ${parameterName}. At most ${max} letters, digits and underscores, a letter first.`,
    );
  if (String(description ?? "").length > 150) throw invalid("The description has at most 150 characters.");
}

function checkCurrency({ measurementUnit, restrictedMetricType = [] }: Message): void {
  const isRestricted = (restrictedMetricType as unknown[]).length > 0;
  if ((measurementUnit === "CURRENCY") !== isRestricted)
    throw invalid("restricted_metric_type is required for metrics of the unit CURRENCY, and empty for all others.");
}

/** In both versions of the API. */
export const collections: Collection[] = [
  {
    segment: "customDimensions",
    one: "CustomDimension",
    under: "property",
    message: customDimensionMessage,
    methods: ["create", "get", "list", "patch", "archive"],
    required: ["parameterName", "displayName", "scope"],
    mutable: ["displayName", "description", "disallowAdsPersonalization"],
    unique: ["parameterName", "scope"],
    max: 85,
    check: checkDefinition,
  },
  {
    segment: "customMetrics",
    one: "CustomMetric",
    under: "property",
    message: customMetricMessage,
    methods: ["create", "get", "list", "patch", "archive"],
    required: ["parameterName", "displayName", "measurementUnit", "scope"],
    mutable: ["displayName", "description", "measurementUnit", "restrictedMetricType"],
    unique: ["parameterName", "scope"],
    max: 50,
    check(metric) {
      checkDefinition(metric);
      checkCurrency(metric);
    },
  },
  {
    segment: "googleAdsLinks",
    one: "GoogleAdsLink",
    under: "property",
    message: googleAdsLinkMessage,
    methods: ["create", "list", "patch", "delete"],
    required: ["customerId"],
    mutable: ["adsPersonalizationEnabled"],
    output: ["canManageClients", "createTime", "updateTime", "creatorEmailAddress"],
    unique: ["customerId"],
    added: ({ clock, person }, { adsPersonalizationEnabled = true }) => ({
      adsPersonalizationEnabled,
      createTime: timestamp(clock),
      updateTime: timestamp(clock),
      creatorEmailAddress: person.email,
    }),
  },
  {
    segment: "firebaseLinks",
    one: "FirebaseLink",
    under: "property",
    message: firebaseLinkMessage,
    methods: ["create", "list", "delete"],
    required: ["project"],
    output: ["createTime"],
    // "Properties can have at most one FirebaseLink."
    unique: [],
    check({ project }) {
      if (!/^projects\/[\w-]+$/.test(String(project))) throw invalid(`Invalid project: ${project}.`);
    },
    added: ({ clock }) => ({ createTime: timestamp(clock) }),
  },
  {
    segment: "measurementProtocolSecrets",
    one: "MeasurementProtocolSecret",
    under: "data stream",
    message: measurementSecretMessage,
    methods: all,
    required: ["displayName"],
    mutable: ["displayName"],
    output: ["secretValue"],
    // "This acknowledgement must be completed before MeasurementProtocolSecret resources may be created."
    check(_, { records }, parent) {
      if (!records.acknowledged.has(parent.split("/").slice(0, 2).join("/")))
        throw new ApiError("FAILED_PRECONDITION", "User data collection has not been acknowledged for this property.");
    },
    added: () => ({ secretValue: randomBytes(16).toString("base64url") }),
  },
];

const loose = (
  segment: string,
  one: string,
  fields: string,
  more: Partial<Collection> & Pick<Collection, "required">,
): Collection => {
  const message = looseMessage(one, `name ${fields}`);
  const fixed = [...(more.output ?? []), "name", "createTime", "advertiserId", "project", "adClientCode"];
  const mutable = fields.split(" ").filter((field) => !fixed.includes(field));
  return { segment, one, under: "property", message, methods: all, mutable, ...more };
};

const created: Collection["added"] = ({ clock }) => ({ createTime: timestamp(clock) });

/** In v1alpha alone. Their values are taken as they come. */
export const alphaCollections: Collection[] = [
  loose(
    "audiences",
    "Audience",
    "displayName description membershipDurationDays adsPersonalizationEnabled eventTrigger exclusionDurationMode filterClauses createTime",
    {
      methods: ["create", "get", "list", "patch", "archive"],
      required: ["displayName", "description", "membershipDurationDays", "filterClauses"],
      mutable: ["displayName", "description", "eventTrigger"],
      output: ["adsPersonalizationEnabled", "createTime"],
      added: created,
    },
  ),
  loose(
    "bigQueryLinks",
    "BigQueryLink",
    "project createTime dailyExportEnabled streamingExportEnabled freshDailyExportEnabled includeAdvertisingId exportStreams excludedEvents datasetLocation",
    { required: ["project", "datasetLocation"], output: ["createTime"], unique: ["project"], added: created },
  ),
  loose("adSenseLinks", "AdSenseLink", "adClientCode", {
    required: ["adClientCode"],
    methods: ["create", "get", "list", "delete"],
    unique: ["adClientCode"],
  }),
  loose(
    "displayVideo360AdvertiserLinks",
    "DisplayVideo360AdvertiserLink",
    "advertiserId advertiserDisplayName adsPersonalizationEnabled campaignDataSharingEnabled costDataSharingEnabled",
    { required: ["advertiserId"], output: ["advertiserDisplayName"], unique: ["advertiserId"] },
  ),
  loose(
    "searchAds360Links",
    "SearchAds360Link",
    "advertiserId campaignDataSharingEnabled costDataSharingEnabled advertiserDisplayName adsPersonalizationEnabled siteStatsSharingEnabled",
    { required: ["advertiserId"], output: ["advertiserDisplayName"], unique: ["advertiserId"] },
  ),
  loose("channelGroups", "ChannelGroup", "displayName description groupingRule systemDefined primary", {
    required: ["displayName", "groupingRule"],
    output: ["systemDefined"],
  }),
  loose(
    "reportingDataAnnotations",
    "ReportingDataAnnotation",
    "annotationDate annotationDateRange title description color systemGenerated",
    { required: ["title", "color"], output: ["systemGenerated"] },
  ),
  loose(
    "calculatedMetrics",
    "CalculatedMetric",
    "description displayName calculatedMetricId metricUnit restrictedMetricType formula invalidMetricReference",
    {
      required: ["displayName", "metricUnit", "formula"],
      output: ["calculatedMetricId", "restrictedMetricType", "invalidMetricReference"],
      idParameter: "calculatedMetricId",
    },
  ),
  loose(
    "eventCreateRules",
    "EventCreateRule",
    "destinationEvent eventConditions sourceCopyParameters parameterMutations",
    { under: "data stream", required: ["destinationEvent", "eventConditions"] },
  ),
];
