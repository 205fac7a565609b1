import type { AuditEntry } from "../access/audit.ts";
import type { Scope } from "../access/scope.ts";
import { type Announcement, announce } from "../webhooks/announce.ts";
import { eventOfChange } from "../webhooks/event-types.ts";
import type { Rooms } from "./define.ts";

/**
 * What the audit log keeps of a change, the webhooks are told, in the same transaction. It stands where the audit row is
 * written, so no operation can forget it.
 */
export async function tellOfChange(scope: Scope, rooms: Rooms, entry: AuditEntry): Promise<void> {
  const type = eventOfChange(entry.action);
  if (type === null) return;
  await tell(scope, rooms, {
    organizationId: scope.actor.organizationId,
    projectId: entry.projectId === undefined ? scope.projectId : entry.projectId,
    type,
    data: { target: entry.target ?? null, by: scope.actor.userId, details: entry.details ?? {} },
  });
}

export async function tell(scope: Scope, { webhooks }: Rooms, told: Omit<Announcement, "now">): Promise<void> {
  const count = await announce(scope.db, { ...told, now: scope.now() });
  if (count > 0) scope.afterCommit(webhooks.deliveries.wake);
}
