import type { GroupMember, MemberChange } from "../access/directory/group-members.ts";
import { giveWay } from "../kernel/give-way.ts";
import { type Filter, testsIn } from "./filter.ts";
import { apartFromMembers, eachMemberId } from "./group-resource.ts";
import { matchesElement } from "./matches.ts";
import { applyOperation, type PatchOperation } from "./patch.ts";
import { readPatchPath } from "./patch-path.ts";
import { objectOf, type Parts } from "./read-value.ts";
import { badRequest } from "./refusal.ts";
import { groupType } from "./schemas.ts";

/** What a PATCH makes of a group's members is kept as a difference: a large group is not read to add one person to it. */
export interface GroupPatch {
  parts: Parts;
  members: MemberChange;
}

/** How often one PATCH may look through all members of a group, and how many tests of a member that may be in all. */
const looksMax = 20;
const testsMax = 500_000;

/** What one PATCH may still look at, and whoever else wants a turn meanwhile. */
interface Looking {
  turn: ReturnType<typeof giveWay>;
  /** The members, and permission for so many tests of each of them. */
  members(tests: number): Promise<GroupMember[]>;
}

/** `read` reads the members, for the few filters that must look at each of them: once, however many these are. */
export async function patchGroupParts(
  before: Parts,
  shown: Parts,
  operations: PatchOperation[],
  read: () => Promise<GroupMember[]>,
): Promise<GroupPatch> {
  const patch: GroupPatch = { parts: before, members: { all: false, add: new Set(), remove: new Set() } };
  const turn = giveWay();
  let known: Promise<GroupMember[]> | undefined;
  let looks = 0;
  let tests = 0;
  const members = async (each: number) => {
    if (++looks > looksMax) throw badRequest("tooMany", `A PATCH looks through the members up to ${looksMax} times.`);
    known ??= read();
    const all = await known;
    tests += (all.length + patch.members.add.size) * each;
    if (tests > testsMax) throw badRequest("tooMany", "The PATCH tests too many members. Name them by their ids.");
    return all;
  };
  for (const operation of operations) {
    await applyOne(patch, shown, operation, { turn, members });
    await turn();
  }
  return patch;
}

async function applyOne(patch: GroupPatch, shown: Parts, operation: PatchOperation, looking: Looking): Promise<void> {
  const { op, path, value } = operation;
  if (path === null) {
    await applyObject(patch, shown, operation);
    return;
  }
  const target = readPatchPath(groupType, path);
  if (target.found.attribute?.name !== "members") {
    applyOperation(groupType, patch.parts, shown, operation);
    return;
  }
  if (target.elements) {
    if (op !== "remove" || (target.elementPart && target.elementPart.name !== "value")) {
      throw badRequest("invalidPath", "Members are added and removed; none of their parts changes.");
    }
    for (const id of await idsMeant(patch, target.elements, looking)) drop(patch.members, id);
    return;
  }
  if (target.found.sub && target.found.sub.name !== "value") {
    throw badRequest("mutability", "Members are added and removed; none of their parts changes.");
  }
  await changeMembers(patch.members, op, value);
}

/** Without a path: `{"displayName": …, "members": […]}`, with an `id` beside them that a provider repeats. */
async function applyObject({ parts, members }: GroupPatch, shown: Parts, operation: PatchOperation): Promise<void> {
  const object = objectOf(operation.value);
  if (!object || operation.op === "remove") {
    applyOperation(groupType, parts, shown, operation);
    return;
  }
  const { listed, others } = apartFromMembers(object);
  for (const value of listed) await changeMembers(members, operation.op, value);
  applyOperation(groupType, parts, shown, { ...operation, value: others });
}

/** "Remove" with a list removes those; without one, everybody. Getting this wrong empties groups. */
async function changeMembers(members: MemberChange, op: PatchOperation["op"], value: unknown): Promise<void> {
  if (op === "add") await eachMemberId(value, (id) => put(members, id));
  else if (op === "remove" && value !== undefined && value !== null) {
    await eachMemberId(value, (id) => drop(members, id));
  } else {
    members.all = true;
    members.remove.clear();
    members.add = new Set();
    if (op === "replace") await eachMemberId(value, (id) => members.add.add(id));
  }
}

function put(members: MemberChange, id: string): void {
  members.remove.delete(id);
  members.add.add(id);
}

function drop(members: MemberChange, id: string): void {
  members.add.delete(id);
  members.remove.add(id);
}

/** `members[value eq "…"]` names its people itself; any other filter looks at those who are in. */
async function idsMeant({ members }: GroupPatch, filter: Filter, looking: Looking): Promise<string[]> {
  const named = idsNamed(filter);
  if (named) return named;
  const meant: string[] = [];
  const look = (id: string, parts: Parts) => {
    if (matchesElement(filter, { value: id, type: "User", ...parts })) meant.push(id);
  };
  for (const [index, { userId, display }] of (await looking.members(testsIn(filter))).entries()) {
    look(userId, { display });
    if (index % 100 === 99) await looking.turn();
  }
  for (const id of members.add) look(id, {});
  return meant;
}

function idsNamed(filter: Filter): string[] | null {
  if (filter.kind === "compare" && filter.op === "eq" && filter.place.sub?.name === "value") return [filter.raw];
  if (filter.kind !== "or") return null;
  const parts = filter.parts.map(idsNamed);
  return parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
}
