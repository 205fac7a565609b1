import { isCurrency } from "../reports/currency.ts";
import { keyEventMessage } from "../wire/admin-messages.ts";
import { ApiError, invalid } from "../wire/api-error.ts";
import type { Message } from "../wire/proto-json.ts";
import { type AdminScope, alreadyExists, notFound, refuseTrashed, requireProperty, timestamp } from "./access.ts";
import { pageOf } from "./paging.ts";
import { childrenOf, type KeyEvent } from "./records.ts";
import { readUpdateMask } from "./update-mask.ts";

// The vendor's own key events, which stay and are not custom.
const builtIn = [
  "purchase",
  "first_open",
  "in_app_purchase",
  "app_store_subscription_convert",
  "app_store_subscription_renew",
];
const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

export function listKeyEvents(scope: AdminScope, parent: string, query: URLSearchParams): object {
  requireProperty(scope, parent, "viewer");
  return pageOf(childrenOf(scope.records.keyEvents, parent), "keyEvents", query, parent);
}

export function getKeyEvent(scope: AdminScope, name: string): KeyEvent {
  requireProperty(scope, propertyOf(name), "viewer");
  return requireKeyEvent(scope, name);
}

/** Event name: "an event the property already collects". An event cannot be created and marked in the same step. */
export function createKeyEvent(scope: AdminScope, parent: string, message: Message): KeyEvent {
  const property = requireProperty(scope, parent, "editor");
  refuseTrashed(property);
  const eventName = typeof message.eventName === "string" ? message.eventName : "";
  if (eventName === "") throw invalid("The field event_name is required.");
  if (!namePattern.test(eventName)) {
    throw invalid(
      `Invalid event_name: ${eventName}. Names begin with a letter and have at most 40 letters, digits and underscores.`,
    );
  }
  const counting = requireCountingMethod(message);
  const siblings = childrenOf(scope.records.keyEvents, parent);
  if (siblings.some((each) => each.eventName === eventName)) throw alreadyExists();
  if (siblings.length >= scope.keyEventsMax) {
    throw new ApiError(
      "FAILED_PRECONDITION",
      `The property ${parent} has the maximum of ${scope.keyEventsMax} key events.`,
    );
  }
  if (!scope.hasCollected(parent, eventName)) {
    throw new ApiError(
      "FAILED_PRECONDITION",
      `The event ${eventName} has not been collected by ${parent}, so it cannot be a key event.`,
    );
  }
  const isBuiltIn = builtIn.includes(eventName);
  const keyEvent: KeyEvent = {
    name: `${parent}/keyEvents/${scope.records.nextId++}`,
    eventName,
    createTime: timestamp(scope.clock),
    ...(isBuiltIn ? {} : { deletable: true, custom: true }),
    countingMethod: counting,
    ...defaultValue(message),
  };
  scope.records.keyEvents.set(keyEvent.name, keyEvent);
  return keyEvent;
}

export function updateKeyEvent(scope: AdminScope, name: string, message: Message, query: URLSearchParams): KeyEvent {
  refuseTrashed(requireProperty(scope, propertyOf(name), "editor"));
  const keyEvent = requireKeyEvent(scope, name);
  const mask = readUpdateMask(query, ["countingMethod", "defaultValue"], Object.keys(keyEventMessage.fields));
  const { defaultValue: oldValue, ...rest } = keyEvent;
  const changed: KeyEvent = {
    ...rest,
    countingMethod: mask.includes("countingMethod") ? requireCountingMethod(message) : keyEvent.countingMethod,
    ...(mask.includes("defaultValue") ? defaultValue(message) : oldValue ? { defaultValue: oldValue } : {}),
  };
  scope.records.keyEvents.set(name, changed);
  return changed;
}

export function deleteKeyEvent(scope: AdminScope, name: string): object {
  refuseTrashed(requireProperty(scope, propertyOf(name), "editor"));
  const keyEvent = requireKeyEvent(scope, name);
  if (!keyEvent.deletable)
    throw new ApiError("FAILED_PRECONDITION", `The key event ${keyEvent.eventName} cannot be deleted.`);
  scope.records.keyEvents.delete(name);
  return {};
}

const propertyOf = (name: string): string => name.split("/").slice(0, 2).join("/");

function requireKeyEvent(scope: AdminScope, name: string): KeyEvent {
  const keyEvent = scope.records.keyEvents.get(name);
  if (!keyEvent) throw notFound();
  return keyEvent;
}

function countingMethod(message: Message): string | null {
  const given = message.countingMethod;
  return typeof given === "string" && !given.endsWith("_UNSPECIFIED") ? given : null;
}

/** "Required" in the vendor's schema of a key event. */
function requireCountingMethod(message: Message): string {
  const given = countingMethod(message);
  if (given === null) throw invalid("The field counting_method is required.");
  return given;
}

function defaultValue(message: Message): Pick<KeyEvent, "defaultValue"> {
  const given = message.defaultValue as { numericValue?: number; currencyCode?: string } | undefined;
  if (given === undefined) return {};
  const { numericValue, currencyCode } = given;
  if (numericValue === undefined || !currencyCode)
    throw invalid("A default_value needs both numeric_value and currency_code.");
  if (!isCurrency(currencyCode))
    throw invalid(`Invalid currency_code: ${currencyCode}. An ISO 4217 currency code is required.`);
  return { defaultValue: { numericValue, currencyCode } };
}
