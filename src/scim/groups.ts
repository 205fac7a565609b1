import {
  countMembersOf,
  type GroupMember,
  hasMoreMembersThan,
  memberPages,
} from "../access/directory/group-members.ts";
import { createGroup, deleteGroup, findGroup, type Group, updateGroup } from "../access/directory/groups.ts";
import type { ProtocolResponse } from "../calls/protocol.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import type { Db } from "../store/db.ts";
import { readBody, type ScimCall } from "./authenticated-request.ts";
import { changeDirectory } from "./change-directory.ts";
import { toCondition } from "./filters/filter-to-condition.ts";
import { readGroup, toGroupResource, toGroupWish, toMemberResources, writableGroup } from "./group-resource.ts";
import { filterOf, type ListQuery, listText, readQuery, selectionFor } from "./list-query.ts";
import { readPatch } from "./patch/apply-patch.ts";
import { applyGroupPatch } from "./patch/patch-group-members.ts";
import { groupVersion } from "./response/etag.ts";
import { checkPreconditions } from "./response/preconditions.ts";
import { rendererFor } from "./response/render.ts";
import { emptyResponse, textResponse } from "./response/responses.ts";
import { notFound } from "./response/scim-error.ts";
import type { Selection } from "./response/selected-attributes.ts";
import { groupType } from "./schema/schemas.ts";

export async function listGroups(call: ScimCall, query: ListQuery): Promise<ProtocolResponse> {
  const { total, texts } = await searchGroups(call, query);
  return textResponse(200, listText(total, query.startIndex, texts));
}

export async function searchGroups(call: ScimCall, query: ListQuery): Promise<{ total: number; texts: string[] }> {
  const { store } = call.context;
  const filter = filterOf(groupType, query);
  const { total, page } = await call.search.groups(call.holder.directoryId, filter && toCondition(groupType, filter), {
    offset: query.startIndex - 1,
    limit: query.count,
  });
  const selection = selectionFor(groupType, query);
  const fitting = wantsMembers(selection) ? await limitToPage(store, page) : page;
  const texts: string[] = [];
  for (const group of fitting) texts.push((await serialize(call, group, selection)).join(""));
  return { total, texts };
}

const membersOnAPageMax = 20_000;

/**
 * "The number of resources returned in a page" may be smaller than the count that was asked for (RFC 7644, 3.4.2.4):
 * two hundred groups of thousands each would be hundreds of megabytes. The first group is always on the page, whatever
 * its size.
 */
