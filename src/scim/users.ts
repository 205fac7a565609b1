import type { DirectoryChange } from "../access/directory/directory-change.ts";
import { type GroupMember, listGroupsOf } from "../access/directory/groups.ts";
import { createPerson, type DirectoryPerson, findPerson, updatePerson } from "../access/directory/people.ts";
import { removePerson } from "../access/directory/remove-person.ts";
import type { ProtocolResponse } from "../calls/protocol.ts";
import { deleteCredentials } from "../identity/credentials.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import type { Db } from "../store/db.ts";
import { readBody, type ScimCall } from "./authenticated-request.ts";
import { changeDirectory } from "./change-directory.ts";
import { toCondition } from "./filters/filter-to-condition.ts";
import { filterOf, type ListQuery, listText, readQuery, selectionFor } from "./list-query.ts";
import { applyOperation, readPatch } from "./patch/apply-patch.ts";
import { normalize } from "./patch/write-values.ts";
import { userVersion } from "./response/etag.ts";
import { checkPreconditions } from "./response/preconditions.ts";
import { rendererFor } from "./response/render.ts";
import { emptyResponse, textResponse } from "./response/responses.ts";
import { badRequest, notFound } from "./response/scim-error.ts";
import { defaultSelection, type Selection } from "./response/selected-attributes.ts";
import type { JsonObject } from "./schema/read-value.ts";
import { commonAttributes, userType } from "./schema/schemas.ts";
import { readUser, storedResource, toUserResource, toWish, valuesOf } from "./user-resource.ts";

export async function listUsers(call: ScimCall, query: ListQuery): Promise<ProtocolResponse> {
  const { total, texts } = await searchUsers(call, query);
  return textResponse(200, listText(total, query.startIndex, texts));
}

export async function searchUsers(call: ScimCall, query: ListQuery): Promise<{ total: number; texts: string[] }> {
  const filter = filterOf(userType, query);
  const { total, page } = await call.search.people(call.holder.directoryId, filter && toCondition(userType, filter), {
    offset: query.startIndex - 1,
    limit: query.count,
  });
  return { total, texts: await serializeUsers(call, page, selectionFor(userType, query)) };
}

export async function createUser(call: ScimCall): Promise<ProtocolResponse> {
  const resource = readUser(await readBody(call));
  normalize(userType, resource);
  const wish = toWish(resource);
  refuseLarge(wish.resource);
  const person = await changeDirectory(call, (change) => createPerson(change, wish));
  // A new person is in no group yet.
  return userResponse(call, 201, person, [], { location: `${call.baseUrl}/scim/v2/Users/${person.userId}` });
}

export async function readOneUser(call: ScimCall, id: string): Promise<ProtocolResponse> {
  const { store } = call.context;
  const person = await requirePerson(store, call, id);
  const groups = await listGroupsOf(store, [id]);
  const etag = userVersion(person, groups);
  return checkPreconditions(call.request, etag)
    ? emptyResponse(304, { etag })
    : userResponse(call, 200, person, groups);
}

/** "PUT … clears omitted readWrite"; omitting `active` never changes it. */
export async function replaceUser(call: ScimCall, id: string): Promise<ProtocolResponse> {
  const resource = readUser(await readBody(call));
  return changeUser(call, id, async () => resource);
}

/** A person has a few dozen attributes; only a group needs an operation for each member. */
const operationsMax = 500;

export async function patchUser(call: ScimCall, id: string): Promise<ProtocolResponse> {
  const operations = readPatch(await readBody(call), operationsMax);
  return changeUser(call, id, async (before, whole) => {
    const turn = giveWay();
    for (const operation of operations) {
      applyOperation(userType, before, whole, operation);
      // Null is neither true nor false, and guessing could activate an account.
      if (before.active === undefined) throw badRequest("invalidValue", '"active" must be true or false.');
      await turn();
    }
    return before;
  });
}

async function changeUser(
  call: ScimCall,
  id: string,
  work: (before: JsonObject, whole: JsonObject) => Promise<JsonObject>,
): Promise<ProtocolResponse> {
  const { person, groups } = await changeDirectory(call, async (change) => {
    const { db } = change.scope;
    const before = await requirePerson(db, call, id);
    const groups = await listGroupsOf(db, [id]);
    checkPreconditions(call.request, userVersion(before, groups));
    const whole = rendererFor(userType, defaultSelection)(toUserResource(before, groups, call.baseUrl));
    const after = await work(storedResource(before), whole);
    normalize(userType, after);
    return { person: await keep(change, before, after), groups };
  });
  return userResponse(call, 200, person, groups);
}

function keep(change: DirectoryChange, person: DirectoryPerson, after: JsonObject): Promise<DirectoryPerson> {
  const { active: _, ...before } = storedResource(person);
  const wish = toWish(after);
  // A resource that is already too large can still be deactivated.
  if (wish.resource !== person.resource) refuseLarge(wish.resource);
  return updatePerson(change, person, valuesOf(before), wish);
}

/** Room for a picture, and small enough to read a page of users quickly. */
const charactersMax = 256 * 1024;

function refuseLarge(resource: string): void {
  if (resource.length <= charactersMax) return;
  throw badRequest("invalidValue", `A user can have at most ${charactersMax} characters in total.`);
}

export async function deleteUser(call: ScimCall, id: string): Promise<ProtocolResponse> {
  await changeDirectory(call, async (change) => {
    const { db } = change.scope;
    const person = await requirePerson(db, call, id);
    checkPreconditions(call.request, userVersion(person, await listGroupsOf(db, [id])));
    await removePerson(change, person);
    await deleteCredentials(db, person.userId);
  });
  return emptyResponse(204);
}

/** Throws 404 also for a person of another directory and for a deleted one. */
async function requirePerson(db: Db, { holder }: ScimCall, id: string): Promise<DirectoryPerson> {
  const person = await findPerson(db, holder.directoryId, id);
  if (!person) throw notFound();
  return person;
}

function userResponse(
  call: ScimCall,
  status: number,
  person: DirectoryPerson,
  groups: GroupMember[],
  headers: Record<string, string> = {},
): ProtocolResponse {
  const render = rendererFor(userType, selectionFor(userType, readQuery(call.query)));
  const text = JSON.stringify(render(toUserResource(person, groups, call.baseUrl)));
  return textResponse(status, text, { ...headers, etag: userVersion(person, groups) });
}

/** Serializes each person. Reads groups only where groups or the version, which depends on them, are shown. */
async function serializeUsers(call: ScimCall, people: DirectoryPerson[], selection: Selection): Promise<string[]> {
  const includesGroups = [...commonAttributes, ...userType.core.attributes].some(
    (attribute) =>
      (attribute.name === "groups" || attribute.name === "meta") && selection.wants(userType.core, attribute),
  );
  const ids = includesGroups ? people.map(({ userId }) => userId) : [];
  const groups = Map.groupBy(await listGroupsOf(call.context.store, ids), ({ userId }) => userId);
  const render = rendererFor(userType, selection);
  const turn = giveWay();
  const texts: string[] = [];
  for (const person of people) {
    const own = includesGroups ? (groups.get(person.userId) ?? []) : null;
    texts.push(JSON.stringify(render(toUserResource(person, own, call.baseUrl))));
    await turn();
  }
  return texts;
}
