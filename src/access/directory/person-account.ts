import { newId } from "../../kernel/ids.ts";
import { deactivate, deactivationDetails, reactivate } from "../deactivation.ts";
import { type Email, readEmail } from "../email.ts";
import { acceptOpenInvites } from "../invites.ts";
import {
  findAccountByEmail,
  keepAccount,
  nameAccount,
  requireAccountById,
  restoreAccount,
  type User,
  vouchedByDirectory,
} from "../users.ts";
import type { DirectoryChange } from "./change.ts";

/** What a directory says about the account of a person. */
export interface AccountWish {
  /** The address to write to, which need not be one: it is shown, and never what people are told apart by. */
  email: string;
  name: string;
  /** Null where nothing was said about it. */
  active: boolean | null;
}

/** The account that a person has now, and the audit log's word for how they came to it. */
export interface PersonAccount {
  user: User;
  action: "user.linked" | "user.created" | "user.restored";
}

export async function linkAccount({ scope }: DirectoryChange, user: User, wish: AccountWish): Promise<PersonAccount> {
  await nameAccount(scope.db, { ...user, name: wish.name || user.name });
  return { user, action: "user.linked" };
}

/** `email` is null where the address is none, or somebody else's: then it is shown, and not compared. */
export async function makeAccount(
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
    emailKey: email?.key ?? noAddress(id),
    organizationRole: "member",
    active,
    kind: "person",
    name: wish.name,
    emailVerifiedAt: email ? vouchedByDirectory : null,
    createdAt: now,
    deactivatedAt: active ? null : now,
  };
  await keepAccount(scope.db, user);
  return { user, action: "user.created" };
}

/** Never found by address: the address is no address, or somebody else's. */
const noAddress = (userId: string): string => `no-address:${userId}`;

/** The directory had deleted the person, and sends them again. */
export async function reviveAccount(
  change: DirectoryChange,
  userId: string,
  wish: AccountWish,
): Promise<PersonAccount> {
  const { db } = change.scope;
  const user = await requireAccountById(db, userId);
  await restoreAccount(db, user.id, (wish.active ?? true) ? null : change.scope.now().toISOString());
  await renameAccount(change, { ...user, active: wish.active ?? true }, wish);
  // With the address that it has now: whatever waits for that is theirs.
  return { user: await requireAccountById(db, user.id), action: "user.restored" };
}

/** The account's name and address follow the directory; an address that is somebody else's is shown and not compared. */
export async function renameAccount(
  { scope, organizationId, addressChanged }: DirectoryChange,
  user: User,
  wish: AccountWish,
): Promise<void> {
  const email = readEmail(wish.email);
  const holder = email && (await findAccountByEmail(scope.db, organizationId, email));
  const isOwn = email && (!holder || holder.id === user.id);
  const emailKey = isOwn ? email.key : noAddress(user.id);
  // What the person has shown of one address says nothing about the next.
  const verifiedAt = (emailKey === user.emailKey ? user.emailVerifiedAt : null) ?? vouchedByDirectory;
  await nameAccount(scope.db, {
    id: user.id,
    name: wish.name,
    email: wish.email,
    emailKey,
    emailVerifiedAt: isOwn ? verifiedAt : null,
  });
  if (emailKey !== user.emailKey) await addressChanged(user.id);
}

/** Invites that were waiting for the address are accepted with the account. */
export async function joinWaitingProjects(change: DirectoryChange, user: User): Promise<void> {
  const accepted = await acceptOpenInvites(change.scope, change.organizationId, user);
  for (const { projectId, code } of accepted) {
    const details = { email: user.email, invite_code: code };
    await change.note({ action: "user.joined", target: user.id, projectId, details });
  }
}

/** Deactivation and return, each with its one row in the audit log; being told the same again changes nothing. */
export async function applyActive(change: DirectoryChange, user: User, active: boolean): Promise<boolean> {
  if (user.active === active) return active;
  if (!active) {
    const done = await deactivate(change.scope, user);
    await change.note({ action: "user.deactivated", target: user.id, details: deactivationDetails(done) });
  } else {
    const { keysRestored } = await reactivate(change.scope, user);
    const details = { email: user.email, keys_restored: keysRestored };
    await change.note({ action: "user.reactivated", target: user.id, details });
  }
  return active;
}
