import type { StepRequest } from "../../work.ts";
import { decoded, propertyIn } from "./endpoints.ts";
import { idIn } from "./ids.ts";
import { memberOf, membersOf, textOf } from "./vendor-json.ts";

/** The names under which requests make records: properties and key events have no mark of the request that made them. */

export const propertyName = (account: string, name: string): string => `property ${idIn(account)} ${name}`;
export const keyEventName = (property: string, event: string): string => `key event ${idIn(property)} ${event}`;
/** A property that was made a moment ago under another name. By its id, which only who may change it can use. */
export const renamedName = (property: string, name: string): string => `renamed property ${idIn(property)} ${name}`;

/** Of a request that makes a property or a key event, or renames a property. */
export function writtenNames(request: StepRequest): string[] {
  const path = decoded(request.path).replace(/^\/\w+/, "");
  const body = membersOf(request.body);
  const property = propertyIn(request.path);
  if (request.method === "PATCH" && path === `/properties/${property}`)
    return namesIf(body, "displayName", (name) => renamedName(path, name));
  if (request.method !== "POST") return [];
  if (property !== null && /\/(?:keyEvents|conversionEvents)$/.test(path))
    return namesIf(body, "eventName", (event) => keyEventName(property, event));
  const made = path === "/properties" ? body : membersOf(memberOf(body, "rollupProperty"));
  return namesIf(made, "displayName", (name) => propertyName(textOf(made.parent), name));
}

function namesIf(body: Readonly<Record<string, unknown>>, member: string, toName: (text: string) => string): string[] {
  const text = textOf(memberOf(body, member));
  return text === "" ? [] : [toName(text)];
}
