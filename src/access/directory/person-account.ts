import { newId } from "../../kernel/ids.ts";
import { deactivate, deactivationDetails, reactivate } from "../deactivation.ts";
import { type Email, readEmail } from "../email.ts";
import { acceptOpenInvites, joiningOf } from "../invites.ts";
import {
  findUserByEmail,
  insertUser,
  markRestored,
  requireAccountById,
  setNameAndEmail,
  type User,
  vouchedByDirectory,
} from "../users.ts";
import type { DirectoryChange } from "./directory-change.ts";

/** What a directory says about a person's account. */
export interface AccountWish {
  /** The contact address. It need not be valid or unique, so it is shown but does not identify the account. */
  email: string;
  name: string;
  /** Null if the directory did not say. */
  active: boolean | null;
}

/** A person's account, and how they got it, in the audit log's words. */
export interface PersonAccount {
  user: User;
  action: "user.linked" | "user.created" | "user.restored";
}

export async function linkAccount({ scope }: DirectoryChange, user: User, wish: AccountWish): Promise<PersonAccount> {
  await setNameAndEmail(scope.db, { ...user, name: wish.name || user.name });
  return { user, action: "user.linked" };
}

/** `email` is null if the address is invalid or belongs to another account: then it is shown but never compared. */
export async function createManagedAccount(
  { scope, organizationId }: DirectoryChange,
  wish: AccountWish,
  email: Email | null,
): Promise<PersonAccount> {
  const id = newId("user", scope.region);
  const now = scope.now().toISOString();
  const active = wish.active ?? true;
  const user: User = {
    id,
    organizationId,
    email: wish.email,
    emailKey: email?.key ?? unusableEmailKey(id),
    organizationRole: "member",
    active,
    kind: "person",
    name: wish.name,
    emailVerifiedAt: email ? vouchedByDirectory : null,
    createdAt: now,
    deactivatedAt: active ? null : now,
  };
  await insertUser(scope.db, user);
  return { user, action: "user.created" };
}

/** A key that no address equals, for an account without a usable address. */
const unusableEmailKey = (userId: string): string => `no-address:${userId}`;

/** The directory deleted the person and now creates them again. */
export async function restoreAccount(
  change: DirectoryChange,
  userId: string,
  wish: AccountWish,
): Promise<PersonAccount> {
  const { db } = change.scope;
  const user = await requireAccountById(db, userId);
  await markRestored(db, user.id, (wish.active ?? true) ? null : change.scope.now().toISOString());
  await updateAccount(change, { ...user, active: wish.active ?? true }, wish);
  // Reads the new address, for which invites may be pending.
  return { user: await requireAccountById(db, user.id), action: "user.restored" };
}

/**
 * Updates the account's name and address from the directory. An address of another account is shown but never compared.
 */
export async function updateAccount(
  { scope, organizationId, onAddressChanged }: DirectoryChange,
  user: User,
  wish: AccountWish,
): Promise<void> {
  const email = readEmail(wish.email);
  const holder = email && (await findUserByEmail(scope.db, organizationId, email));
  const isOwn = email && (!holder || holder.id === user.id);
  const emailKey = isOwn ? email.key : unusableEmailKey(user.id);
  // A verified old address proves nothing about the new one.
  const verifiedAt = (emailKey === user.emailKey ? user.emailVerifiedAt : null) ?? vouchedByDirectory;
  await setNameAndEmail(scope.db, {
    id: user.id,
    name: wish.name,
    email: wish.email,
    emailKey,
    emailVerifiedAt: isOwn ? verifiedAt : null,
  });
  if (emailKey !== user.emailKey) await onAddressChanged(user.id);
}

/** Accepts pending invites for the account's address. */
export async function acceptPendingInvites(change: DirectoryChange, user: User): Promise<void> {
  const accepted = await acceptOpenInvites(change.scope, change.organizationId, user);
  for (const invite of accepted) await change.audit(joiningOf(invite, user));
}

/** Deactivates or reactivates the account, with one audit row. Repeating it has no effect. */
export async function applyActive(change: DirectoryChange, user: User, active: boolean): Promise<boolean> {
  if (user.active === active) return active;
  if (!active) {
    const done = await deactivate(change.scope, user);
    await change.audit({ action: "user.deactivated", target: user.id, details: deactivationDetails(done) });
  } else {
    const { keysRestored } = await reactivate(change.scope, user);
    const details = { email: user.email, keys_restored: keysRestored };
    await change.audit({ action: "user.reactivated", target: user.id, details });
  }
  return active;
}
