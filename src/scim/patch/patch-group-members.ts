import type { GroupMember, MemberChange } from "../../access/directory/group-members.ts";
import { giveWay } from "../../kernel/work-in-slices.ts";
import { matchesElement } from "../filters/match-in-memory.ts";
import { type Filter, testsIn } from "../filters/parse-filter.ts";
import { eachMemberId, separateMembers } from "../group-resource.ts";
import { badRequest } from "../response/scim-error.ts";
import { type JsonObject, objectOf } from "../schema/read-value.ts";
import { groupType } from "../schema/schemas.ts";
import { applyOperation, type PatchOperation } from "./apply-patch.ts";
import { readPatchPath } from "./parse-patch-path.ts";

/** The result of a PATCH. Membership is a difference, so that adding one person does not read a large group. */
export interface GroupPatch {
  parts: JsonObject;
  members: MemberChange;
}

/** How often one PATCH may scan all members of a group, and how many tests of a member it may run in all. */
const scansMax = 20;
const testsMax = 500_000;

/** The remaining scans of one PATCH. */
interface MemberScan {
  turn: ReturnType<typeof giveWay>;
  /** Returns the members and counts so many tests of each of them against the limit. */
  members(tests: number): Promise<GroupMember[]>;
}

/** `read` loads the members. It runs at most once, for filters that must test every member. */
export async function applyGroupPatch(
  before: JsonObject,
  shown: JsonObject,
  operations: PatchOperation[],
  read: () => Promise<GroupMember[]>,
): Promise<GroupPatch> {
  const patch: GroupPatch = { parts: before, members: { all: false, add: new Set(), remove: new Set() } };
  const turn = giveWay();
  let known: Promise<GroupMember[]> | undefined;
  let scans = 0;
  let tests = 0;
  const members = async (each: number) => {
    if (++scans > scansMax) throw badRequest("tooMany", `A PATCH can search the members at most ${scansMax} times.`);
    known ??= read();
    const all = await known;
    tests += (all.length + patch.members.add.size) * each;
    if (tests > testsMax)
      throw badRequest("tooMany", "The PATCH compares too many members. Select members by their ids.");
    return all;
  };
  for (const operation of operations) {
    await applyOne(patch, shown, operation, { turn, members });
    await turn();
  }
  return patch;
}

async function applyOne(
  patch: GroupPatch,
  shown: JsonObject,
  operation: PatchOperation,
  scan: MemberScan,
): Promise<void> {
  const { op, path, value } = operation;
  if (path === null) {
    await applyObject(patch, shown, operation);
    return;
  }
  const target = readPatchPath(groupType, path);
  if (target.path.attribute?.name !== "members") {
    applyOperation(groupType, patch.parts, shown, operation);
    return;
  }
  if (target.elements) {
    if (op !== "remove" || (target.elementSub && target.elementSub.name !== "value")) {
      throw badRequest("invalidPath", "Members can be added and removed, but not changed.");
    }
    for (const id of await matchingIds(patch, target.elements, scan)) removeMember(patch.members, id);
    return;
  }
  if (target.path.sub && target.path.sub.name !== "value") {
    throw badRequest("mutability", "Members can be added and removed, but not changed.");
  }
  await changeMembers(patch.members, op, value);
}

/** Without a path: `{"displayName": …, "members": […]}`, with an `id` that a provider repeats. */
async function applyObject(
  { parts, members }: GroupPatch,
  shown: JsonObject,
  operation: PatchOperation,
): Promise<void> {
  const object = objectOf(operation.value);
  if (!object || operation.op === "remove") {
    applyOperation(groupType, parts, shown, operation);
    return;
  }
  const { listed, others } = separateMembers(object);
  for (const value of listed) await changeMembers(members, operation.op, value);
  applyOperation(groupType, parts, shown, { ...operation, value: others });
}

/** "Remove" with a list removes the listed members; without one, all members. A mistake here empties groups. */
async function changeMembers(members: MemberChange, op: PatchOperation["op"], value: unknown): Promise<void> {
  if (op === "add") await eachMemberId(value, (id) => addMember(members, id));
  else if (op === "remove" && value !== undefined && value !== null) {
    await eachMemberId(value, (id) => removeMember(members, id));
  } else {
    members.all = true;
    members.remove.clear();
    members.add = new Set();
    if (op === "replace") await eachMemberId(value, (id) => members.add.add(id));
  }
}

function addMember(members: MemberChange, id: string): void {
  members.remove.delete(id);
  members.add.add(id);
}

function removeMember(members: MemberChange, id: string): void {
  members.add.delete(id);
  members.remove.add(id);
}

/** `members[value eq "…"]` names the ids itself. Any other filter tests all current members. */
async function matchingIds({ members }: GroupPatch, filter: Filter, scan: MemberScan): Promise<string[]> {
  const named = idsInFilter(filter);
  if (named) return named;
  const meant: string[] = [];
  const look = (id: string, parts: JsonObject) => {
    if (matchesElement(filter, { value: id, type: "User", ...parts })) meant.push(id);
  };
  for (const [index, { userId, display }] of (await scan.members(testsIn(filter))).entries()) {
    look(userId, { display });
    if (index % 100 === 99) await scan.turn();
  }
  for (const id of members.add) look(id, {});
  return meant;
}

function idsInFilter(filter: Filter): string[] | null {
  if (filter.kind === "compare" && filter.op === "eq" && filter.path.sub?.name === "value") return [filter.raw];
  if (filter.kind !== "or") return null;
  const parts = filter.parts.map(idsInFilter);
  return parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
}
