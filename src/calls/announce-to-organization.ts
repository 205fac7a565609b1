import type { Scope } from "../access/scope.ts";
import { type Announcement, announce } from "../webhooks/announce.ts";
import type { Rooms } from "./define-operation.ts";

/**
 * Announces an event to the webhooks of another organization than the caller's. The caller's own organization gets its events
 * from the audit rows.
 */
export async function announceToOrganization(
  scope: Scope,
  { webhooks }: Rooms,
  announcement: Omit<Announcement, "now">,
): Promise<void> {
  const count = await announce(scope.db, { ...announcement, now: scope.now() });
  if (count > 0) scope.afterCommit(webhooks.deliveries.wake);
}
