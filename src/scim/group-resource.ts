import type { GroupMember, MemberChange } from "../access/directory/group-members.ts";
import type { Group, GroupWish } from "../access/directory/groups.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import { writeMembers } from "./patch/write-values.ts";
import { groupVersion } from "./response/etag.ts";
import { badRequest } from "./response/scim-error.ts";
import { entriesOf, type JsonObject, objectOf } from "./schema/read-value.ts";
import { groupType } from "./schema/schemas.ts";

/**
 * Translates between a group in the store and a Group of SCIM. A group can have thousands of members, so the resource
 * never includes them.
 */

const membersMax = 200_000;

/** Has an empty list where members are wanted; they are written into it page by page. */
export function toGroupResource(group: Group, includesMembers: boolean, baseUrl: string): JsonObject {
  return {
    id: group.id,
    displayName: group.displayName,
    ...(group.externalId !== null && { externalId: group.externalId }),
    ...(includesMembers && { members: [] }),
    meta: {
      resourceType: "Group",
      created: group.createdAt,
      lastModified: group.updatedAt,
      location: `${baseUrl}/scim/v2/Groups/${group.id}`,
      version: groupVersion(group),
    },
  };
}

export const toMemberResources = (members: GroupMember[], baseUrl: string): JsonObject[] =>
  members.map(({ userId, display }) => ({
    value: userId,
    $ref: `${baseUrl}/scim/v2/Users/${userId}`,
    display,
    type: "User",
  }));

/** What a provider may write of a group, except its members. */
export const writableGroup = ({ displayName, externalId }: Group): JsonObject => ({
  displayName,
  ...(externalId !== null && { externalId }),
});

/**
 * Reads the body of a POST or PUT. Ignores names that are not in the schema table, such as those of other vendors'
 * schemas.
 */
export async function readGroup(body: JsonObject): Promise<{ parts: JsonObject; members: MemberChange }> {
  const parts: JsonObject = {};
  const { listed, others } = separateMembers(body);
  writeMembers({ type: groupType, resource: parts, op: "replace", onReadOnly: () => {} }, others);
  const add = new Set<string>();
  for (const value of listed) await eachMemberId(value, (id) => add.add(id));
  return { parts, members: { all: true, add, remove: new Set() } };
}

const isMembers = (name: string): boolean => /^(?:urn:ietf:params:scim:schemas:core:2\.0:group:)?members$/i.test(name);

/** Separates a group's members from its other attributes. */
export function separateMembers(object: JsonObject): { listed: unknown[]; others: JsonObject } {
  const given = entriesOf(object);
  return {
    listed: given.filter(([name]) => isMembers(name)).map(([, value]) => value),
    others: Object.fromEntries(given.filter(([name]) => !isMembers(name))),
  };
}

const idsPerTurn = 256;

/**
 * Reads ids of people from `[{"value": "…"}]` and ignores other members of each object. Lets other requests run in
 * between.
 */
export async function eachMemberId(value: unknown, take: (id: string) => void): Promise<void> {
  if (value === null || value === undefined || value === "") return;
  const given = Array.isArray(value) ? value : [value];
  if (given.length > membersMax) throw badRequest("tooMany", `A call can change at most ${membersMax} members.`);
  const turn = giveWay();
  for (const [index, each] of given.entries()) {
    take(readMemberId(each));
    if (index % idsPerTurn === idsPerTurn - 1) await turn();
  }
}

function readMemberId(each: unknown): string {
  const id = typeof each === "string" ? each : valueIn(each);
  if (typeof id !== "string" || id === "")
    throw badRequest("invalidValue", 'A member must have a "value" with the id of a user.');
  // Generated ids are short and printable. Any other text cannot exist, so the store is not queried.
  if (!/^[\x21-\x7e]{1,128}$/.test(id)) throw badRequest("invalidValue", "There is no user with this id.");
  return id;
}

function valueIn(each: unknown): unknown {
  const object = objectOf(each);
  return object ? entriesOf(object).find(([name]) => name.toLowerCase() === "value")?.[1] : undefined;
}

export function toGroupWish(parts: JsonObject): GroupWish {
  const { displayName, externalId } = parts;
  if (typeof displayName !== "string" || displayName.trim() === "") {
    throw badRequest("invalidValue", "A group needs a displayName.");
  }
  return { displayName, externalId: typeof externalId === "string" ? externalId : null };
}
