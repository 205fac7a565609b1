import { admin, enumeration, message } from "./admin-messages.ts";
import { type MessageType, many, one } from "./proto-json.ts";

/** The resources of the Admin API beyond properties, key events and streams. */

export const accountMessage = message("Account", {
  name: one("string"),
  createTime: one("string"),
  updateTime: one("string"),
  displayName: one("string"),
  regionCode: one("string"),
  deleted: one("bool"),
  gmpOrganization: one("string"),
});

export const accountTicketMessage = message("ProvisionAccountTicketRequest", {
  account: one(() => accountMessage),
  redirectUri: one("string"),
});

const words = (name: string, values: string) => enumeration(name, values.split(" "));

export const customDimensionMessage = message("CustomDimension", {
  name: one("string"),
  parameterName: one("string"),
  displayName: one("string"),
  description: one("string"),
  scope: one(words("CustomDimension.DimensionScope", "DIMENSION_SCOPE_UNSPECIFIED EVENT USER ITEM")),
  disallowAdsPersonalization: one("bool"),
});

const units =
  "MEASUREMENT_UNIT_UNSPECIFIED STANDARD CURRENCY FEET METERS KILOMETERS MILES MILLISECONDS SECONDS MINUTES HOURS";
export const customMetricMessage = message("CustomMetric", {
  name: one("string"),
  parameterName: one("string"),
  displayName: one("string"),
  description: one("string"),
  measurementUnit: one(words("CustomMetric.MeasurementUnit", units)),
  scope: one(words("CustomMetric.MetricScope", "METRIC_SCOPE_UNSPECIFIED EVENT")),
  restrictedMetricType: many(
    words("CustomMetric.RestrictedMetricType", "RESTRICTED_METRIC_TYPE_UNSPECIFIED COST_DATA REVENUE_DATA"),
  ),
});

export const googleAdsLinkMessage = message("GoogleAdsLink", {
  name: one("string"),
  customerId: one("string"),
  canManageClients: one("bool"),
  adsPersonalizationEnabled: one("bool"),
  createTime: one("string"),
  updateTime: one("string"),
  creatorEmailAddress: one("string"),
});

export const firebaseLinkMessage = message("FirebaseLink", {
  name: one("string"),
  project: one("string"),
  createTime: one("string"),
});

export const measurementSecretMessage = message("MeasurementProtocolSecret", {
  name: one("string"),
  displayName: one("string"),
  secretValue: one("string"),
});

// The number 2 is not used.
const retention = enumeration("DataRetentionSettings.RetentionDuration", [
  "RETENTION_DURATION_UNSPECIFIED",
  "TWO_MONTHS",
  "",
  "FOURTEEN_MONTHS",
  "TWENTY_SIX_MONTHS",
  "THIRTY_EIGHT_MONTHS",
  "FIFTY_MONTHS",
]);
export const retentionMessage = message("DataRetentionSettings", {
  name: one("string"),
  eventDataRetention: one(retention),
  userDataRetention: one(retention),
  resetUserDataOnNewActivity: one("bool"),
});

export const acknowledgementMessage = message("AcknowledgeUserDataCollectionRequest", {
  property: one("string"),
  acknowledgement: one("string"),
});

export const changeHistoryMessage = message("SearchChangeHistoryEventsRequest", {
  account: one("string"),
  property: one("string"),
  resourceType: many("anything"),
  action: many("anything"),
  actorEmail: many("string"),
  earliestChangeTime: one("string"),
  latestChangeTime: one("string"),
  pageSize: one("int32"),
  pageToken: one("string"),
});

const accessDimension = message("AccessDimension", { dimensionName: one("string") });
const accessMetric = message("AccessMetric", { metricName: one("string") });
const accessDateRange = message("AccessDateRange", { startDate: one("string"), endDate: one("string") });
export const accessReportMessage = message("RunAccessReportRequest", {
  entity: one("string"),
  dimensions: many(() => accessDimension),
  metrics: many(() => accessMetric),
  dateRanges: many(() => accessDateRange),
  dimensionFilter: one("anything"),
  metricFilter: one("anything"),
  offset: one("int64"),
  limit: one("int64"),
  timeZone: one("string"),
  orderBys: many("anything"),
  returnEntityQuota: one("bool"),
  includeAllUsers: one("bool"),
  expandGroups: one("bool"),
});

/** A resource whose names are checked and whose values are taken as they come. */
export const looseMessage = (name: string, fields: string): MessageType => ({
  messageName: admin(name),
  fields: Object.fromEntries(fields.split(" ").map((field) => [field, one("anything")])),
});
