import type { Store } from "../../store/db.ts";
import type { Stop } from "../engine/stop-run.ts";
import { coalesce } from "./coalesce.ts";
import { listCancelled } from "./queue.store.ts";
import { type RunOwner, whyOwnerMayNot } from "./run-owner.ts";

/** The look before a step, for all runs of a worker together: is it still wanted, and may its owner still do it? */
export function createBoundary(store: Store): (run: RunOwner & { id: string }) => Promise<Stop | null> {
  const cancelled = coalesce(
    () => "",
    async () => new Set(await listCancelled(store)),
  );
  const owner = coalesce(
    ({ startedBy, projectId }: RunOwner) => `${startedBy}\n${projectId}`,
    (asked) => whyOwnerMayNot(store, asked),
  );
  return async (run) => {
    const [unwanted, why] = await Promise.all([cancelled(run), owner(run)]);
    return unwanted.has(run.id) ? "cancelled" : why;
  };
}
