import {
  countMembersOf,
  type GroupMember,
  hasMoreMembersThan,
  memberPages,
} from "../access/directory/group-members.ts";
import { createGroup, deleteGroup, findGroup, type Group, updateGroup } from "../access/directory/groups.ts";
import { findGroups } from "../access/directory/search.ts";
import type { FaceAnswer } from "../calls/face.ts";
import { giveWay } from "../kernel/give-way.ts";
import type { Db } from "../store/db.ts";
import { answerText, change, nothing, readBody, type ScimCall } from "./call.ts";
import { patchGroupParts } from "./group-patch.ts";
import { groupParts, readGroup, shownMembers, toGroupWish, wholeGroup } from "./group-resource.ts";
import { filterOf, type ListQuery, listText, readQuery, selectionFor } from "./list-query.ts";
import { readPatch } from "./patch.ts";
import { isKnownAlready } from "./preconditions.ts";
import { notFound } from "./refusal.ts";
import { groupType } from "./schemas.ts";
import type { Selection } from "./selection.ts";
import { showing } from "./show.ts";
import { toCondition } from "./to-condition.ts";
import { groupVersion } from "./version.ts";

export async function listGroups(call: ScimCall, query: ListQuery): Promise<FaceAnswer> {
  const { total, texts } = await groupsFound(call, query);
  return answerText(200, listText(total, query.startIndex, texts));
}

export async function groupsFound(call: ScimCall, query: ListQuery): Promise<{ total: number; texts: string[] }> {
  const { store } = call.context;
  const filter = filterOf(groupType, query);
  const { total, page } = await findGroups(store, call.holder.directoryId, filter && toCondition(groupType, filter), {
    offset: query.startIndex - 1,
    limit: query.count,
  });
  const selection = selectionFor(groupType, query);
  const fitting = wantsMembers(selection) ? await fittingOnAPage(store, page) : page;
  const texts: string[] = [];
  for (const group of fitting) texts.push((await written(call, group, selection)).join(""));
  return { total, texts };
}

const membersOnAPageMax = 20_000;

/**
 * "The number of resources returned in a page" may be smaller than the count that was asked for (RFC 7644, 3.4.2.4): two hundred
 * groups of thousands each would be hundreds of megabytes. One group is shown whatever its size.
 */
async function fittingOnAPage(db: Db, page: Group[]): Promise<Group[]> {
  const counts = await countMembersOf(
    db,
    page.map(({ id }) => id),
  );
  let members = 0;
  const end = page.findIndex(({ id }, index) => {
    members += counts.get(id) ?? 0;
    return index > 0 && members > membersOnAPageMax;
  });
  return end < 0 ? page : page.slice(0, end);
}

export async function createOneGroup(call: ScimCall): Promise<FaceAnswer> {
  const { parts, members } = await readGroup(await readBody(call));
  const wish = toGroupWish(parts);
  const group = await change(call, (inside) => createGroup(inside, wish, members));
  return answerGroup(call, 201, group, { location: `${call.baseUrl}/scim/v2/Groups/${group.id}` });
}

export async function readOneGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  const group = await requireGroup(call.context.store, call, id);
  const etag = groupVersion(group);
  return isKnownAlready(call.request, etag) ? nothing(304, { etag }) : answerGroup(call, 200, group);
}

/** "PUT … clears omitted readWrite": a group without members in it is an empty one. */
export async function replaceGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  const { parts, members } = await readGroup(await readBody(call));
  const wish = toGroupWish(parts);
  const group = await change(call, async (inside) =>
    updateGroup(inside, await requireUnchanged(inside.scope.db, call, id), wish, members),
  );
  return answerGroup(call, 200, group);
}

/** So many members are shown to whoever changed the group without asking for them. */
const membersUnaskedMax = 1000;

/**
 * A PATCH is answered with the group, as most clients like it. A large one is not read and sent again for each member that
 * comes or goes: "204 (No Content)" is the standard's other answer where no attributes were asked for (RFC 7644, 3.5.2).
 */
export async function patchGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  const operations = readPatch(await readBody(call));
  const group = await change(call, async (inside) => {
    const { db } = inside.scope;
    const before = await requireUnchanged(db, call, id);
    const whole = wholeGroup(before, false, call.baseUrl);
    const { parts, members } = await patchGroupParts(groupParts(before), whole, operations, () => membersIn(db, id));
    return updateGroup(inside, before, toGroupWish(parts), members);
  });
  const { only, except } = readQuery(call.query);
  const isUnasked = only.length + except.length === 0;
  if (isUnasked && (await hasMoreMembersThan(call.context.store, id, membersUnaskedMax))) {
    return nothing(204, { etag: groupVersion(group) });
  }
  return answerGroup(call, 200, group);
}

async function membersIn(db: Db, id: string): Promise<GroupMember[]> {
  const members: GroupMember[] = [];
  for await (const page of memberPages(db, id)) for (const member of page) members.push(member);
  return members;
}

export async function deleteOneGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  await change(call, async (inside) => deleteGroup(inside, await requireUnchanged(inside.scope.db, call, id)));
  return nothing(204);
}

/** Of this directory; another's looks absent. */
async function requireGroup(db: Db, { holder }: ScimCall, id: string): Promise<Group> {
  const group = await findGroup(db, holder.directoryId, id);
  if (!group) throw notFound();
  return group;
}

/** And in the version that the caller wants to change, if it says which. */
async function requireUnchanged(db: Db, call: ScimCall, id: string): Promise<Group> {
  const group = await requireGroup(db, call, id);
  isKnownAlready(call.request, groupVersion(group));
  return group;
}

async function answerGroup(
  call: ScimCall,
  status: number,
  group: Group,
  headers: Record<string, string> = {},
): Promise<FaceAnswer> {
  const pieces = await written(call, group, selectionFor(groupType, readQuery(call.query)));
  const body = pieces.length > piecesMax ? await inBytes(pieces) : pieces.join("");
  return answerText(status, body, { ...headers, etag: groupVersion(group) });
}

/** More than that, joined and turned into bytes at once, would hold up others. */
const piecesMax = 10;

async function inBytes(pieces: string[]): Promise<Buffer> {
  const turn = giveWay();
  const bytes: Buffer[] = [];
  for (const piece of pieces) {
    bytes.push(Buffer.from(piece));
    await turn();
  }
  return Buffer.concat(bytes);
}

/**
 * The group as JSON, in pieces. Members are read only where they were asked for, because a provider leaves them out of every read; then page
 * by page, each written at once, so that ten thousand of them hold up nobody. The version is the one from before: whoever
 * joins meanwhile makes it an old one.
 */
async function written(call: ScimCall, group: Group, selection: Selection): Promise<string[]> {
  const isWithMembers = wantsMembers(selection);
  const show = showing(groupType, selection);
  const text = JSON.stringify(show(wholeGroup(group, isWithMembers, call.baseUrl)));
  if (!isWithMembers) return [text];
  // Inside a value every quote has a backslash before it, so this stands only once in the text.
  const place = text.indexOf('"members":[]') + '"members":['.length;
  const pieces = [text.slice(0, place)];
  for await (const page of memberPages(call.context.store, group.id)) {
    const { members } = show({ members: shownMembers(page, call.baseUrl) });
    pieces.push((pieces.length > 1 ? "," : "") + JSON.stringify(members).slice(1, -1));
  }
  return [...pieces, text.slice(place)];
}

const wantsMembers = (selection: Selection): boolean =>
  groupType.core.attributes.some(
    (attribute) => attribute.name === "members" && selection.wants(groupType.core, attribute),
  );
