import { Problem } from "../kernel/problem.ts";
import { lockChain } from "./audit/audit.ts";
import { createKey } from "./callers/keys.ts";
import { isInAnyDirectory } from "./directory/people.ts";
import { readEmail } from "./email.ts";
import { acceptOpenInvites, type Invite, joiningOf, noteInvite, requireInviteFor, type SentCode } from "./invites.ts";
import { findOrganization } from "./organizations.ts";
import type { Scope } from "./scope.ts";
import { auditJoining, createAccount, findUser, isVerifiedByPerson } from "./users.ts";

export interface Acceptance {
  invite: Invite;
  projectId: string;
  organizationId: string;
  userId: string;
  /** The first key of the new account, if the acceptance created one. */
  apiKey: string | null;
}

/**
 * Accepts an invite for a person whose account is in another organization. "An account belongs to one organization", so
 * this creates a second account in the inviting organization. A caller with a key gets a first key there, since the old
 * key is not valid in it.
 */
export async function acceptInvite(scope: Scope, code: SentCode): Promise<Acceptance> {
  const email = readEmail(scope.actor.email);
  const known = await findUser(scope.db, scope.actor.userId);
  // An address without a matching key is shown but never compared: it can belong to another account.
  if (!email || known?.emailKey !== email.key) throw new Problem("invite_not_found");
  const { invite, organizationId } = await requireInviteFor(scope, code, email);
  noteInvite(scope, invite);
  if (organizationId === scope.actor.organizationId) {
    // The invite is older than the account: one to a member is accepted when it is created. A single sign-on provider can
    // let its people claim any address, and this is one of somebody who was invited from outside.
    if (known.emailVerifiedAt === null) throw new Problem("address_unverified");
    const accepted = await acceptOpenInvites(scope, organizationId, known);
    scope.auditNotes?.rows.push(...accepted.map((each) => joiningOf(each, known)));
    return { invite, projectId: invite.projectId, organizationId, userId: scope.actor.userId, apiKey: null };
  }
  // The rest is a change of the other organization, so its audit chain is locked. Checks the invite again under that
  // lock: it may have been deleted or accepted in the meantime.
  const head = await lockChain(scope.db, organizationId);
  await requireInviteFor(scope, code, email);
  const organization = await findOrganization(scope.db, organizationId);
  const { user, accepted } = await createAccount(scope, {
    organizationId,
    email,
    organizationRole: "member",
    // What another organization's directory says about an address proves nothing here.
    emailVerified: isVerifiedByPerson(known) && !(await isInAnyDirectory(scope.db, known.id)),
  });
  // A caller with a session continues with a session and needs no key. Where a second factor is required, people sign
  // in and set it up before they create a key.
  const givesKey = scope.actor.by === "key" && organization?.secondFactor !== "required";
  const key = givesKey ? await createKey(scope, user.id, { label: "first key" }) : null;
  // The actor is the new account: this organization must not learn about the caller's other account.
  const newcomer = { ...scope.actor, userId: user.id, organizationId, keyId: key?.key.id ?? scope.actor.keyId };
  await auditJoining({ ...scope, actor: newcomer }, head, user, accepted);
  return { invite, projectId: invite.projectId, organizationId, userId: user.id, apiKey: key?.apiKey ?? null };
}
