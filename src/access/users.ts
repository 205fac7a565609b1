import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { type AuditHead, appendAudit } from "./audit/audit.ts";
import type { Email } from "./email.ts";
import { acceptOpenInvites, type Invite } from "./invites.ts";
import type { AnyScope, OrganizationRole } from "./scope.ts";
import {
  findUser,
  findUserByEmail,
  hasOtherActiveOwner,
  insertUser,
  isRemoved,
  listAccounts,
  listUsersOf,
  markRemoved,
  markRestored,
  setActive,
  setNaming,
  setOrganizationRole,
  type User,
} from "./users.store.ts";

export type { User } from "./users.store.ts";

/**
 * A person joins an organization. Invites that were waiting for their address are accepted with it, because "when the
 * invited user is already a member of the organization, the invite is accepted automatically".
 */
export async function createAccount(
  scope: AnyScope,
  wanted: {
    organizationId: string;
    email: Email;
    organizationRole: OrganizationRole;
    name?: string;
    /** Somebody who may be believed has said, or the person has shown, that the address is theirs. */
    emailVerified: boolean;
  },
): Promise<{ user: User; accepted: Invite[] }> {
  if (await findUserByEmail(scope.db, wanted.organizationId, wanted.email.key)) throw new Problem("email_taken");
  const now = scope.now().toISOString();
  const user: User = {
    id: newId("user", scope.region),
    organizationId: wanted.organizationId,
    email: wanted.email.typed,
    emailKey: wanted.email.key,
    organizationRole: wanted.organizationRole,
    active: true,
    kind: "person",
    name: wanted.name ?? "",
    emailVerifiedAt: wanted.emailVerified ? now : null,
    createdAt: now,
    deactivatedAt: null,
  };
  await insertUser(scope.db, user);
  return { user, accepted: await acceptOpenInvites(scope, wanted.organizationId, user) };
}

/** One row for each project that a new account is in at once, so that its admins see it come. */
export async function auditJoining(scope: AnyScope, head: AuditHead, user: User, accepted: Invite[]): Promise<void> {
  let last = head;
  for (const invite of accepted) {
    last = await appendAudit(scope, last, {
      action: "user.joined",
      target: user.id,
      projectId: invite.projectId,
      details: { email: user.email, invite_code: invite.code },
    });
  }
}

/** An account that no invite waits for: whoever makes it has decided everything about it. */
export const keepAccount = (db: Db, user: User): Promise<void> => insertUser(db, user);

export const listAccountsIn = (
  db: Db,
  organizationId: string,
  kind: User["kind"],
  page: { after: string; limit: number },
  projectIds: readonly string[] | null = null,
): Promise<User[]> => listUsersOf(db, organizationId, kind, page, projectIds);

export const findAccountByEmail = (db: Db, organizationId: string, email: Email): Promise<User | null> =>
  findUserByEmail(db, organizationId, email.key);

export const keepOrganizationRole = (db: Db, userId: string, role: OrganizationRole): Promise<void> =>
  setOrganizationRole(db, userId, role);

export const hasOtherOwner = (db: Db, user: User): Promise<boolean> =>
  hasOtherActiveOwner(db, user.organizationId, user.id);

/** The name and the address as the organization's directory has them. */
export const nameAccount = (
  db: Db,
  user: Pick<User, "id" | "name" | "email" | "emailKey" | "emailVerifiedAt">,
): Promise<void> => setNaming(db, user);

/**
 * Stands in `emailVerifiedAt` where a directory alone has said whose the address is. A directory may send any address: that is
 * enough within its organization, and shows nobody else anything.
 */
export const vouchedByDirectory = "1970-01-01T00:00:00.000Z";

/** The person has shown that the address is theirs, or somebody who may be believed has said so. */
export const isVerifiedByPerson = ({ emailVerifiedAt }: Pick<User, "emailVerifiedAt">): boolean =>
  emailVerifiedAt !== null && emailVerifiedAt !== vouchedByDirectory;

/** The person has read a mail that went to the address of the account. */
export async function markAddressVerified(db: Db, user: User, now: Date): Promise<void> {
  if (!isVerifiedByPerson(user)) await setNaming(db, { ...user, emailVerifiedAt: now.toISOString() });
}

/** What stays of an account that its directory has deleted is nobody's to bring back but the directory's. */
export const isRemovedAccount = (db: Db, userId: string): Promise<boolean> => isRemoved(db, userId);

/** The directory has deleted the person: no address finds the account any more, and it owns nothing. */
export const removeAccount = (db: Db, userId: string, at: string): Promise<void> => markRemoved(db, userId, at);
/** And has sent them again; inactive since the given time where it said so. */
export const restoreAccount = (db: Db, userId: string, inactiveSince: string | null): Promise<void> =>
  markRestored(db, userId, inactiveSince);

/** An account that must be there, because something points at it. */
export async function requireAccountById(db: Db, userId: string): Promise<User> {
  const user = await findUser(db, userId);
  if (!user) throw new Error(`The account ${userId} is gone.`);
  return user;
}

/** Of any organization: who may hear of it is for the caller to decide. */
export const findAccount = (db: Db, userId: string): Promise<User | null> => findUser(db, userId);
export const accountsOf = (db: Db, email: Email): Promise<User[]> => listAccounts(db, email.key);

export const markActive = (db: Db, userId: string): Promise<void> => setActive(db, userId, true, null);
export const markDeactivated = (db: Db, userId: string, at: string): Promise<void> => setActive(db, userId, false, at);
