import { countMembersOf, membersOfGroups } from "../access/directory/group-members.ts";
import { createGroup, deleteGroup, findGroup, type Group, updateGroup } from "../access/directory/groups.ts";
import { findGroups } from "../access/directory/search.ts";
import type { FaceAnswer } from "../api/face.ts";
import type { Db } from "../store/db.ts";
import { answerWith, change, noContent, readBody, type ScimCall } from "./call.ts";
import { patchGroupParts } from "./group-patch.ts";
import { groupParts, readGroup, toGroupWish, wholeGroup } from "./group-resource.ts";
import { filterOf, type ListQuery, listAnswer, readQuery, selectionFor } from "./list-query.ts";
import { readPatch } from "./patch.ts";
import type { Parts } from "./read-value.ts";
import { notFound } from "./refusal.ts";
import { groupType } from "./schemas.ts";
import type { Selection } from "./selection.ts";
import { showing } from "./show.ts";
import { toCondition } from "./to-condition.ts";

export async function listGroups(call: ScimCall, query: ListQuery): Promise<FaceAnswer> {
  const { total, resources } = await groupsFound(call, query);
  return answerWith(200, listAnswer(total, query.startIndex, resources));
}

export async function groupsFound(call: ScimCall, query: ListQuery): Promise<{ total: number; resources: Parts[] }> {
  const { store } = call.context;
  const filter = filterOf(groupType, query);
  const { total, page } = await findGroups(store, call.holder.directoryId, filter && toCondition(groupType, filter), {
    offset: query.startIndex - 1,
    limit: query.count,
  });
  const selection = selectionFor(groupType, query);
  const fitting = wantsMembers(selection) ? await fittingOnAPage(store, page) : page;
  return { total, resources: await shown(call, store, fitting, selection) };
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
  const { parts, members } = readGroup(readBody(call));
  const wish = toGroupWish(parts);
  const group = await change(call, (inside) => createGroup(inside, wish, members));
  const location = `${call.baseUrl}/scim/v2/Groups/${group.id}`;
  return answerWith(201, await oneShown(call, call.context.store, group), { location });
}

export async function readOneGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  const { store } = call.context;
  return answerWith(200, await oneShown(call, store, await requireGroup(store, call, id)));
}

/** "PUT … clears omitted readWrite": a group without members in it is an empty one. */
export async function replaceGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  const { parts, members } = readGroup(readBody(call));
  const wish = toGroupWish(parts);
  const group = await change(call, async (inside) =>
    updateGroup(inside, await requireGroup(inside.scope.db, call, id), wish, members),
  );
  return answerWith(200, await oneShown(call, call.context.store, group));
}

/** "PATCH on groups should answer 204": the group may be large, and whoever changed it knows what it holds now. */
export async function patchGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  const operations = readPatch(readBody(call));
  const group = await change(call, async (inside) => {
    const { db } = inside.scope;
    const before = await requireGroup(db, call, id);
    const whole = wholeGroup(before, null, call.baseUrl);
    const current = () => membersOfGroups(db, [id]);
    const { parts, members } = await patchGroupParts(groupParts(before), whole, operations, current);
    return updateGroup(inside, before, toGroupWish(parts), members);
  });
  const { only, except } = readQuery(call.query);
  if (only.length + except.length === 0) return noContent;
  return answerWith(200, await oneShown(call, call.context.store, group));
}

export async function deleteOneGroup(call: ScimCall, id: string): Promise<FaceAnswer> {
  await change(call, async (inside) => deleteGroup(inside, await requireGroup(inside.scope.db, call, id)));
  return noContent;
}

/** Of this directory; another's looks absent. */
async function requireGroup(db: Db, { holder }: ScimCall, id: string): Promise<Group> {
  const group = await findGroup(db, holder.directoryId, id);
  if (!group) throw notFound();
  return group;
}

async function oneShown(call: ScimCall, db: Db, group: Group): Promise<Parts> {
  const [shownGroup] = await shown(call, db, [group], selectionFor(groupType, readQuery(call.query)));
  return shownGroup ?? {};
}

/** Members are read only where they were asked for: a provider leaves them out of every read. */
async function shown(call: ScimCall, db: Db, groups: Group[], selection: Selection): Promise<Parts[]> {
  const isWhole = wantsMembers(selection);
  const ids = isWhole ? groups.map(({ id }) => id) : [];
  const members = Map.groupBy(await membersOfGroups(db, ids), ({ groupId }) => groupId);
  const show = showing(groupType, selection);
  return groups.map((group) => show(wholeGroup(group, isWhole ? (members.get(group.id) ?? []) : null, call.baseUrl)));
}

const wantsMembers = (selection: Selection): boolean =>
  groupType.core.attributes.some(
    (attribute) => attribute.name === "members" && selection.wants(groupType.core, attribute),
  );