async function limitToPage(db: Db, page: Group[]): Promise<Group[]> {
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

export async function createOneGroup(call: ScimCall): Promise<ProtocolResponse> {
  const { parts, members } = await readGroup(await readBody(call));
  const wish = toGroupWish(parts);
  const group = await changeDirectory(call, (change) => createGroup(change, wish, members));
  return groupResponse(call, 201, group, { location: `${call.baseUrl}/scim/v2/Groups/${group.id}` });
}

export async function readOneGroup(call: ScimCall, id: string): Promise<ProtocolResponse> {
  const group = await requireGroup(call.context.store, call, id);
  const etag = groupVersion(group);
  return checkPreconditions(call.request, etag) ? emptyResponse(304, { etag }) : groupResponse(call, 200, group);
}

/** "PUT … clears omitted readWrite": a group without members in the body becomes empty. */
export async function replaceGroup(call: ScimCall, id: string): Promise<ProtocolResponse> {
  const { parts, members } = await readGroup(await readBody(call));
  const wish = toGroupWish(parts);
  const group = await changeDirectory(call, async (change) =>
    updateGroup(change, await requireVersion(change.scope.db, call, id), wish, members),
  );
  return groupResponse(call, 200, group);
}

/** The most members that a PATCH returns if the caller did not select attributes. */
const membersReturnedMax = 1000;

/**
 * A PATCH returns the group, as most clients prefer. For a large group it returns "204 (No Content)", which the
 * standard allows where no attributes were selected (RFC 7644, 3.5.2).
 */
export async function patchGroup(call: ScimCall, id: string): Promise<ProtocolResponse> {
  const operations = readPatch(await readBody(call));
  const group = await changeDirectory(call, async (change) => {
    const { db } = change.scope;
    const before = await requireVersion(db, call, id);
    const whole = toGroupResource(before, false, call.baseUrl);
    const { parts, members } = await applyGroupPatch(writableGroup(before), whole, operations, () => membersIn(db, id));
    return updateGroup(change, before, toGroupWish(parts), members);
  });
  const { only, except } = readQuery(call.query);
  const isDefaultSelection = only.length + except.length === 0;
  if (isDefaultSelection && (await hasMoreMembersThan(call.context.store, id, membersReturnedMax))) {
    return emptyResponse(204, { etag: groupVersion(group) });
  }
  return groupResponse(call, 200, group);
}

async function membersIn(db: Db, id: string): Promise<GroupMember[]> {
  const members: GroupMember[] = [];
  for await (const page of memberPages(db, id)) for (const member of page) members.push(member);
  return members;
}

export async function deleteOneGroup(call: ScimCall, id: string): Promise<ProtocolResponse> {
  await changeDirectory(call, async (change) => deleteGroup(change, await requireVersion(change.scope.db, call, id)));
  return emptyResponse(204);
}

/** Throws 404 also for a group of another directory. */
async function requireGroup(db: Db, { holder }: ScimCall, id: string): Promise<Group> {
  const group = await findGroup(db, holder.directoryId, id);
  if (!group) throw notFound();
  return group;
}

/** Also checks If-Match and If-None-Match. */
async function requireVersion(db: Db, call: ScimCall, id: string): Promise<Group> {
  const group = await requireGroup(db, call, id);
  checkPreconditions(call.request, groupVersion(group));
  return group;
}

async function groupResponse(
  call: ScimCall,
  status: number,
  group: Group,
  headers: Record<string, string> = {},
): Promise<ProtocolResponse> {
  const pieces = await serialize(call, group, selectionFor(groupType, readQuery(call.query)));
  const body = pieces.length > piecesMax ? await encodeInTurns(pieces) : pieces.join("");
  return textResponse(status, body, { ...headers, etag: groupVersion(group) });
}

/** Above this number, pieces are encoded one at a time: joining them at once would block other requests. */
const piecesMax = 10;

async function encodeInTurns(pieces: string[]): Promise<Buffer> {
  const turn = giveWay();
  const bytes: Buffer[] = [];
  for (const piece of pieces) {
    bytes.push(Buffer.from(piece));
    await turn();
  }
  return Buffer.concat(bytes);
}

/**
 * The group as JSON, in pieces. Reads members only where the caller selected them, page by page, and serializes each
 * page at once, so that ten thousand members do not block other requests. The version is the one read before the
 * members: a member who joins in between makes it stale.
 */
async function serialize(call: ScimCall, group: Group, selection: Selection): Promise<string[]> {
  const includesMembers = wantsMembers(selection);
  const render = rendererFor(groupType, selection);
  const text = JSON.stringify(render(toGroupResource(group, includesMembers, call.baseUrl)));
  if (!includesMembers) return [text];
  // Inside a value every quote has a backslash before it, so this text occurs only once.
  const insertAt = text.indexOf('"members":[]') + '"members":['.length;
  const pieces = [text.slice(0, insertAt)];
  for await (const page of memberPages(call.context.store, group.id)) {
    const { members } = render({ members: toMemberResources(page, call.baseUrl) });
    pieces.push((pieces.length > 1 ? "," : "") + JSON.stringify(members).slice(1, -1));
  }
  return [...pieces, text.slice(insertAt)];
}

const wantsMembers = (selection: Selection): boolean =>
  groupType.core.attributes.some(
    (attribute) => attribute.name === "members" && selection.wants(groupType.core, attribute),
  );
