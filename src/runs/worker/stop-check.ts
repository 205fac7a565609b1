import type { Store } from "../../store/db.ts";
import type { Stop } from "../outcome/stop-run.ts";
import { listCancelled } from "../queue/queue.ts";
import { findOwnerLoss, type RunOwner } from "../queue/run-owner.ts";
import { coalesce } from "./coalesce.ts";

/**
 * Checks before each step whether the run was cancelled and its owner may still act. The runs of a worker share the
 * queries.
 */
export function createStopCheck(store: Store): (run: RunOwner & { id: string }) => Promise<Stop | null> {
  const cancelled = coalesce(
    () => "",
    async () => new Set(await listCancelled(store)),
  );
  const owner = coalesce(
    ({ startedBy, projectId }: RunOwner) => `${startedBy}\n${projectId}`,
    (ownerOfRun) => findOwnerLoss(store, ownerOfRun),
  );
  return async (run) => {
    const [cancelledIds, why] = await Promise.all([cancelled(run), owner(run)]);
    return cancelledIds.has(run.id) ? "cancelled" : why;
  };
}
