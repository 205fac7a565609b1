import type { DirectoryChange } from "../access/directory/change.ts";
import { type GroupMember, groupsOfPeople } from "../access/directory/groups.ts";
import { createPerson, type DirectoryPerson, findPerson, updatePerson } from "../access/directory/people.ts";
import { removePerson } from "../access/directory/remove-person.ts";
import { findPeople } from "../access/directory/search.ts";
import type { FaceAnswer } from "../calls/face.ts";
import { deleteCredentials } from "../identity/credentials.ts";
import { giveWay } from "../kernel/give-way.ts";
import type { Db } from "../store/db.ts";
import { answerText, change, nothing, readBody, type ScimCall } from "./call.ts";
import { tidy } from "./change-resource.ts";
import { filterOf, type ListQuery, listText, readQuery, selectionFor } from "./list-query.ts";
import { applyOperation, readPatch } from "./patch.ts";
import { isKnownAlready } from "./preconditions.ts";
import type { Parts } from "./read-value.ts";
import { badRequest, notFound } from "./refusal.ts";
import { commonAttributes, userType } from "./schemas.ts";
import { everything, type Selection } from "./selection.ts";
import { showing } from "./show.ts";
import { toCondition } from "./to-condition.ts";
import { readUser, resourceOf, toWish, valuesOf, wholeUser } from "./user-resource.ts";
import { userVersion } from "./version.ts";

export async function listUsers(call: ScimCall, query: ListQuery): Promise<FaceAnswer> {
  const { total, texts } = await usersFound(call, query);
  return answerText(200, listText(total, query.startIndex, texts));
}

export async function usersFound(call: ScimCall, query: ListQuery): Promise<{ total: number; texts: string[] }> {
  const { store } = call.context;
  const filter = filterOf(userType, query);
  const { total, page } = await findPeople(store, call.holder.directoryId, filter && toCondition(userType, filter), {
    offset: query.startIndex - 1,
    limit: query.count,
  });
  return { total, texts: await written(call, page, selectionFor(userType, query)) };
}

export async function createUser(call: ScimCall): Promise<FaceAnswer> {
  const resource = readUser(await readBody(call));
  tidy(userType, resource);
  const wish = toWish(resource);
  refuseLarge(wish.resource);
  const person = await change(call, (inside) => createPerson(inside, wish));
  // Nobody is in a group before they are there.
  return answerUser(call, 201, person, [], { location: `${call.baseUrl}/scim/v2/Users/${person.userId}` });
}

export async function readOneUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  const { store } = call.context;
  const person = await requirePerson(store, call, id);
  const groups = await groupsOfPeople(store, [id]);
  const etag = userVersion(person, groups);
  return isKnownAlready(call.request, etag) ? nothing(304, { etag }) : answerUser(call, 200, person, groups);
}

/** "PUT … clears omitted readWrite"; whether somebody is active is never changed by leaving it out. */
export async function replaceUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  const resource = readUser(await readBody(call));
  return changeUser(call, id, async () => resource);
}

/** A person has a few dozen attributes; a group may get a member with each operation. */
const operationsMax = 500;

export async function patchUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  const operations = readPatch(await readBody(call), operationsMax);
  return changeUser(call, id, async (before, whole) => {
    const turn = giveWay();
    for (const operation of operations) {
      applyOperation(userType, before, whole, operation);
      // Null is neither of the two that it can be, and nobody knows which of them is meant.
      if (before.active === undefined) throw badRequest("invalidValue", '"active" is true or false.');
      await turn();
    }
    return before;
  });
}

async function changeUser(
  call: ScimCall,
  id: string,
  work: (before: Parts, whole: Parts) => Promise<Parts>,
): Promise<FaceAnswer> {
  const { person, groups } = await change(call, async (inside) => {
    const { db } = inside.scope;
    const before = await requirePerson(db, call, id);
    const groups = await groupsOfPeople(db, [id]);
    isKnownAlready(call.request, userVersion(before, groups));
    const whole = showing(userType, everything)(wholeUser(before, groups, call.baseUrl));
    const after = await work(resourceOf(before), whole);
    tidy(userType, after);
    return { person: await keep(inside, before, after), groups };
  });
  return answerUser(call, 200, person, groups);
}

function keep(inside: DirectoryChange, person: DirectoryPerson, after: Parts): Promise<DirectoryPerson> {
  const { active: _, ...before } = resourceOf(person);
  const wish = toWish(after);
  // Whoever was let in with more is deactivated all the same.
  if (wish.resource !== person.resource) refuseLarge(wish.resource);
  return updatePerson(inside, person, valuesOf(before), wish);
}

/** With a picture in it, and a page of them is still read in no time. */
const charactersMax = 256 * 1024;

function refuseLarge(resource: string): void {
  if (resource.length <= charactersMax) return;
  throw badRequest("invalidValue", `A user holds up to ${charactersMax} characters in all.`);
}

export async function deleteUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  await change(call, async (inside) => {
    const { db } = inside.scope;
    const person = await requirePerson(db, call, id);
    isKnownAlready(call.request, userVersion(person, await groupsOfPeople(db, [id])));
    await removePerson(inside, person);
    await deleteCredentials(db, person.userId);
  });
  return nothing(204);
}

/** Of this directory; another's, and one that was deleted, look absent. */
async function requirePerson(db: Db, { holder }: ScimCall, id: string): Promise<DirectoryPerson> {
  const person = await findPerson(db, holder.directoryId, id);
  if (!person) throw notFound();
  return person;
}

function answerUser(
  call: ScimCall,
  status: number,
  person: DirectoryPerson,
  groups: GroupMember[],
  headers: Record<string, string> = {},
): FaceAnswer {
  const show = showing(userType, selectionFor(userType, readQuery(call.query)));
  const text = JSON.stringify(show(wholeUser(person, groups, call.baseUrl)));
  return answerText(status, text, { ...headers, etag: userVersion(person, groups) });
}

/** Each as JSON. Groups are read where they are shown, and where the version is, which changes with them. */
async function written(call: ScimCall, people: DirectoryPerson[], selection: Selection): Promise<string[]> {
  const isWithGroups = [...commonAttributes, ...userType.core.attributes].some(
    (attribute) =>
      (attribute.name === "groups" || attribute.name === "meta") && selection.wants(userType.core, attribute),
  );
  const ids = isWithGroups ? people.map(({ userId }) => userId) : [];
  const groups = Map.groupBy(await groupsOfPeople(call.context.store, ids), ({ userId }) => userId);
  const show = showing(userType, selection);
  const turn = giveWay();
  const texts: string[] = [];
  for (const person of people) {
    const own = isWithGroups ? (groups.get(person.userId) ?? []) : null;
    texts.push(JSON.stringify(show(wholeUser(person, own, call.baseUrl))));
    await turn();
  }
  return texts;
}
