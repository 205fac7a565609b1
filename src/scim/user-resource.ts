import type { GroupMember } from "../access/directory/groups.ts";
import type { DirectoryPerson, PersonValue, PersonWish } from "../access/directory/people.ts";
import { canonicalJson } from "../kernel/json.ts";
import { writeMembers } from "./change-resource.ts";
import { comparable } from "./comparable.ts";
import { keptAs } from "./filter.ts";
import { objectOf, type Parts } from "./read-value.ts";
import { badRequest } from "./refusal.ts";
import { type Schema, userType } from "./schemas.ts";
import { userVersion } from "./version.ts";

/** Between a person in the store and a User on the wire. The resource in between holds what the provider may write. */

export function readUser(body: Parts): Parts {
  const resource: Parts = {};
  // "readOnly … values provided SHALL be ignored" (RFC 7644, 3.5.1).
  writeMembers(userType, resource, body, "replace", () => {});
  return resource;
}

/** What was kept, parsed: it was made by `toWish` from a resource of ours. */
export function resourceOf(person: DirectoryPerson): Parts {
  const resource = JSON.parse(person.resource) as Parts;
  resource.active = person.active;
  return resource;
}

/** `groups` is null where nothing of them is shown, the version included. */
export function wholeUser(person: DirectoryPerson, groups: GroupMember[] | null, baseUrl: string): Parts {
  const whole = resourceOf(person);
  whole.id = person.userId;
  whole.meta = {
    resourceType: "User",
    created: person.createdAt,
    lastModified: person.updatedAt,
    location: `${baseUrl}/scim/v2/Users/${person.userId}`,
    ...(groups && { version: userVersion(person, groups) }),
  };
  if (groups && groups.length > 0) {
    whole.groups = groups.map(({ groupId, display }) => ({
      value: groupId,
      $ref: `${baseUrl}/scim/v2/Groups/${groupId}`,
      display,
      type: "direct",
    }));
  }
  return whole;
}

export function toWish(resource: Parts): PersonWish {
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

/** The main one, or the one for work, or the first. */
function emailOf({ emails }: Parts): string | undefined {
  const all = (Array.isArray(emails) ? emails.map(objectOf) : []).filter(
    (each) => firstText(each?.value) !== undefined,
  );
  const chosen =
    all.find((each) => each?.primary === true) ??
    all.find((each) => String(each?.type).toLowerCase() === "work") ??
    all[0];
  return firstText(chosen?.value);
}

/** Columns of the record itself; they are no values beside it. */
const columns = new Set(["userName", "externalId", "active"]);

/** Every simple value of a resource, as filters compare it. */
export function valuesOf(resource: Parts): PersonValue[] {
  const values: PersonValue[] = [];
  for (const schema of [userType.core, ...userType.extensions]) {
    const home = schema === userType.core ? resource : objectOf(resource[schema.urn]);
    if (home) collect(schema, home, values);
  }
  return values;
}

function collect(schema: Schema, home: Parts, values: PersonValue[]): void {
  for (const attribute of schema.attributes) {
    const value = home[attribute.name];
    if (value === undefined || columns.has(attribute.name)) continue;
    if (attribute.type !== "complex") keep(value, keptAs(schema, attribute, null), 0, attribute);
    else {
      const elements = Array.isArray(value) ? value : [value];
      for (const [element, parts] of elements.entries()) {
        for (const sub of attribute.subAttributes ?? []) {
          keep(objectOf(parts)?.[sub.name], keptAs(schema, attribute, sub), element, sub);
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
