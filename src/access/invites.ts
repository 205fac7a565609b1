import { regionOfId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { isoTime } from "../kernel/times.ts";
import type { AuditEntry } from "./audit/audit-entry.ts";
import { refuseOtherRegion } from "./callers/wrong-region.ts";
import type { Email } from "./email.ts";
import type { InviteCodes } from "./invite-code-port.ts";
import {
  deleteInviteRow,
  findInvite,
  findInviteAndOrganization,
  findInvitee,
  type Invite,
  type InviteNames,
  insertInvite,
  listInvites as listInviteRows,
  listOpenInvitesFor,
  markAccepted,
  markResent,
} from "./invites.store.ts";
import type { Outbox } from "./mails/mail-queue.ts";
import type { Permissions } from "./permissions.ts";
import { addMember } from "./project-members.ts";
import { type AnyScope, projectOf, type Scope } from "./scope.ts";

export { type Invite, withdrawInvites } from "./invites.store.ts";

export interface InviteWish {
  email: Email;
  permissions: Permissions;
  expiresAt: string;
}

/** A code that a caller sent, and how the store names its invite; null if the text is no code. */
export interface SentCode {
  code: string;
  stored: string | null;
}

/**
 * "When the invited user is already a member of the organization, the invite is accepted automatically." Anyone else
 * gets a code by mail, and access when they use it.
 */
export async function createInvite(
  scope: Scope,
  wanted: InviteWish,
  { outbox, codes }: { outbox: Outbox; codes: InviteCodes },
): Promise<{ code: string }> {
  const { db, actor } = scope;
  const projectId = projectOf(scope);
  const now = isoTime(scope.now());
  const seen = await findInvitee(db, actor.organizationId, projectId, wanted.email.key, actor.userId);
  // Checked before membership: a deactivated member needs reactivation, not another role.
  if (seen.userId !== null && !seen.active) throw new Problem("user_deactivated");
  if (seen.isMember) {
    throw new Problem("already_member", undefined, { more: { user_id: seen.userId } });
  }
  if (seen.pendingCode !== null && seen.pendingExpiresAt !== null) {
    // A member is not kept waiting by an invite that is older than the account.
    if (seen.pendingExpiresAt > now && seen.userId === null) {
      throw new Problem("invite_already_pending", undefined, { more: { invite_code: codes.shown(seen.pendingCode) } });
    }
    await deleteInviteRow(db, seen.pendingCode);
  }
  const { code, stored } = codes.create(scope.region);
  const invite: Invite = {
    code: stored,
    projectId,
    email: wanted.email.typed,
    emailKey: wanted.email.key,
    permissions: wanted.permissions,
    status: seen.userId === null ? "pending" : "accepted",
    invitedBy: actor.userId,
    createdAt: now,
    expiresAt: wanted.expiresAt,
    sentAt: now,
    sentCount: 1,
    acceptedAt: seen.userId === null ? null : now,
    acceptedBy: seen.userId,
  };
  await insertInvite(db, invite);
  noteInvite(scope, invite);
  if (seen.userId !== null) {
    await addMember(scope, projectId, seen.userId, invite.permissions);
    if (scope.auditNotes) scope.auditNotes.details.joined = seen.userId;
  }
  await mailInvite(scope, invite, { code, names: seen.names, outbox });
  return { code };
}

/** The audit log names an invite by the stored form of its code. */
export function noteInvite({ auditNotes }: Scope, { code }: Invite): void {
  if (auditNotes) auditNotes.target = code;
}

/** The next page starts after the row of the code. */
export const listInvites = (scope: Scope, { after, limit }: { after: SentCode; limit: number }): Promise<Invite[]> =>
  listInviteRows(scope.db, projectOf(scope), { after: after.stored ?? after.code, limit });

/** "The roles on an existing invite cannot be edited. To change them, delete the invite and create a new one." */
export async function deleteInvite(scope: Scope, { stored }: SentCode): Promise<void> {
  const invite = await requireOpenInvite(scope, stored);
  noteInvite(scope, invite);
  await deleteInviteRow(scope.db, invite.code);
}

/** Sends the same code again and extends its expiry. */
export async function resendInvite(
  scope: Scope,
  { code, stored }: SentCode,
  expiresAt: string,
  outbox: Outbox,
): Promise<Invite> {
  const invite = await requireOpenInvite(scope, stored);
  noteInvite(scope, invite);
  const now = scope.now().toISOString();
  await markResent(scope.db, invite.code, now, expiresAt);
  const resent = { ...invite, sentAt: now, sentCount: invite.sentCount + 1, expiresAt };
  const { names } = await findInvitee(
    scope.db,
    scope.actor.organizationId,
    invite.projectId,
    invite.emailKey,
    scope.actor.userId,
  );
  await mailInvite(scope, resent, { code, names, outbox });
  return resent;
}

/** An invite of this project that is not accepted yet. It may have expired. */
async function requireOpenInvite(scope: Scope, stored: string | null): Promise<Invite> {
  const invite = await findInvite(scope.db, stored);
  if (!invite || invite.projectId !== projectOf(scope)) throw new Problem("invite_not_found");
  if (invite.status === "accepted") {
    throw new Problem("invite_already_accepted", undefined, { more: { user_id: invite.acceptedBy } });
  }
  return invite;
}

/** The open invite with this code, for the person to whose address it was sent. */
export async function requireInviteFor(
  scope: Scope,
  { code, stored }: SentCode,
  email: Email,
): Promise<{ invite: Invite; organizationId: string }> {
  refuseOtherRegion(scope.region, regionOfId(code));
  const found = await findInviteAndOrganization(scope.db, stored);
  if (!found || found.invite.emailKey !== email.key) throw new Problem("invite_not_found");
  const { invite } = found;
  if (invite.status === "accepted") {
    throw new Problem("invite_already_accepted", undefined, { more: { user_id: invite.acceptedBy } });
  }
  if (invite.expiresAt <= scope.now().toISOString()) throw new Problem("invite_expired");
  return found;
}

/** For a holder of the code without credentials. The code went to one address, and the person who sent it knows it. */
export async function requireInviteByCode(
  scope: AnyScope,
  { code, stored }: SentCode,
): Promise<{ invite: Invite; organizationId: string }> {
  refuseOtherRegion(scope.region, regionOfId(code));
  const found = await findInviteAndOrganization(scope.db, stored);
  if (!found)
    throw new Problem("invite_not_found", "There is no such invite: it was withdrawn, or the link is incomplete.");
  if (found.invite.status === "accepted") throw new Problem("invite_already_accepted");
  if (found.invite.expiresAt <= scope.now().toISOString()) throw new Problem("invite_expired");
  return found;
}

/** The audit entry of a person who joins a project by an invite, for the admins of that project. */
export const joiningOf = (
  { projectId, code }: Pick<Invite, "projectId" | "code">,
  { id, email }: { id: string; email: string },
): AuditEntry => ({ action: "user.joined", target: id, projectId, details: { email, invite_code: code } });

/** Accepts all pending invites for a person who joins the organization, so that no invite stays open for a member. */
export async function acceptOpenInvites(
  scope: AnyScope,
  organizationId: string,
  user: { id: string; emailKey: string },
): Promise<Invite[]> {
  const now = scope.now().toISOString();
  const open = await listOpenInvitesFor(scope.db, organizationId, user.emailKey);
  const accepted: Invite[] = [];
  for (const invite of open) {
    if (invite.expiresAt <= now) {
      await deleteInviteRow(scope.db, invite.code);
      continue;
    }
    await markAccepted(scope.db, invite.code, user.id, now);
    await addMember(scope, invite.projectId, user.id, invite.permissions);
    accepted.push(invite);
  }
  return accepted;
}

// A member and a stranger get the same mail in the same way, so timing reveals nothing to an observer.
const mailInvite = (
  scope: Scope,
  invite: Invite,
  { code, names, outbox }: { code: string; names: InviteNames; outbox: Outbox },
): Promise<void> =>
  outbox.enqueue(scope, invite.email, "invite", {
    invite_code: code,
    project_id: invite.projectId,
    project: names.project,
    organization: names.organization,
    role: invite.permissions.role,
    invited_by: scope.actor.email,
    invited_by_name: names.invitedBy,
    expires_at: invite.expiresAt,
    accepted: invite.status === "accepted",
  });
