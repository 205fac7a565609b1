import * as z from "zod";
import { acceptInvite } from "../../access/accept-invite.ts";
import { inviteExpiry } from "../../access/invite-expiry.ts";
import {
  createInvite,
  deleteInvite,
  type Invite,
  listInvites,
  resendInvite,
  type SentCode,
} from "../../access/invites.ts";
import { onTheWire } from "../../access/permissions.ts";
import { projectOf, type Scope } from "../../access/scope.ts";
import { announceAccepted } from "../../calls/announce-to-organization.ts";
import { operation, type Rooms } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import type { PolicyName } from "../../calls/rate-limits/default-quotas.ts";
import { continueInOrganization } from "../../identity/continue-in-organization.ts";
import {
  emailField,
  expiryField,
  idField,
  permissionsAnswer,
  permissionsField,
  requireFuture,
  timeField,
} from "../shared-fields.ts";

const inviteRecord = z.object({
  invite_code: z.string(),
  project_id: z.string(),
  email: z.string(),
  permissions: permissionsAnswer,
  status: z.enum(["pending", "expired", "accepted"]),
  invited_by: z.string(),
  created_at: timeField,
  expires_at: timeField,
  sent_at: timeField,
  sent_count: z.int(),
  accepted_at: timeField.nullable(),
  user_id: z.string().nullable().meta({ description: "Who accepted it" }),
});
z.globalRegistry.add(inviteRecord, { id: "Invite" });

const toRecord = (invite: Invite, now: string, { inviteCodes }: Rooms) => ({
  invite_code: inviteCodes.shown(invite.code),
  project_id: invite.projectId,
  email: invite.email,
  permissions: onTheWire(invite.permissions),
  status: invite.status === "pending" && invite.expiresAt <= now ? ("expired" as const) : invite.status,
  invited_by: invite.invitedBy,
  created_at: invite.createdAt,
  expires_at: invite.expiresAt,
  sent_at: invite.sentAt,
  sent_count: invite.sentCount,
  accepted_at: invite.acceptedAt,
  user_id: invite.acceptedBy,
});

const inviteCode = idField.meta({ description: "The code that `auth/invite/create` returned" });

export const sentCode = (code: string, { inviteCodes }: Rooms): SentCode => ({
  code,
  stored: inviteCodes.storedOf(code),
});

function expiryOf(scope: Scope, given: string | undefined, rooms: Rooms): string {
  const now = scope.now();
  if (given !== undefined) return requireFuture(given, now);
  return inviteExpiry(now, rooms.inviteDays);
}

const mailPolicies: readonly PolicyName[] = ["invite"];

/** Counts a mail against the project's quota, if it is actually sent. */
async function countMail(scope: Scope, rooms: Rooms): Promise<void> {
  const projectId = projectOf(scope);
  await rooms.limits.admit(mailPolicies, projectId);
  scope.onRollback(() => rooms.limits.refund("invite", projectId));
}

