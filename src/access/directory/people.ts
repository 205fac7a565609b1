import type { Db } from "../../store/db.ts";
import { readEmail } from "../email.ts";
import { findUserByEmail, requireAccountById } from "../users.ts";
import { type DirectoryChange, DirectoryConflict } from "./directory-change.ts";
import { bumpGroupRevisions } from "./groups.ts";
import {
  adjustPeopleCount,
  type DirectoryPerson,
  findDeleted,
  findHolder,
  insertPerson,
  isInAnyDirectory,
  markPersonDeleted,
  updatePersonRow,
} from "./people.store.ts";
import {
  type AccountWish,
  acceptPendingInvites,
  applyActive,
  createManagedAccount,
  linkAccount,
  type PersonAccount,
  restoreAccount,
  updateAccount,
} from "./person-account.ts";
import { deleteAllValues, insertValues, type PersonValue, rewriteValues } from "./person-values.ts";

export type { DirectoryPerson, PersonRow } from "./people.store.ts";
export { findPerson, isInAnyDirectory, toPerson } from "./people.store.ts";
export { type PersonValue, termOf } from "./person-values.ts";

/** What a directory says about a person. */
export interface PersonWish extends AccountWish {
  userName: string;
  externalId: string | null;
  display: string;
  resource: string;
  values: PersonValue[];
}

/**
 * Creates a person, or restores one whom the directory deleted. A restore requires the same userName and the same
 * externalId: "a POST with a userName of a previously deleted resource SHOULD NOT fail" (RFC 7644, 3.6), but one
 * matching name alone can belong to a different person, who must not get the old account.
 */
export async function createPerson(change: DirectoryChange, wish: PersonWish): Promise<DirectoryPerson> {
  const { scope } = change;
  const { directoryId } = scope.actor;
  await refuseTaken(change, wish, null);
  const earlier =
    wish.externalId === null ? null : await findDeleted(scope.db, directoryId, keyOf(wish.userName), wish.externalId);
  const { user, action } = earlier
    ? await restoreAccount(change, earlier.userId, wish)
    : await findOrCreateAccount(change, wish);
  const now = scope.now().toISOString();
  const person: DirectoryPerson = {
    userId: user.id,
    directoryId,
    userName: wish.userName,
    externalId: wish.externalId,
    display: wish.display,
    resource: wish.resource,
    active: user.active,
    createdAt: earlier?.createdAt ?? now,
    updatedAt: now,
    deletedAt: null,
    revision: earlier ? earlier.revision + 1 : 0,
  };
  if (earlier) await updatePersonRow(scope.db, person, keyOf(wish.userName));
  else await insertPerson(scope.db, person, keyOf(wish.userName));
  await adjustPeopleCount(scope.db, directoryId, 1);
  await insertValues(scope.db, directoryId, user.id, wish.values);
  await change.audit({ action, target: user.id, details: { user_name: wish.userName, email: wish.email } });
  if (action !== "user.linked" && user.active) await acceptPendingInvites(change, user);
  return { ...person, active: await applyActive(change, user, wish.active ?? user.active) };
}

/** Returns the updated person. Without a difference it writes no row and announces nothing. */
export async function updatePerson(
  change: DirectoryChange,
  before: DirectoryPerson,
  valuesBefore: PersonValue[],
  wish: PersonWish,
): Promise<DirectoryPerson> {
  const { scope } = change;
  const user = await requireAccountById(scope.db, before.userId);
  const after = { ...before };
  if (wish.resource !== before.resource) {
    await refuseTaken(change, wish, before.userId);
    const { userName, externalId, display, resource } = wish;
    Object.assign(after, { userName, externalId, display, resource });
    await rewriteValues(scope.db, before, valuesBefore, wish.values);
    await updateAccount(change, user, wish);
    // Groups show the names of their members.
    if (display !== before.display) await bumpGroupRevisions(scope.db, user.id, scope.now().toISOString());
    await change.audit({
      action: "user.updated",
      target: user.id,
      details: { user_name: userName, email: wish.email },
    });
  }
  after.active = await applyActive(change, user, wish.active ?? user.active);
  if (wish.resource === before.resource && after.active === before.active) return before;
  after.updatedAt = scope.now().toISOString();
  after.revision = before.revision + 1;
  await updatePersonRow(scope.db, after, keyOf(after.userName));
  const now = await requireAccountById(scope.db, user.id);
  // "Never a pending invite for a member": an invite may be pending for the new address or the reactivated person.
  if (now.active && (now.emailKey !== user.emailKey || !user.active)) await acceptPendingInvites(change, now);
  return after;
}

/** The row stays, so that the same userName and externalId find the account again. */
export async function deletePersonRecord(db: Db, { userId, directoryId }: DirectoryPerson, at: string): Promise<void> {
  await deleteAllValues(db, userId);
  await markPersonDeleted(db, userId, at);
  await adjustPeopleCount(db, directoryId, -1);
}

const keyOf = (userName: string): string => userName.toLowerCase();

/** People may share an external id: "the server does not enforce uniqueness" of it (RFC 7643, 3.1). */
async function refuseTaken({ scope }: DirectoryChange, wish: PersonWish, self: string | null): Promise<void> {
  const holder = await findHolder(scope.db, scope.actor.directoryId, keyOf(wish.userName));
  if (holder !== null && holder !== self) throw new DirectoryConflict("The userName is taken in this directory.");
}

/**
 * "When SCIM first creates a person whose e-mail equals that of an existing account of the same organization, verified
 * there, it is linked to that account", so that deactivation also covers people who were invited earlier. An account
 * that another directory manages is not linked.
 */
async function findOrCreateAccount(change: DirectoryChange, wish: PersonWish): Promise<PersonAccount> {
  const { db } = change.scope;
  const email = readEmail(wish.email);
  const holder = email && (await findUserByEmail(db, change.organizationId, email));
  if (holder?.kind === "person" && holder.emailVerifiedAt !== null && !(await isInAnyDirectory(db, holder.id))) {
    return linkAccount(change, holder, wish);
  }
  return createManagedAccount(change, wish, holder ? null : email);
}
