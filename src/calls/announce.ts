import type { Scope } from "../access/scope.ts";
import { type Announcement, announce } from "../webhooks/announce.ts";
import type { Rooms } from "./define.ts";

/** For what another organization than the caller's is to be told; its own hears with the audit row. */
export async function tell(scope: Scope, { webhooks }: Rooms, told: Omit<Announcement, "now">): Promise<void> {
  const count = await announce(scope.db, { ...told, now: scope.now() });
  if (count > 0) scope.afterCommit(webhooks.deliveries.wake);
}
