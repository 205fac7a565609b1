import { type EnumType, type MessageType, one, oneOf } from "./proto-json.ts";

export const admin = (name: string) => `google.analytics.admin.v1beta.${name}`;
export const message = (name: string, fields: MessageType["fields"]): MessageType => ({
  messageName: admin(name),
  fields,
});
export const enumeration = (name: string, values: string[]): EnumType => ({ enumName: admin(name), values });

export const industryCategories = [
  "AUTOMOTIVE",
  "BUSINESS_AND_INDUSTRIAL_MARKETS",
  "FINANCE",
  "HEALTHCARE",
  "TECHNOLOGY",
  "TRAVEL",
  "OTHER",
  "ARTS_AND_ENTERTAINMENT",
  "BEAUTY_AND_FITNESS",
  "BOOKS_AND_LITERATURE",
  "FOOD_AND_DRINK",
  "GAMES",
  "HOBBIES_AND_LEISURE",
  "HOME_AND_GARDEN",
  "INTERNET_AND_TELECOM",
  "LAW_AND_GOVERNMENT",
  "NEWS",
  "ONLINE_COMMUNITIES",
  "PEOPLE_AND_SOCIETY",
  "PETS_AND_ANIMALS",
  "REAL_ESTATE",
  "REFERENCE",
  "SCIENCE",
  "SPORTS",
  "JOBS_AND_EDUCATION",
  "SHOPPING",
];

const industryCategory = enumeration("IndustryCategory", ["INDUSTRY_CATEGORY_UNSPECIFIED", ...industryCategories]);
const propertyType = enumeration("PropertyType", [
  "PROPERTY_TYPE_UNSPECIFIED",
  "PROPERTY_TYPE_ORDINARY",
  "PROPERTY_TYPE_SUBPROPERTY",
  "PROPERTY_TYPE_ROLLUP",
]);
const serviceLevel = enumeration("ServiceLevel", [
  "SERVICE_LEVEL_UNSPECIFIED",
  "GOOGLE_ANALYTICS_STANDARD",
  "GOOGLE_ANALYTICS_360",
]);
const countingMethods = ["COUNTING_METHOD_UNSPECIFIED", "ONCE_PER_EVENT", "ONCE_PER_SESSION"];
const countingMethod = enumeration("KeyEvent.CountingMethod", countingMethods);
const conversionCountingMethod = enumeration("ConversionEvent.ConversionCountingMethod", [
  "CONVERSION_COUNTING_METHOD_UNSPECIFIED",
  ...countingMethods.slice(1),
]);
const dataStreamType = enumeration("DataStream.DataStreamType", [
  "DATA_STREAM_TYPE_UNSPECIFIED",
  "WEB_DATA_STREAM",
  "ANDROID_APP_DATA_STREAM",
  "IOS_APP_DATA_STREAM",
]);

// Output-only fields are read as strings and then left aside, because a client may send back what it was given.
export const propertyMessage = message("Property", {
  name: one("string"),
  propertyType: one(propertyType),
  createTime: one("string"),
  updateTime: one("string"),
  parent: one("string"),
  displayName: one("string"),
  industryCategory: one(industryCategory),
  timeZone: one("string"),
  currencyCode: one("string"),
  serviceLevel: one(serviceLevel),
  deleteTime: one("string"),
  expireTime: one("string"),
  account: one("string"),
});

const keyEventValue = message("KeyEvent.DefaultValue", { numericValue: one("double"), currencyCode: one("string") });
export const keyEventMessage = message("KeyEvent", {
  name: one("string"),
  eventName: one("string"),
  createTime: one("string"),
  deletable: one("bool"),
  custom: one("bool"),
  countingMethod: one(countingMethod),
  defaultValue: one(() => keyEventValue),
});

const conversionValue = message("ConversionEvent.DefaultConversionValue", {
  value: one("double"),
  currencyCode: one("string"),
});
export const conversionEventMessage = message("ConversionEvent", {
  name: one("string"),
  eventName: one("string"),
  createTime: one("string"),
  deletable: one("bool"),
  custom: one("bool"),
  countingMethod: one(conversionCountingMethod),
  defaultConversionValue: one(() => conversionValue),
});

const webStreamData = message("DataStream.WebStreamData", {
  measurementId: one("string"),
  firebaseAppId: one("string"),
  defaultUri: one("string"),
});
const androidAppStreamData = message("DataStream.AndroidAppStreamData", {
  firebaseAppId: one("string"),
  packageName: one("string"),
});
const iosAppStreamData = message("DataStream.IosAppStreamData", {
  firebaseAppId: one("string"),
  bundleId: one("string"),
});
export const dataStreamMessage = message("DataStream", {
  name: one("string"),
  type: one(dataStreamType),
  displayName: one("string"),
  createTime: one("string"),
  updateTime: one("string"),
  webStreamData: oneOf("stream_data", () => webStreamData),
  androidAppStreamData: oneOf("stream_data", () => androidAppStreamData),
  iosAppStreamData: oneOf("stream_data", () => iosAppStreamData),
});
