import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { type AuditHead, appendAudit } from "./audit/audit.ts";
import type { Email } from "./email.ts";
import { acceptOpenInvites, type Invite, joiningOf } from "./invites.ts";
import type { AnyScope, OrganizationRole } from "./scope.ts";
import { findUser, findUserByEmail, insertUser, setNameAndEmail, type User } from "./users.store.ts";

export type { User } from "./users.store.ts";
export {
  findUser,
  findUserByEmail,
  hasOtherActiveOwner,
  insertUser,
  isRemoved,
  isRemovedAddress,
  listAccounts,
  listPersonIds,
  listUsersOf,
  markActive,
  markDeactivated,
  markRemoved,
  markRestored,
  setNameAndEmail,
  setOrganizationRole,
} from "./users.store.ts";

/**
 * Creates a person's account and accepts pending invites for the address, because "when the invited user is already a
 * member of the organization, the invite is accepted automatically".
 */
export async function createAccount(
  scope: AnyScope,
  wanted: {
    organizationId: string;
    email: Email;
    organizationRole: OrganizationRole;
    name?: string;
    /** A trusted source, or the person, has proved that the address is theirs. */
    emailVerified: boolean;
  },
): Promise<{ user: User; accepted: Invite[] }> {
  if (await findUserByEmail(scope.db, wanted.organizationId, wanted.email)) throw new Problem("email_taken");
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

/** Appends one row for each project that a new account joins, for the admins of each project. */
export async function auditJoining(scope: AnyScope, head: AuditHead, user: User, accepted: Invite[]): Promise<void> {
  let last = head;
  for (const invite of accepted) {
    last = await appendAudit(scope, last, joiningOf(invite, user));
  }
}

/**
 * The value of `emailVerifiedAt` when only a directory has said that the address is the person's. A directory can send
 * any address, so this counts within its organization and nowhere else.
 */
export const vouchedByDirectory = "1970-01-01T00:00:00.000Z";

/** Whether the person, or a trusted source other than a directory, has proved that the address is theirs. */
export const isVerifiedByPerson = ({ emailVerifiedAt }: Pick<User, "emailVerifiedAt">): boolean =>
  emailVerifiedAt !== null && emailVerifiedAt !== vouchedByDirectory;

/** The person has received a mail at the account's address. */
export async function markAddressVerified(db: Db, user: User, now: Date): Promise<void> {
  if (!isVerifiedByPerson(user)) await setNameAndEmail(db, { ...user, emailVerifiedAt: now.toISOString() });
}

/** Throws if the account does not exist: the caller holds a reference to it. */
export async function requireAccountById(db: Db, userId: string): Promise<User> {
  const user = await findUser(db, userId);
  if (!user) throw new Error(`The account ${userId} is gone.`);
  return user;
}
