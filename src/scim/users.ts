import type { DirectoryChange } from "../access/directory/change.ts";
import { groupsOfPeople } from "../access/directory/groups.ts";
import { createPerson, type DirectoryPerson, findPerson, updatePerson } from "../access/directory/people.ts";
import { removePerson } from "../access/directory/remove-person.ts";
import { findPeople } from "../access/directory/search.ts";
import type { FaceAnswer } from "../api/face.ts";
import { forgetProofs } from "../identity/forget-proofs.ts";
import type { Db } from "../store/db.ts";
import { answerWith, change, noContent, readBody, type ScimCall } from "./call.ts";
import { tidy } from "./change-resource.ts";
import { filterOf, type ListQuery, listAnswer, readQuery, selectionFor } from "./list-query.ts";
import { applyOperation, readPatch } from "./patch.ts";
import type { Parts } from "./read-value.ts";
import { notFound } from "./refusal.ts";
import { userType } from "./schemas.ts";
import { everything, type Selection } from "./selection.ts";
import { showing } from "./show.ts";
import { toCondition } from "./to-condition.ts";
import { readUser, resourceOf, toWish, valuesOf, wholeUser } from "./user-resource.ts";

export async function listUsers(call: ScimCall, query: ListQuery): Promise<FaceAnswer> {
  const { total, resources } = await usersFound(call, query);
  return answerWith(200, listAnswer(total, query.startIndex, resources));
}

export async function usersFound(call: ScimCall, query: ListQuery): Promise<{ total: number; resources: Parts[] }> {
  const { store } = call.context;
  const filter = filterOf(userType, query);
  const { total, page } = await findPeople(store, call.holder.directoryId, filter && toCondition(userType, filter), {
    offset: query.startIndex - 1,
    limit: query.count,
  });
  return { total, resources: await shown(call, store, page, selectionFor(userType, query)) };
}

export async function createUser(call: ScimCall): Promise<FaceAnswer> {
  const resource = readUser(readBody(call));
  tidy(resource);
  const wish = toWish(resource);
  const person = await change(call, (inside) => createPerson(inside, wish));
  const user = await oneShown(call, call.context.store, person);
  return answerWith(201, user, { location: `${call.baseUrl}/scim/v2/Users/${person.userId}` });
}

export async function readOneUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  const { store } = call.context;
  const person = await requirePerson(store, call, id);
  return answerWith(200, await oneShown(call, store, person));
}

/** "PUT … clears omitted readWrite"; whether somebody is active is never changed by leaving it out. */
export function replaceUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  const resource = readUser(readBody(call));
  return changeUser(call, id, () => resource);
}

/** A person has a few dozen attributes; a group may get a member with each operation. */
const operationsMax = 500;

export function patchUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  const operations = readPatch(readBody(call), operationsMax);
  return changeUser(call, id, (before, whole) => {
    for (const operation of operations) applyOperation(userType, before, whole, operation);
    return before;
  });
}

async function changeUser(
  call: ScimCall,
  id: string,
  work: (before: Parts, whole: Parts) => Parts,
): Promise<FaceAnswer> {
  const answer = await change(call, async (inside) => {
    const { db } = inside.scope;
    const person = await requirePerson(db, call, id);
    const groups = await groupsOfPeople(db, [id]);
    const whole = showing(userType, everything)(wholeUser(person, groups, call.baseUrl));
    const after = work(resourceOf(person), whole);
    tidy(after);
    const updated = await keep(inside, person, after);
    const show = showing(userType, selectionFor(userType, readQuery(call.query)));
    return show(wholeUser(updated, groups, call.baseUrl));
  });
  return answerWith(200, answer);
}

function keep(inside: DirectoryChange, person: DirectoryPerson, after: Parts): Promise<DirectoryPerson> {
  const { active: _, ...before } = resourceOf(person);
  return updatePerson(inside, person, valuesOf(before), toWish(after));
}

export async function deleteUser(call: ScimCall, id: string): Promise<FaceAnswer> {
  await change(call, async (inside) => {
    const person = await requirePerson(inside.scope.db, call, id);
    await removePerson(inside, person);
    await forgetProofs(inside.scope.db, person.userId);
  });
  return noContent;
}

/** Of this directory; another's, and one that was deleted, look absent. */
async function requirePerson(db: Db, { holder }: ScimCall, id: string): Promise<DirectoryPerson> {
  const person = await findPerson(db, holder.directoryId, id);
  if (!person) throw notFound();
  return person;
}

async function oneShown(call: ScimCall, db: Db, person: DirectoryPerson): Promise<Parts> {
  const [user] = await shown(call, db, [person], selectionFor(userType, readQuery(call.query)));
  return user ?? {};
}

async function shown(call: ScimCall, db: Db, people: DirectoryPerson[], selection: Selection): Promise<Parts[]> {
  const wantsGroups = userType.core.attributes.some(
    (attribute) => attribute.name === "groups" && selection.wants(userType.core, attribute),
  );
  const ids = wantsGroups ? people.map(({ userId }) => userId) : [];
  const groups = Map.groupBy(await groupsOfPeople(db, ids), ({ userId }) => userId);
  const show = showing(userType, selection);
  return people.map((person) => show(wholeUser(person, groups.get(person.userId) ?? [], call.baseUrl)));
}
