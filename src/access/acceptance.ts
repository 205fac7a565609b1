import { Problem } from "../kernel/problem.ts";
import { lockChain } from "./audit/audit.ts";
import { createKey } from "./callers/keys.ts";
import { isInADirectory } from "./directory/people.ts";
import { readEmail } from "./email.ts";
import { acceptOpenInvites, requireInviteFor } from "./invites.ts";
import { findOrganization } from "./organizations.ts";
import type { Scope } from "./scope.ts";
import { auditJoining, createAccount, findAccount, isVerifiedByPerson } from "./users.ts";

export interface Acceptance {
  projectId: string;
  organizationId: string;
  userId: string;
  /** The first key of the new account, where the acceptance made one. */
  apiKey: string | null;
}

/**
 * The invited person takes up an invite with the account they have elsewhere. "An account belongs to one organization",
 * so this makes them one in the inviting organization, with its first key where they came with one: that does not reach it.
 */
export async function acceptInvite(scope: Scope, code: string): Promise<Acceptance> {
  const email = readEmail(scope.actor.email);
  const known = await findAccount(scope.db, scope.actor.userId);
  // An address that is shown and never compared is no address to be invited at: it is somebody else's.
  if (!email || known?.emailKey !== email.key) throw new Problem("invite_not_found");
  const { invite, organizationId } = await requireInviteFor(scope, code, email);
  if (organizationId === scope.actor.organizationId) {
    await acceptOpenInvites(scope, organizationId, { id: scope.actor.userId, emailKey: email.key });
    return { projectId: invite.projectId, organizationId, userId: scope.actor.userId, apiKey: null };
  }
  // From here on the change is the other organization's: its chain is locked and tells of it too. The invite is looked
  // at once more behind that lock, since it may have been deleted or accepted while we waited.
  const head = await lockChain(scope.db, organizationId);
  await requireInviteFor(scope, code, email);
  const organization = await findOrganization(scope.db, organizationId);
  const { user, accepted } = await createAccount(scope, {
    organizationId,
    email,
    organizationRole: "member",
    // What another organization's directory says about an address is no proof to this one.
    emailVerified: isVerifiedByPerson(known) && !(await isInADirectory(scope.db, known.id)),
  });
  // Whoever came by a session goes on by one; a key that nobody asked for would only lie about. Where a second factor is asked
  // for, a key comes after it: people sign in and set it up first.
  const givesKey = scope.actor.by === "key" && organization?.secondFactor !== "required";
  const key = givesKey ? await createKey(scope, user.id, { label: "first key" }) : null;
  // The new account is who acted here: what they are called in their other organization is not this one's to know.
  const newcomer = { ...scope.actor, userId: user.id, organizationId, keyId: key?.key.id ?? scope.actor.keyId };
  await auditJoining({ ...scope, actor: newcomer }, head, user, accepted);
  return { projectId: invite.projectId, organizationId, userId: user.id, apiKey: key?.apiKey ?? null };
}
