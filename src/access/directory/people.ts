import { newId } from "../../kernel/ids.ts";
import type { Db } from "../../store/db.ts";
import { comeBack, detailsOf, goDark } from "../deactivation.ts";
import { readEmail } from "../email.ts";
import { acceptOpenInvites } from "../invites.ts";
import {
  findAccountByEmail,
  keepAccount,
  nameAccount,
  requireAccountById,
  restoreAccount,
  type User,
} from "../users.ts";
import { type DirectoryChange, DirectoryConflict } from "./change.ts";
import {
  countPerson,
  type DirectoryPerson,
  deleteAllValues,
  deleteValues,
  findDeleted,
  findHolders,
  findPersonRow,
  forgetDeleted,
  insertPerson,
  insertValues,
  isInAnyDirectory,
  markPersonDeleted,
  type PersonValue,
  updatePersonRow,
} from "./people.store.ts";

export type { DirectoryPerson, PersonRow, PersonValue } from "./people.store.ts";
export { termOf, toPerson } from "./people.store.ts";

/** What a directory says about a person. */
export interface PersonWish {
  userName: string;
  externalId: string | null;
  /** The address to write to, which need not be one: it is shown, and never what people are told apart by. */
  email: string;
  name: string;
  display: string;
  /** Null where nothing was said about it. */
  active: boolean | null;
  resource: string;
  values: PersonValue[];
}

export const findPerson = (db: Db, directoryId: string, userId: string): Promise<DirectoryPerson | null> =>
  findPersonRow(db, directoryId, userId);

/**
 * The directory sends somebody for the first time, or once more after it had deleted them: "same externalId through the same
 * connection re-links the same account; a different userName with a known externalId is an update conflict".
 */
export async function createPerson(change: DirectoryChange, wish: PersonWish): Promise<DirectoryPerson> {
  const { scope } = change;
  const { directoryId } = scope.actor;
  await refuseTaken(change, wish, null);
  const earlier = wish.externalId === null ? null : await findDeleted(scope.db, directoryId, wish.externalId);
  if (earlier && earlier.userName.toLowerCase() !== wish.userName.toLowerCase()) {
    throw new DirectoryConflict("The externalId belongs to a person who was deleted under another userName.");
  }
  const { user, action } = earlier ? await reviveAccount(change, earlier, wish) : await findOrMakeAccount(change, wish);
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
  };
  if (earlier) await updatePersonRow(scope.db, person, keyOf(wish.userName));
  else await insertPerson(scope.db, person, keyOf(wish.userName));
  await countPerson(scope.db, directoryId, 1);
  await insertValues(scope.db, directoryId, user.id, wish.values);
  await change.note({ action, target: user.id, details: { user_name: wish.userName, email: wish.email } });
  if (action !== "user.linked" && user.active) await joinWaitingProjects(change, user);
  return { ...person, active: await settleActive(change, user, wish.active ?? user.active) };
}

/** Answers the person as they are afterwards; where nothing is different, nothing is written and nobody is told. */
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
    if (wish.externalId !== null && wish.externalId !== before.externalId) {
      await forgetDeleted(scope.db, before.directoryId, wish.externalId);
    }
    const { userName, externalId, display, resource } = wish;
    Object.assign(after, { userName, externalId, display, resource });
    await rewriteValues(scope.db, before, valuesBefore, wish.values);
    await rename(change, user, wish);
    await change.note({ action: "user.updated", target: user.id, details: { user_name: userName, email: wish.email } });
  }
  after.active = await settleActive(change, user, wish.active ?? user.active);
  if (wish.resource === before.resource && after.active === before.active) return before;
  after.updatedAt = scope.now().toISOString();
  await updatePersonRow(scope.db, after, keyOf(after.userName));
  return after;
}

/** What stays is the row by which the external id finds the account again. */
export async function forgetPerson(db: Db, { userId, directoryId }: DirectoryPerson, at: string): Promise<void> {
  await deleteAllValues(db, userId);
  await markPersonDeleted(db, userId, at);
  await countPerson(db, directoryId, -1);
}

/** Whether an account's address is what some directory says it is. */
export const isInADirectory = (db: Db, userId: string): Promise<boolean> => isInAnyDirectory(db, userId);

const keyOf = (userName: string): string => userName.toLowerCase();

