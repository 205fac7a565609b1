import { isTimeZone } from "../events/calendar.ts";
import { hasRole } from "../people/people.ts";
import { isCurrency } from "../reports/currency.ts";
import { propertyMessage } from "../wire/admin-messages.ts";
import { invalid } from "../wire/api-error.ts";
import type { Message } from "../wire/proto-json.ts";
import { type AdminScope, isGrantLost, refuseTrashed, requireAccount, requireProperty, timestamp } from "./access.ts";
import { pageOf } from "./paging.ts";
import type { Property } from "./records.ts";
import { readUpdateMask } from "./update-mask.ts";

const trashDays = 35;
const displayNameMax = 100;
const mutable = ["displayName", "timeZone", "currencyCode", "industryCategory"] as const;

export function getProperty(scope: AdminScope, name: string): Property {
  return requireProperty(scope, name, "viewer");
}

/** Lists what the caller may see below an account; the rest is left out silently. */
export function listProperties(scope: AdminScope, query: URLSearchParams): object {
  const filter = query.get("filter") ?? "";
  const showDeleted = query.get("showDeleted") === "true" || query.get("show_deleted") === "true";
  const [, kind, value] = /^(parent|ancestor|firebase_project):(.+)$/.exec(filter.trim()) ?? [];
  const isResource = /^(accounts|properties)\/\d+$/.test(value ?? "");
  if (kind === undefined || value === undefined || (kind !== "firebase_project" && !isResource)) {
    throw invalid(
      "The filter is required and must be one of parent:accounts/1, parent:properties/1, ancestor:accounts/1, firebase_project:my-project.",
    );
  }
  const isBelow = (property: Property) =>
    kind === "parent" ? property.parent === value : kind === "ancestor" && property.account === value;
  const found = [...scope.records.properties.values()].filter(
    (property) =>
      isBelow(property) &&
      !isGrantLost(property, scope.clock) &&
      (showDeleted || property.deleteTime === undefined) &&
      hasRole(scope.person, "viewer", property.account, property.name),
  );
  return pageOf(found, "properties", query, `${filter} ${showDeleted}`);
}

/** Only an administrator of the account creates properties below it. */
export function createProperty(scope: AdminScope, message: Message): Property {
  const parent = text(message, "parent");
  if (parent === "") throw invalid("The field parent is required.");
  if (!/^accounts\/\d+$/.test(parent))
    throw invalid(`Invalid parent: ${parent}. An account such as accounts/100 is required.`);
  requireAccount(scope, parent, "administrator");
  const type = text(message, "propertyType");
  if (type !== "" && type !== "PROPERTY_TYPE_UNSPECIFIED" && type !== "PROPERTY_TYPE_ORDINARY") {
    throw invalid(`Properties of type ${type} cannot be created by this method.`);
  }
  const now = timestamp(scope.clock);
  const industry = text(message, "industryCategory");
  const property: Property = {
    name: `properties/${scope.records.nextId++}`,
    parent,
    account: parent,
    propertyType: "PROPERTY_TYPE_ORDINARY",
    displayName: text(message, "displayName"),
    ...(industry === "" || industry === "INDUSTRY_CATEGORY_UNSPECIFIED" ? {} : { industryCategory: industry }),
    timeZone: text(message, "timeZone"),
    currencyCode: text(message, "currencyCode") || "USD",
    serviceLevel: "GOOGLE_ANALYTICS_STANDARD",
    createTime: now,
    updateTime: now,
  };
  check(property);
  scope.records.properties.set(property.name, property);
  return property;
}

/** Fields outside the mask stay as they are. A changed time zone holds for new data only. */
export function updateProperty(scope: AdminScope, name: string, message: Message, query: URLSearchParams): Property {
  const property = requireProperty(scope, name, "editor");
  const mask = readUpdateMask(query, mutable, Object.keys(propertyMessage.fields));
  refuseTrashed(property);
  const changed: Property = { ...property, updateTime: timestamp(scope.clock) };
  for (const field of mask) {
    const value = text(message, field);
    if (field === "industryCategory" && (value === "" || value === "INDUSTRY_CATEGORY_UNSPECIFIED"))
      delete changed.industryCategory;
    else if (field === "currencyCode" && value === "") changed.currencyCode = "USD";
    else Object.assign(changed, { [field]: value });
  }
  check(changed);
  scope.records.properties.set(name, changed);
  return changed;
}

/** Into the trash: there is no way back through the API, and after 35 days nothing is left. */
export function deleteProperty(scope: AdminScope, name: string): Property {
  const property = requireProperty(scope, name, "editor");
  refuseTrashed(property);
  const expireTime = new Date(scope.clock.now() + trashDays * 86_400_000).toISOString();
  const trashed: Property = { ...property, deleteTime: timestamp(scope.clock), expireTime };
  scope.records.properties.set(name, trashed);
  return trashed;
}

function check({ displayName, timeZone, currencyCode }: Property): void {
  if (displayName === "") throw invalid("The field display_name is required.");
  if (displayName.length > displayNameMax)
    throw invalid(`The field display_name must not be longer than ${displayNameMax} characters.`);
  if (timeZone === "") throw invalid("The field time_zone is required.");
  if (!isTimeZone(timeZone))
    throw invalid(`Invalid time_zone: ${timeZone}. A time zone of the IANA database is required.`);
  if (!isCurrency(currencyCode))
    throw invalid(`Invalid currency_code: ${currencyCode}. An ISO 4217 currency code is required.`);
}

const text = (message: Message, field: string): string => {
  const value = message[field];
  return typeof value === "string" ? value : "";
};
