import type { Invite } from "../access/invites.ts";
import type { AnyScope } from "../access/scope.ts";
import { type Announcement, announce } from "../webhooks/announce.ts";
import type { Rooms } from "./define-operation.ts";

/**
 * Announces an event to the webhooks of another organization than the caller's. The caller's own organization gets its events
 * from the audit rows.
 */
export async function announceToOrganization(
  scope: AnyScope,
  { webhooks }: Rooms,
  announcement: Omit<Announcement, "now">,
): Promise<void> {
  const count = await announce(scope.db, { ...announcement, now: scope.now() });
  if (count > 0) scope.afterCommit(webhooks.deliveries.wake);
}

/** A person who accepts an invite belongs to another organization, or to none yet: the inviting one learns of it. */
export const announceAccepted = (
  scope: AnyScope,
  rooms: Rooms,
  organizationId: string,
  userId: string,
  { projectId, code }: Pick<Invite, "projectId" | "code">,
): Promise<void> =>
  announceToOrganization(scope, rooms, {
    organizationId,
    projectId,
    type: "invite.accepted",
    data: { target: code, by: userId, details: { user_id: userId } },
  });