export const inviteOperations = [
  operation({
    path: "/latest/auth/invite/create",
    area: "invites",
    summary: "Invite a person to the project",
    description:
      "A person who is already in the organization joins the project at once. Everyone else gets the code by mail and has no access until they accept.",
    needs: "project admin",
    audit: "invite.created",
    countsAs: "write",
    answersCode: true,
    refuses: ["invite_already_pending", "already_member", "user_deactivated"],
    input: z.object({ permissions: permissionsField, email: emailField, expires_at: expiryField.optional() }),
    output: z.object({ invite_code: z.string() }),
    example: {
      email: "ada@example.com",
      permissions: { items: { platformDefault: { actions: { "role:editor": true } } } },
    },
    async run(scope, input, rooms) {
      const expiresAt = expiryOf(scope, input.expires_at, rooms);
      await countMail(scope, rooms);
      const wanted = { email: input.email, permissions: input.permissions, expiresAt };
      const { code } = await createInvite(scope, wanted, { outbox: rooms.outbox, codes: rooms.inviteCodes });
      return { invite_code: code };
    },
    auditOf: (input) => ({ details: { email: input.email.typed, actions: input.permissions.actions } }),
  }),
  operation({
    path: "/latest/auth/invite/delete",
    area: "invites",
    summary: "Delete an invite that nobody has accepted yet",
    description: "The roles on an invite cannot be edited: to change them, delete it and create a new one.",
    needs: "project admin",
    audit: "invite.deleted",
    countsAs: "write",
    answersCode: true,
    refuses: ["invite_not_found", "invite_already_accepted"],
    input: z.object({ invite_code: inviteCode }),
    output: z.object({ invite_code: z.string(), deleted: z.literal(true) }),
    example: { invite_code: "inv_us_…" },
    async run(scope, input, rooms) {
      await deleteInvite(scope, sentCode(input.invite_code, rooms));
      return { invite_code: input.invite_code, deleted: true as const };
    },
  }),
  operation({
    path: "/latest/auth/invite/list",
    area: "invites",
    summary: "List the project's invites",
    needs: "project admin",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(inviteRecord),
    example: {},
    async run(scope, input, rooms) {
      const now = scope.now().toISOString();
      const { after, limit } = onePageOf(input);
      const rows = await listInvites(scope, { after: sentCode(after, rooms), limit });
      return toPage(
        rows,
        input.limit,
        (row) => rooms.inviteCodes.shown(row.code),
        (row) => toRecord(row, now, rooms),
      );
    },
  }),
  operation({
    path: "/latest/auth/invite/resend",
    area: "invites",
    summary: "Send an open invite again, and extend it",
    needs: "project admin",
    audit: "invite.resent",
    countsAs: "write",
    answersCode: true,
    refuses: ["invite_not_found", "invite_already_accepted"],
    input: z.object({ invite_code: inviteCode, expires_at: expiryField.optional() }),
    output: inviteRecord,
    example: { invite_code: "inv_us_…" },
    async run(scope, input, rooms) {
      const expiresAt = expiryOf(scope, input.expires_at, rooms);
      await countMail(scope, rooms);
      const invite = await resendInvite(scope, sentCode(input.invite_code, rooms), expiresAt, rooms.outbox);
      return toRecord(invite, scope.now().toISOString(), rooms);
    },
  }),
  operation({
    path: "/latest/auth/invite/accept",
    area: "invites",
    summary: "Accept an invite that was sent to your address",
    description:
      "For a person whose account is in another organization. Creates an account for them in the inviting organization, with the same password and one-time codes, and returns its first API key, shown once: their current key does not work there. If the organization requires a second factor, no key is returned: sign in and set one up first. A caller with a session gets a session in the new account.",
    needs: "full key",
    audit: "invite.accepted",
    countsAs: "write",
    refuses: [
      "invite_not_found",
      "address_unverified",
      "invite_already_accepted",
      "invite_expired",
      "email_taken",
      "sso_required",
      "wrong_region",
    ],
    answersSecret: true,
    input: z.object({ invite_code: inviteCode }),
    output: z.object({
      project_id: z.string(),
      organization_id: z.string(),
      user_id: z.string(),
      api_key: z.string().optional().meta({ description: "Of the new account, shown once" }),
    }),
    example: { invite_code: "inv_us_…" },
    async run(scope, input, rooms) {
      const accepted = await acceptInvite(scope, sentCode(input.invite_code, rooms));
      const { organizationId, userId } = accepted;
      await announceAccepted(scope, rooms, organizationId, userId, accepted.invite);
      if (userId !== scope.actor.userId) await continueInOrganization(scope, userId, rooms.vault.keys);
      return {
        project_id: accepted.projectId,
        organization_id: accepted.organizationId,
        user_id: accepted.userId,
        ...(accepted.apiKey === null ? {} : { api_key: accepted.apiKey }),
      };
    },
    auditOf: (_input, output) => ({ details: { organization_id: output.organization_id } }),
  }),
];