async function refuseTaken({ scope }: DirectoryChange, wish: PersonWish, self: string | null): Promise<void> {
  const { byName, byExternalId } = await findHolders(
    scope.db,
    scope.actor.directoryId,
    keyOf(wish.userName),
    wish.externalId,
  );
  if (byName !== null && byName !== self) throw new DirectoryConflict("The userName is taken in this directory.");
  if (byExternalId !== null && byExternalId !== self) {
    throw new DirectoryConflict("The externalId is taken in this directory.");
  }
}

/**
 * "When SCIM first creates a person whose e-mail equals that of an existing account of the same organization, verified there, it
 * is linked to that account", so that people who were invited earlier are covered by deactivation too. One that another
 * directory looks after stays with that.
 */
async function findOrMakeAccount(change: DirectoryChange, wish: PersonWish): Promise<{ user: User; action: string }> {
  const { scope, organizationId } = change;
  const email = readEmail(wish.email);
  const known = email && (await findAccountByEmail(scope.db, organizationId, email));
  if (known && known.kind === "person" && known.emailVerifiedAt && !(await isInAnyDirectory(scope.db, known.id))) {
    await nameAccount(scope.db, { ...known, name: wish.name || known.name });
    return { user: known, action: "user.linked" };
  }
  const id = newId("user", scope.region);
  const now = scope.now().toISOString();
  const active = wish.active ?? true;
  const user: User = {
    id,
    organizationId,
    email: wish.email,
    emailKey: email && !known ? email.key : noAddress(id),
    organizationRole: "member",
    active,
    kind: "person",
    name: wish.name,
    // The organization's own directory vouches for it.
    emailVerifiedAt: email && !known ? now : null,
    createdAt: now,
    deactivatedAt: active ? null : now,
  };
  await keepAccount(scope.db, user);
  return { user, action: "user.created" };
}

/** Never found by address: the address is no address, or somebody else's. */
const noAddress = (userId: string): string => `no-address:${userId}`;

async function reviveAccount(change: DirectoryChange, earlier: DirectoryPerson, wish: PersonWish) {
  const { db } = change.scope;
  const user = await requireAccountById(db, earlier.userId);
  await restoreAccount(db, user.id, (wish.active ?? true) ? null : change.scope.now().toISOString());
  const revived: User = { ...user, active: wish.active ?? true };
  await rename(change, revived, wish);
  return { user: revived, action: "user.restored" };
}

/** The account's name and address follow the directory; an address that is somebody else's is shown and not compared. */
async function rename({ scope, organizationId }: DirectoryChange, user: User, wish: PersonWish): Promise<void> {
  const email = readEmail(wish.email);
  const holder = email && (await findAccountByEmail(scope.db, organizationId, email));
  const isOwn = email && (!holder || holder.id === user.id);
  await nameAccount(scope.db, {
    id: user.id,
    name: wish.name,
    email: wish.email,
    emailKey: isOwn ? email.key : noAddress(user.id),
    emailVerifiedAt: isOwn ? (user.emailVerifiedAt ?? scope.now().toISOString()) : null,
  });
}

/** Invites that were waiting for the address are accepted with the account. */
async function joinWaitingProjects(change: DirectoryChange, user: User): Promise<void> {
  const accepted = await acceptOpenInvites(change.scope, change.organizationId, user);
  for (const { projectId, code } of accepted) {
    const details = { email: user.email, invite_code: code };
    await change.note({ action: "user.joined", target: user.id, projectId, details });
  }
}

/** Only attributes that differ are written again. */
async function rewriteValues(
  db: Db,
  { directoryId, userId }: DirectoryPerson,
  before: PersonValue[],
  after: PersonValue[],
): Promise<void> {
  const [old, now] = [before, after].map((values) => Map.groupBy(values, ({ attribute }) => attribute));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const changed = [...names].filter((name) => JSON.stringify(old?.get(name)) !== JSON.stringify(now?.get(name)));
  await deleteValues(db, userId, changed);
  const rows = changed.flatMap((name) => now?.get(name) ?? []);
  await insertValues(db, directoryId, userId, rows);
}

/** Deactivation and return, each with its one row in the audit log; being told the same again changes nothing. */
async function settleActive(change: DirectoryChange, user: User, active: boolean): Promise<boolean> {
  if (user.active === active) return active;
  if (!active) {
    const done = await goDark(change.scope, user);
    await change.note({ action: "user.deactivated", target: user.id, details: detailsOf(done) });
  } else {
    const { keysRestored } = await comeBack(change.scope, user);
    const details = { email: user.email, keys_restored: keysRestored };
    await change.note({ action: "user.reactivated", target: user.id, details });
  }
  return active;
}
