import type { GroupMember } from "../access/directory/groups.ts";
import type { DirectoryPerson, PersonValue, PersonWish } from "../access/directory/people.ts";
import { canonicalJson } from "../kernel/strict-json.ts";
import { comparable } from "./filters/comparable-value.ts";
import { storedName } from "./filters/parse-filter.ts";
import { writeMembers } from "./patch/write-values.ts";
import { userVersion } from "./response/etag.ts";
import { badRequest } from "./response/scim-error.ts";
import { type JsonObject, objectOf } from "./schema/read-value.ts";
import { type Schema, userType } from "./schema/schemas.ts";

/**
 * Translates between a person in the store and a User of SCIM. The stored resource holds what the provider may write.
 */

export function readUser(body: JsonObject): JsonObject {
  const resource: JsonObject = {};
  // "readOnly … values provided SHALL be ignored" (RFC 7644, 3.5.1).
  writeMembers({ type: userType, resource, op: "replace", onReadOnly: () => {} }, body);
  return resource;
}

/** `toWish` wrote this JSON from a parsed resource. */
export function storedResource(person: DirectoryPerson): JsonObject {
  const resource = JSON.parse(person.resource) as JsonObject;
  resource.active = person.active;
  return resource;
}

/** `groups` is null where neither groups nor the version are shown. */
export function toUserResource(person: DirectoryPerson, groups: GroupMember[] | null, baseUrl: string): JsonObject {
  const user = storedResource(person);
  user.id = person.userId;
  user.meta = {
    resourceType: "User",
    created: person.createdAt,
    lastModified: person.updatedAt,
    location: `${baseUrl}/scim/v2/Users/${person.userId}`,
    ...(groups && { version: userVersion(person, groups) }),
  };
  if (groups && groups.length > 0) {
    user.groups = groups.map(({ groupId, display }) => ({
      value: groupId,
      $ref: `${baseUrl}/scim/v2/Groups/${groupId}`,
      display,
      type: "direct",
    }));
  }
  return user;
}

export function toWish(resource: JsonObject): PersonWish {
  const { active, ...kept } = resource;
  const { userName, externalId } = kept;
  if (typeof userName !== "string" || userName.trim() === "") {
    throw badRequest("invalidValue", "A user needs a userName.");
  }
  const name = objectOf(kept.name);
  const parts = [name?.givenName, name?.familyName].filter((part) => typeof part === "string").join(" ");
  const full = firstText(kept.displayName, name?.formatted, parts);
  return {
    userName,
    externalId: typeof externalId === "string" ? externalId : null,
    email: emailOf(kept) ?? userName,
    name: full ?? "",
    display: full ?? userName,
    active: typeof active === "boolean" ? active : null,
    resource: canonicalJson(kept),
    values: valuesOf(kept),
  };
}

const firstText = (...candidates: unknown[]): string | undefined =>
  candidates.find((each): each is string => typeof each === "string" && each !== "");

/** The primary address, otherwise the one of type work, otherwise the first. */
function emailOf({ emails }: JsonObject): string | undefined {
  const all = (Array.isArray(emails) ? emails.map(objectOf) : []).filter(
    (each) => firstText(each?.value) !== undefined,
  );
  const chosen =
    all.find((each) => each?.primary === true) ??
    all.find((each) => String(each?.type).toLowerCase() === "work") ??
    all[0];
  return firstText(chosen?.value);
}

/** These are columns of the record, so they are not stored as values too. */
const columns = new Set(["userName", "externalId", "active"]);

/** Every simple value of a resource, in the form that filters compare. */
export function valuesOf(resource: JsonObject): PersonValue[] {
  const values: PersonValue[] = [];
  for (const schema of [userType.core, ...userType.extensions]) {
    const container = schema === userType.core ? resource : objectOf(resource[schema.urn]);
    if (container) collect(schema, container, values);
  }
  return values;
}

function collect(schema: Schema, container: JsonObject, values: PersonValue[]): void {
  for (const attribute of schema.attributes) {
    const value = container[attribute.name];
    if (value === undefined || columns.has(attribute.name)) continue;
    if (attribute.type !== "complex") keep(value, storedName(schema, attribute, null), 0, attribute);
    else {
      const elements = Array.isArray(value) ? value : [value];
      for (const [element, parts] of elements.entries()) {
        for (const sub of attribute.subAttributes ?? []) {
          keep(objectOf(parts)?.[sub.name], storedName(schema, attribute, sub), element, sub);
        }
      }
    }
  }

  function keep(value: unknown, attribute: string, element: number, as: Parameters<typeof comparable>[0]): void {
    if (typeof value !== "string" && typeof value !== "boolean") return;
    const text = comparable(as, value);
    if (text !== null && text !== "") values.push({ attribute, element, text });
  }
}
