import type { Message } from "../wire/proto-json.ts";
import type { AdminScope } from "./access.ts";
import { createKeyEvent, deleteKeyEvent, getKeyEvent, listKeyEvents, updateKeyEvent } from "./key-events.ts";
import type { KeyEvent } from "./records.ts";

/** Key events under the name they had until 2024. The vendor still answers to it. */
const asKeyEventName = (name: string): string => name.replace("/conversionEvents", "/keyEvents");

function toConversionEvent({ name, defaultValue, ...rest }: KeyEvent): object {
  return {
    name: name.replace("/keyEvents/", "/conversionEvents/"),
    ...rest,
    ...(defaultValue
      ? { defaultConversionValue: { value: defaultValue.numericValue, currencyCode: defaultValue.currencyCode } }
      : {}),
  };
}

function toKeyEventMessage({ defaultConversionValue, ...rest }: Message): Message {
  const value = defaultConversionValue as { value?: number; currencyCode?: string } | undefined;
  return value ? { ...rest, defaultValue: { numericValue: value.value, currencyCode: value.currencyCode } } : rest;
}

export function listConversionEvents(scope: AdminScope, parent: string, query: URLSearchParams): object {
  const { keyEvents, ...rest } = listKeyEvents(scope, parent, query) as { keyEvents?: KeyEvent[] };
  return { ...(keyEvents ? { conversionEvents: keyEvents.map(toConversionEvent) } : {}), ...rest };
}

export const getConversionEvent = (scope: AdminScope, name: string): object =>
  toConversionEvent(getKeyEvent(scope, asKeyEventName(name)));

/** "If this value is not provided, it will be set to ONCE_PER_EVENT": under the older name it is optional. */
export const createConversionEvent = (scope: AdminScope, parent: string, message: Message): object =>
  toConversionEvent(createKeyEvent(scope, parent, { countingMethod: "ONCE_PER_EVENT", ...toKeyEventMessage(message) }));

export function updateConversionEvent(
  scope: AdminScope,
  name: string,
  message: Message,
  query: URLSearchParams,
): object {
  const renamed = new URLSearchParams(query);
  const mask = query.get("updateMask") ?? query.get("update_mask") ?? "";
  renamed.set("updateMask", mask.replace(/default_?conversion_?value/i, "defaultValue"));
  return toConversionEvent(updateKeyEvent(scope, asKeyEventName(name), toKeyEventMessage(message), renamed));
}

export const deleteConversionEvent = (scope: AdminScope, name: string): object =>
  deleteKeyEvent(scope, asKeyEventName(name));
