import type { GroupMember, MemberChange } from "../access/directory/group-members.ts";
import type { Group, GroupWish } from "../access/directory/groups.ts";
import { giveWay } from "../kernel/give-way.ts";
import { writeMembers } from "./change-resource.ts";
import { membersOf, objectOf, type Parts } from "./read-value.ts";
import { badRequest } from "./refusal.ts";
import { groupType } from "./schemas.ts";
import { groupVersion } from "./version.ts";

/** Between a group in the store and a Group on the wire. Members are counted in thousands, so they are never part of the resource. */

const membersMax = 200_000;

/** With an empty list of members where they are shown: they are written into it page by page. */
export function wholeGroup(group: Group, isWithMembers: boolean, baseUrl: string): Parts {
  return {
    id: group.id,
    displayName: group.displayName,
    ...(group.externalId !== null && { externalId: group.externalId }),
    ...(isWithMembers && { members: [] }),
    meta: {
      resourceType: "Group",
      created: group.createdAt,
      lastModified: group.updatedAt,
      location: `${baseUrl}/scim/v2/Groups/${group.id}`,
      version: groupVersion(group),
    },
  };
}

export const shownMembers = (members: GroupMember[], baseUrl: string): Parts[] =>
  members.map(({ userId, display }) => ({
    value: userId,
    $ref: `${baseUrl}/scim/v2/Users/${userId}`,
    display,
    type: "User",
  }));

/** What a provider may write of a group, members apart. */
export const groupParts = ({ displayName, externalId }: Group): Parts => ({
  displayName,
  ...(externalId !== null && { externalId }),
});

/** A whole group from a POST or PUT. Schemas that other vendors add are passed over, like every name that is in no table. */
export async function readGroup(body: Parts): Promise<{ parts: Parts; members: MemberChange }> {
  const parts: Parts = {};
  const { listed, others } = apartFromMembers(body);
  writeMembers(groupType, parts, others, "replace", () => {});
  const add = new Set<string>();
  for (const value of listed) await eachMemberId(value, (id) => add.add(id));
  return { parts, members: { all: true, add, remove: new Set() } };
}

const isMembers = (name: string): boolean => /^(?:urn:ietf:params:scim:schemas:core:2\.0:group:)?members$/i.test(name);

/** What an object says about members, and everything else that it says. */
export function apartFromMembers(object: Parts): { listed: unknown[]; others: Parts } {
  const given = membersOf(object);
  return {
    listed: given.filter(([name]) => isMembers(name)).map(([, value]) => value),
    others: Object.fromEntries(given.filter(([name]) => !isMembers(name))),
  };
}

const idsBetweenLooks = 256;

/** Ids of people: `[{"value": "…"}]`, with whatever else stands beside the value. Others have their turn between some of them. */
export async function eachMemberId(value: unknown, take: (id: string) => void): Promise<void> {
  if (value === null || value === undefined || value === "") return;
  const given = Array.isArray(value) ? value : [value];
  if (given.length > membersMax) throw badRequest("tooMany", `A call changes up to ${membersMax} members.`);
  const turn = giveWay();
  for (const [index, each] of given.entries()) {
    take(readMemberId(each));
    if (index % idsBetweenLooks === idsBetweenLooks - 1) await turn();
  }
}

function readMemberId(each: unknown): string {
  const id = typeof each === "string" ? each : valueIn(each);
  if (typeof id !== "string" || id === "") throw badRequest("invalidValue", "A member is named by its value, an id.");
  // An id of ours is short and visible; the store is not asked about anything else.
  if (!/^[\x21-\x7e]{1,128}$/.test(id)) throw badRequest("invalidValue", "There is no person with such an id.");
  return id;
}

function valueIn(each: unknown): unknown {
  const object = objectOf(each);
  return object ? membersOf(object).find(([name]) => name.toLowerCase() === "value")?.[1] : undefined;
}

export function toGroupWish(parts: Parts): GroupWish {
  const { displayName, externalId } = parts;
  if (typeof displayName !== "string" || displayName.trim() === "") {
    throw badRequest("invalidValue", "A group needs a displayName.");
  }
  return { displayName, externalId: typeof externalId === "string" ? externalId : null };
}
